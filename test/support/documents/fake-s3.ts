/**
 * A fake S3 over HTTP with the operations that the service uses. Like the real one it checks the
 * signature (computed here independently, from the SigV4 specification) and the hash of the body.
 */
import { createHash, createHmac } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

export interface FakeS3 {
  settings: Record<string, string>
  objects: Map<string, Buffer>
  /** The method and status of every request so far. */
  requests: string[]
  /** Responds to the next requests with this status; 0 = closes the connection instead. */
  failNext(status: number, times?: number): void
  /** Responds to the next request that there is no such bucket. */
  loseBucketOnce(): void
  /** Closes the connection of the next file that is read, after half of its bytes. */
  breakOffOnce(): void
}

const accessKeyId = 'AKTEST'
const secretAccessKey = 'the secret of the test store'
const region = 'eu-test-1'

/** The temporary credentials of a role, as AWS puts them into the environment. */
export const roleSession = {
  AWS_ACCESS_KEY_ID: 'ASTEST',
  AWS_SECRET_ACCESS_KEY: 'the secret of a session',
  AWS_SESSION_TOKEN: 'the token of a session',
}

/** Secrets by the id of their key; a session also has a token. */
const knownKeys = new Map<string, { secret: string; token?: string }>([
  [accessKeyId, { secret: secretAccessKey }],
  [
    roleSession.AWS_ACCESS_KEY_ID,
    { secret: roleSession.AWS_SECRET_ACCESS_KEY, token: roleSession.AWS_SESSION_TOKEN },
  ],
])

const noSuchBucket =
  '<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message></Error>'

const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex')

export const startFakeS3 = async (): Promise<FakeS3> => {
  const objects = new Map<string, Buffer>()
  const requests: string[] = []
  const failures: number[] = []
  let breaksOff = false
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request)
    if (breaksOff) {
      breaksOff = false
      const object = objects.get(request.url!.split('?')[0]!)!
      response.writeHead(200, { 'content-length': object.length })
      response.write(object.subarray(0, object.length / 2), () => request.socket.destroy())
      return
    }
    const failure = failures.shift()
    const status = failure ?? handleRequest(request, response, body, objects)
    requests.push(`${request.method} ${status}`)
    if (status === 0) request.socket.destroy()
    else if (failure === 404) response.writeHead(404).end(noSuchBucket)
    else if (failure !== undefined) response.writeHead(failure).end('<Error/>')
  }
  const server = createServer((request, response) => {
    void respond(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    objects,
    requests,
    failNext: (status, times = 1) => failures.push(...Array<number>(times).fill(status)),
    loseBucketOnce: () => failures.push(404),
    breakOffOnce: () => {
      breaksOff = true
    },
    settings: {
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_BUCKET: 'exchange',
      S3_REGION: region,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
  }
}

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const handleRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  objects: Map<string, Buffer>,
): number => {
  const send = (status: number, content?: Buffer): number => {
    response.writeHead(status).end(content)
    return status
  }
  const key = (request.url ?? '').split('?')[0]!
  if (!isSigned(request)) return send(403)
  if (request.headers['x-amz-content-sha256'] !== sha256(body)) return send(400)
  if (request.method === 'PUT') {
    // S3 does not accept a chunked body.
    if (request.headers['content-length'] === undefined) return send(411)
    objects.set(key, body)
    return send(200)
  }
  if (request.method === 'DELETE') {
    objects.delete(key)
    return send(204)
  }
  const object = objects.get(key)
  return object === undefined ? send(404) : send(200, object)
}

const isSigned = ({ method, url, headers }: IncomingMessage): boolean => {
  const { authorization = '' } = headers
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const [, id, day = '', where = '', names = '', signature] = form.exec(authorization) ?? []
  const signed = names.split(';')
  const known = knownKeys.get(id ?? '')
  const required = ['host', 'x-amz-content-sha256', 'x-amz-date']
  if (known?.token !== undefined) required.push('x-amz-security-token')
  const signsRequired = required.every((name) => signed.includes(name))
  if (known === undefined || where !== region || !signsRequired) return false
  if (headers['x-amz-security-token'] !== known.token) return false
  const [path, query = ''] = (url ?? '').split('?')
  const canonical = [
    method,
    path,
    query.split('&').toSorted().join('&'),
    ...signed.map((name) => `${name}:${String(headers[name])}`),
    '',
    names,
    headers['x-amz-content-sha256'],
  ].join('\n')
  const time = String(headers['x-amz-date'])
  const scope = `${day}/${where}/s3/aws4_request`
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${known.secret}`, day), where))
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  return hmac(key, text).toString('hex') === signature
}
