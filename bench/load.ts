/**
 * A cheap closed-loop load generator: it writes requests as bytes to raw sockets and reads of each
 * response only its status and length. It runs as its own process, with LoadOptions as JSON on its
 * standard input and a LoadResult on its output.
 */
import { type Socket, connect } from 'node:net'
import { limits } from '../src/contract/limits.ts'

export interface LoadOptions {
  port: number
  connections: number
  seconds: number
  /** Sends unmeasured requests for this long first, because this process has to warm up, too. */
  rampSeconds?: number
  /** A list per connection, sent round-robin. {n} is replaced by a number never used before. */
  requests: string[][]
  expectedStatus: number
  /** A 503 is no failure: the connection pauses for this long, as Retry-After tells it to. */
  pauseAfterRefusalMs?: number
}

export interface LoadResult {
  perSecond: number
  medianMs: number
  p95Ms: number
  p99Ms: number
  failureCount: number
  firstFailure: string
  refusedCount: number
  refusedP99Ms: number
}

let counter = process.pid * 1_000_000

const run = async (options: LoadOptions): Promise<LoadResult> => {
  const startedAt = performance.now() + (options.rampSeconds ?? 0) * 1000
  const span = { startedAt, endsAt: startedAt + options.seconds * 1000 }
  const latenciesMs: number[] = []
  const refusedMs: number[] = []
  const failures: string[] = []
  const loops = Array.from({ length: options.connections }, (_, i) =>
    runConnection(options, options.requests[i % options.requests.length]!, span, {
      latenciesMs,
      refusedMs,
      failures,
    }),
  )
  await Promise.all(loops)
  const elapsedSeconds = (performance.now() - startedAt) / 1000
  const sorted = Float64Array.from(latenciesMs).toSorted()
  const quantile = (fraction: number, of = sorted) =>
    of[Math.min(of.length - 1, Math.floor(of.length * fraction))] ?? 0
  return {
    perSecond: (latenciesMs.length - failures.length) / elapsedSeconds,
    medianMs: quantile(0.5),
    p95Ms: quantile(0.95),
    p99Ms: quantile(0.99),
    failureCount: failures.length,
    firstFailure: failures[0] ?? '',
    refusedCount: refusedMs.length,
    refusedP99Ms: quantile(0.99, Float64Array.from(refusedMs).toSorted()),
  }
}

/** A request, split where it needs a number never used before. */
type Template = { whole: Buffer } | { before: string; after: string }

const templateOf = (request: string): Template => {
  const [before = '', after] = request.split('{n}')
  return after === undefined ? { whole: Buffer.from(request) } : { before, after }
}

const bytesOf = (template: Template): Buffer | string =>
  'whole' in template ? template.whole : template.before + String(counter++) + template.after

/** All connections share one buffer, because each chunk is inspected at once and never kept. */
const buffer = Buffer.allocUnsafe(64 * 1024)
const headEnd = Buffer.from('\r\n\r\n')
const lengthHeader = Buffer.from('\r\nContent-Length: ')

/** Length of the response whose head is at the start of `buffer`. */
const responseLength = (): number => {
  let length = 0
  const start = buffer.indexOf(lengthHeader) + lengthHeader.length
  for (let i = start; buffer[i]! !== 13; i += 1) length = length * 10 + buffer[i]! - 48
  return buffer.indexOf(headEnd) + headEnd.length + length
}

const runConnection = (
  { port, expectedStatus, pauseAfterRefusalMs }: LoadOptions,
  requests: string[],
  { startedAt, endsAt }: { startedAt: number; endsAt: number },
  {
    latenciesMs,
    refusedMs,
    failures,
  }: Record<'latenciesMs' | 'refusedMs', number[]> & { failures: string[] },
): Promise<void> =>
  new Promise((resolve, reject) => {
    const templates = requests.map(templateOf)
    let next = 0
    let sentAt = 0
    let remainingBytes = 0
    let isRefused = false
    const sendNext = () => {
      sentAt = performance.now()
      // The server ends a connection after so many requests.
      if (next % limits.requestsPerSocketMax === 0) socket = open()
      socket.write(bytesOf(templates[next++ % templates.length]!))
    }
    const receive = (count: number): boolean => {
      if (remainingBytes === 0) {
        remainingBytes = responseLength()
        const status = buffer.toString('latin1', 9, 12)
        isRefused = pauseAfterRefusalMs !== undefined && status === '503'
        if (!isRefused && Number(status) !== expectedStatus)
          failures.push(buffer.toString('utf8', 0, count))
      }
      remainingBytes -= count
      if (remainingBytes > 0) return true
      const now = performance.now()
      if (sentAt >= startedAt) (isRefused ? refusedMs : latenciesMs).push(now - sentAt)
      if (now < endsAt && isRefused) setTimeout(sendNext, pauseAfterRefusalMs)
      else if (now < endsAt) sendNext()
      else {
        socket.end()
        resolve()
      }
      return true
    }
    const open = (): Socket =>
      connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback: receive } }).on(
        'error',
        reject,
      )
    let socket: Socket
    sendNext()
  })

if (import.meta.main) {
  let text = ''
  for await (const chunk of process.stdin) text += chunk
  process.stdout.write(JSON.stringify(await run(JSON.parse(text) as LoadOptions)))
}
