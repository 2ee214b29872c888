/**
 * What one organization can do to the service within its rate limit. Each attack sends requests at
 * a fixed rate, whatever comes of them, from a process of its own: it is started with AttackOptions
 * as JSON on its standard input, and it ends, with all its sockets, when that is closed.
 */
import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'

export interface AttackOptions {
  attack: AttackName
  port: number
  key: string
  /** The token of an admin's session. */
  session: string
  perSecond: number
  connectionId: string
  /** Documents of the attacker with 200 lines each. */
  documentIds: readonly string[]
  /** One of its endpoints, whose receiver never responds. */
  webhookId: string
}

interface AttackRequest {
  method?: 'GET' | 'POST'
  path: string
  body?: string
  contentType?: string
  credential?: 'none' | 'session'
  /** Bytes of the body that are sent per second. */
  bytesPerSecond?: number
}

const unknownFields = (bytes: number): string => {
  const fields: Record<string, number> = {}
  for (let i = 0; i * 15 < bytes; i += 1) fields[`unknown${i}`] = i
  return JSON.stringify(fields)
}
const manyUnknown = unknownFields(77_000)

/** An invoice with as many lines as the contract allows. */
export const largeInvoice = (connectionId: string): string =>
  JSON.stringify({
    connection_id: connectionId,
    document_type: 'invoice',
    line_items: Array.from({ length: 200 }, (_, i) => ({
      description: `Consulting in phase ${i}, with a description of ordinary length`,
      quantity: 2.5,
      unit_price: 19.5 + i,
      tax_rate: 0.08,
    })),
  })

const form = [
  '--b',
  'Content-Disposition: form-data; name="file"; filename="a.txt"',
  'Content-Type: text/plain',
  '',
  'x'.repeat(100_000),
  '--b--',
  '',
].join('\r\n')

let rendered = 0

export const attacks = {
  exports: ({ documentIds: [id] }) => ({ path: `/v1/documents/${id}/export` }),
  lineage: ({ documentIds: [id] }) => ({ path: `/v1/documents/${id}/lineage` }),
  /** Of another document each time, since the service keeps the PDFs that it has made. */
  renders: ({ documentIds }) => {
    const id = documentIds[(rendered += 1) % documentIds.length]
    return { path: `/v1/documents/${id}/render?format=pdf` }
  },
  /** A file of some thousand rows. */
  downloads: () => ({ path: '/v1/documents.csv' }),
  /** Of 21,000 documents and more. */
  statistics: () => ({ path: '/v1/statistics?metric=documents' }),
  search: () => ({
    path: '/v1/documents?limit=100&query=consulting%20phase%20thank%20business%20x',
  }),
  lists: () => ({ path: '/v1/documents?limit=100&status=paid,cancelled&since=2026-01-01' }),
  /** The newest hundred documents of the attacker have 200 lines each. */
  'large-lists': () => ({ path: '/v1/documents?limit=100' }),
  'bad-bodies': () => ({ path: '/v1/documents', body: manyUnknown }),
  unauthenticated: () => ({ path: '/auth/sessions', body: manyUnknown, credential: 'none' }),
  uploads: () => ({
    path: `/v1/documents/doc_00000000000000000000000000/attachments`,
    body: form,
    contentType: 'multipart/form-data; boundary=b',
    bytesPerSecond: 2_000,
  }),
  pings: ({ webhookId }) => ({
    path: `/v1/webhooks/${webhookId}/ping`,
    body: '',
    credential: 'session',
  }),
  'webhooks-hang': ({ connectionId }) => ({
    path: '/v1/documents',
    body: JSON.stringify({
      connection_id: connectionId,
      document_type: 'invoice',
      line_items: [line],
    }),
  }),
  'bulk-writes': ({ connectionId }) => ({
    path: '/v1/documents',
    body: largeInvoice(connectionId),
  }),
} satisfies Record<string, (options: AttackOptions) => AttackRequest>
export type AttackName = keyof typeof attacks

const line = { description: 'One', quantity: 1, unit_price: 1, tax_rate: 0 }

const agent = new Agent({ keepAlive: true, maxSockets: Infinity })

const send = (options: AttackOptions, counts: Record<string, number>): void => {
  const attack: AttackRequest = attacks[options.attack](options)
  const { body, contentType = 'application/json' } = attack
  const method = body === undefined ? 'GET' : 'POST'
  const headers: Record<string, string | number> = {}
  if (attack.credential !== 'none') {
    const token = attack.credential === 'session' ? options.session : options.key
    headers['authorization'] = `Bearer ${token}`
  }
  if (body !== undefined) {
    headers['idempotency-key'] = randomBytes(12).toString('hex')
    if (body !== '') headers['content-type'] = contentType
    headers['content-length'] = Buffer.byteLength(body)
  }
  const { port } = options
  const sent = request({ agent, port, host: '127.0.0.1', method, path: attack.path, headers })
  const count = (outcome: string) => (counts[outcome] = (counts[outcome] ?? 0) + 1)
  sent.on('response', (response) => {
    count(String(response.statusCode))
    response.resume()
  })
  sent.on('error', () => count('error'))
  if (attack.bytesPerSecond === undefined) return void sent.end(body)
  let at = 0
  const timer = setInterval(() => {
    sent.write(body!.slice(at, at + attack.bytesPerSecond! / 10))
    at += attack.bytesPerSecond! / 10
    if (at < body!.length) return
    clearInterval(timer)
    sent.end()
  }, 100)
  sent.on('close', () => clearInterval(timer))
}

/** A receiver that accepts connections and never responds. */
export const startSilentReceiver = async (): Promise<{ port: number; stop(): void }> => {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return { port: (server.address() as AddressInfo).port, stop: () => server.close() }
}

if (import.meta.main) {
  let text = ''
  process.stdin.on('data', (chunk: Buffer) => {
    text += chunk
    if (!text.endsWith('\n')) return
    const options = JSON.parse(text) as AttackOptions
    const counts: Record<string, number> = {}
    setInterval(() => send(options, counts), 1000 / options.perSecond)
    process.stdin.on('end', () => {
      process.stdout.write(JSON.stringify(counts), () => process.exit(0))
    })
  })
}
