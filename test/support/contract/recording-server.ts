/** Answers every call with the example of its operation, and records what it was sent. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { version } from '../../../src/contract/version.ts'
import { examples } from '../../../src/docs/examples/index.ts'
import type { Operation } from '../../../src/operations/operation.ts'

export interface RecordedCall {
  method: string
  path: string
  query: Readonly<Record<string, string>>
  /** JSON, or the fields of a form with the names of files. */
  body: unknown
  credential: string | undefined
  hasKey: boolean
}

export const startRecordingServer = async (operations: readonly Operation[]) => {
  const recorded: RecordedCall[] = []
  const server = http.createServer((request, response) => {
    const answer = async () => {
      const url = new URL(request.url!, 'http://localhost')
      const { authorization, 'idempotency-key': key } = request.headers
      recorded.push({
        method: request.method!,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        body: await bodyOf(request),
        credential: authorization?.replace('Bearer ', ''),
        hasKey: key !== undefined,
      })
      const operation = operationAt(operations, request.method!, url.pathname)
      const example = examples[operation?.id ?? '']?.response
      const type = operation?.mediaType ?? 'application/json'
      const text = typeof example === 'string' ? example : JSON.stringify(example)
      const digest = createHash('sha256').update(text).digest('hex')
      response.writeHead(operation?.status ?? 200, {
        'Content-Type': type,
        'Svc-Bundle-Digest': digest,
        'Svc-Api-Version': version,
      })
      response.end(text)
    }
    answer().catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, recorded }
}

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const bytes = Buffer.concat(await request.toArray())
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) {
    return bytes.length === 0 ? undefined : (JSON.parse(bytes.toString()) as unknown)
  }
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
  return Object.fromEntries(
    [...form].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]),
  )
}

const operationAt = (operations: readonly Operation[], method: string, path: string) =>
  operations.find((one) => {
    const pattern = one.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')
    return one.method === method && new RegExp(`^${pattern}$`).test(path)
  })
