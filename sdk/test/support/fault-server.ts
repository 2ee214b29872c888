/** A server in front of the service that spoils the answers of a script, one entry per request. */
import http from 'node:http'
import { once } from 'node:events'
import { after } from 'node:test'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

/** What happens to one request. `Before`: the service never gets it; `After`: it executed it. */
export type Fault =
  | 'none'
  | 'hangsBefore'
  | 'hangsAfter'
  | 'resetsBefore'
  | 'resetsAfter'
  | 'truncates'
  /** A body without a length that ends early, as one of HTTP/1.0 does. */
  | 'truncatesSilently'
  /** As a proxy that compresses what the client takes compressed. */
  | 'truncatesCompressed'
  /** As one that does not ask. */
  | 'truncatesGzip'
  | 'isEmpty'
  | 'isRateLimited'
  | 'isUnavailable'
  | 'isUnavailableForASecond'
  | 'isUnavailableForLong'
  | 'isUnavailableWithoutTime'
  | 'isInProgress'
  | 'isUnauthorized'
  | 'isForbidden'
  | 'isDamaged'
  | 'needsApproval'
  | 'isNotJson'

export interface FaultServer {
  baseUrl: string
  /** The faults of the next requests; after them, none. */
  script: Fault[]
  /** The requests that came, in order. */
  requests: FaultyRequest[]
}

interface FaultyRequest {
  method: string
  url: string
  headers: http.IncomingHttpHeaders
  fault: Fault
  /** The client was still there when the whole of a successful answer had been sent. */
  hasSucceeded: boolean
}

const refusals = {
  isRateLimited: [429, 'rate_limited', {}],
  isUnavailable: [503, 'service_unavailable', {}],
  isUnavailableForASecond: [503, 'service_unavailable', {}],
  isUnavailableForLong: [503, 'service_unavailable', {}],
  isUnavailableWithoutTime: [503, 'service_unavailable', {}],
  isInProgress: [409, 'conflict', { reason: 'request_in_progress' }],
  isUnauthorized: [401, 'unauthorized', {}],
  isForbidden: [403, 'forbidden', {}],
  isDamaged: [500, 'integrity_failure', {}],
  needsApproval: [409, 'conflict', { reason: 'approval_required' }],
} as const

/** The refusals that a repetition would meet again. */
const finalFaults = new Set<Fault>(['isUnauthorized', 'isForbidden', 'isDamaged', 'needsApproval'])

/** Of the refusals; of most, no time at all. */
const retryAfterOf: Partial<Record<Fault, string | undefined>> = {
  isUnavailableForASecond: '1',
  isUnavailableForLong: '61',
  isUnavailableWithoutTime: undefined,
}

export const startFaultServer = async (target: string): Promise<FaultServer> => {
  const script: Fault[] = []
  const requests: FaultServer['requests'] = []
  const server = http.createServer((request, response) => {
    const { method = '', url = '', headers } = request
    const fault = script.shift() ?? 'none'
    const came: FaultyRequest = { method, url, headers, fault, hasSucceeded: false }
    requests.push(came)
    response.once('close', () => {
      came.hasSucceeded = response.writableFinished && response.statusCode < 400
    })
    void answer(target, fault, request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, script, requests }
}

const answer = async (
  target: string,
  fault: Fault,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> => {
  const socket: Socket = request.socket
  const body = Buffer.concat(await request.toArray())
  if (fault === 'hangsBefore') return
  if (fault === 'resetsBefore') return void socket.resetAndDestroy()
  if (fault === 'isNotJson') {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
    return
  }
  if (fault in refusals) {
    const [status, code, details] = refusals[fault as keyof typeof refusals]
    const error = { code, message: 'Later.', docs_url: '', request_id: 'req_1', details }
    const retryAfter = fault in retryAfterOf ? retryAfterOf[fault] : '0'
    response
      .writeHead(status, {
        'content-type': 'application/json',
        'svc-should-retry': String(!finalFaults.has(fault)),
        ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
      })
      .end(JSON.stringify({ error }))
    return
  }
  const { host: _, connection: __, ...headers } = request.headers
  const forwarded = await fetch(target + request.url, {
    method: request.method ?? 'GET',
    headers: headers as Record<string, string>,
    ...(body.length === 0 ? {} : { body }),
  }).catch(() => undefined)
  if (forwarded === undefined) return void socket.resetAndDestroy()
  const bytes = Buffer.from(await forwarded.arrayBuffer())
  if (fault === 'hangsAfter') return
  if (fault === 'resetsAfter') return void socket.resetAndDestroy()
  const passed = [...forwarded.headers].filter(([name]) => !hopHeaders.includes(name))
  const isCompressed =
    fault === 'truncatesGzip' ||
    (fault === 'truncatesCompressed' && request.headers['accept-encoding']?.includes('gzip'))
  const whole = isCompressed ? gzipSync(bytes) : bytes
  const half = whole.subarray(0, whole.length >> 1)
  const isSilent = fault === 'truncatesSilently' || isCompressed
  const sent = isSilent ? half : fault === 'isEmpty' ? '' : bytes
  response.useChunkedEncodingByDefault = false
  response.writeHead(forwarded.status, {
    ...Object.fromEntries(passed),
    ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
    ...(isSilent ? {} : { 'content-length': fault === 'isEmpty' ? 0 : bytes.length }),
  })
  if (isSilent || !fault.startsWith('truncates')) return void response.end(sent)
  response.write(half, () => socket.destroy())
}

const hopHeaders = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date']
