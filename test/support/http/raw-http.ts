/** HTTP as bytes on a socket, for requests that a well-behaved client cannot send. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import type { Reply } from '../api-client.ts'
import type { TestService } from '../test-service.ts'

const headTerminator = '\r\n\r\n'

/** Opens a connection and records all that it receives. */
export const openSocket = async ({
  service,
}: Pick<TestService, 'service'>): Promise<{ socket: Socket; text(): string }> => {
  const socket = connect({ host: '127.0.0.1', port: service.port })
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(socket, 'connect')
  return { socket, text: () => text }
}

/** Sends these bytes unchanged, and reads one response. */
export const sendBytes = (
  { service }: Pick<TestService, 'service'>,
  ...parts: readonly (string | Buffer)[]
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const socket = connect(service.port, '127.0.0.1')
    let received = Buffer.alloc(0)
    const finish = (isEnded: boolean): void => {
      const reply = parseReply(received, isEnded)
      if (reply === undefined) return
      resolve(reply)
      socket.destroy()
    }
    socket.setTimeout(60_000, () => socket.destroy(new Error('no response')))
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])
      finish(false)
    })
    socket.on('error', reject)
    socket.on('close', () => {
      finish(true)
      reject(new Error(`the connection ended with ${JSON.stringify(received.toString('latin1'))}`))
    })
    for (const part of parts) socket.write(part)
  })

/** Parses the response once it is complete. */
const parseReply = (received: Buffer, isEnded: boolean): Reply | undefined => {
  const headEnd = received.indexOf(headTerminator)
  if (headEnd < 0) return undefined
  const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n')
  assert.match(statusLine, /^HTTP\/1\.1 \d{3}/)
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    }),
  )
  const bytes = received.subarray(headEnd + headTerminator.length)
  const length = headers.get('content-length')
  if (length === null ? !isEnded : bytes.length < Number(length)) return undefined
  const text = bytes.toString('utf8')
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false
  const status = Number(statusLine.slice(9, 12))
  return { status, headers, text, body: isJson ? JSON.parse(text) : text }
}

/** The bytes of a request with this head; adds `Host` and `Connection`. */
export const rawRequest = (
  line: string,
  headers: readonly string[],
  body: string | Buffer = '',
): Buffer =>
  Buffer.concat([
    Buffer.from([`${line} HTTP/1.1`, 'Host: test', 'Connection: close', ...headers].join('\r\n')),
    Buffer.from(headTerminator),
    Buffer.from(body),
  ])
