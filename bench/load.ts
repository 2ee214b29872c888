/**
 * A closed-loop load generator that costs little: raw sockets, requests as bytes, answers read just
 * far enough to know their status and length. Runs as a process of its own:
 * node bench/load.ts '{"port":…,"connections":…,"seconds":…,"requests":"create|get|list|deep",…}'
 */
import { connect } from 'node:net'

export interface LoadOptions {
  port: number
  connections: number
  seconds: number
  /** Sent before these, and not measured: this process has to get going, too. */
  rampSeconds?: number
  /**
   * Requests of one connection, sent in a circle. {n} in them becomes a number never used before.
   */
  requests: string[][]
  expectedStatus: number
}

export interface LoadResult {
  perSecond: number
  medianMs: number
  p95Ms: number
  p99Ms: number
  failureCount: number
  firstFailure: string
}

let counter = process.pid * 1_000_000

const run = async (options: LoadOptions): Promise<LoadResult> => {
  const startedAt = performance.now() + (options.rampSeconds ?? 0) * 1000
  const span = { startedAt, endsAt: startedAt + options.seconds * 1000 }
  const times: number[] = []
  const wrong: string[] = []
  const loops = Array.from({ length: options.connections }, (_, i) =>
    runConnection(options, options.requests[i % options.requests.length]!, span, times, wrong),
  )
  await Promise.all(loops)
  const elapsed = (performance.now() - startedAt) / 1000
  const sorted = Float64Array.from(times).toSorted()
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return {
    perSecond: (times.length - wrong.length) / elapsed,
    medianMs: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    failureCount: wrong.length,
    firstFailure: wrong[0] ?? '',
  }
}

/** A request, around the number never used before that it wants. */
type Template = { whole: Buffer } | { before: string; after: string }

const templateOf = (request: string): Template => {
  const [before = '', after] = request.split('{n}')
  return after === undefined ? { whole: Buffer.from(request) } : { before, after }
}

const bytesOf = (template: Template): Buffer | string =>
  'whole' in template ? template.whole : template.before + String(counter++) + template.after

/** All connections read into it: what arrives is looked at once, and never kept. */
const received = Buffer.allocUnsafe(64 * 1024)
const headEnd = Buffer.from('\r\n\r\n')
const lengthHeader = Buffer.from('\r\nContent-Length: ')

/** Bytes of an answer whose head is at the start of `received`. */
const lengthOfAnswer = (): number => {
  let length = 0
  const at = received.indexOf(lengthHeader) + lengthHeader.length
  for (let i = at; received[i]! !== 13; i += 1) length = length * 10 + received[i]! - 48
  return received.indexOf(headEnd) + headEnd.length + length
}

const runConnection = (
  { port, expectedStatus }: LoadOptions,
  requests: string[],
  { startedAt, endsAt }: { startedAt: number; endsAt: number },
  times: number[],
  wrong: string[],
): Promise<void> =>
  new Promise((resolve, reject) => {
    const templates = requests.map(templateOf)
    let next = 0
    let sentAt = 0
    let missing = 0
    const sendNext = () => {
      sentAt = performance.now()
      socket.write(bytesOf(templates[next++ % templates.length]!))
    }
    const take = (count: number): boolean => {
      if (missing === 0) {
        missing = lengthOfAnswer()
        const status = received.toString('latin1', 9, 12)
        if (Number(status) !== expectedStatus) wrong.push(received.toString('utf8', 0, count))
      }
      missing -= count
      if (missing > 0) return true
      const now = performance.now()
      if (sentAt >= startedAt) times.push(now - sentAt)
      if (now < endsAt) sendNext()
      else {
        socket.end()
        resolve()
      }
      return true
    }
    const socket = connect({
      ...{ port, host: '127.0.0.1', noDelay: true },
      onread: { buffer: received, callback: take },
    })
    socket.on('error', reject)
    socket.on('connect', sendNext)
  })

if (import.meta.main) {
  let text = ''
  for await (const chunk of process.stdin) text += chunk
  process.stdout.write(JSON.stringify(await run(JSON.parse(text) as LoadOptions)))
}
