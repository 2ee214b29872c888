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
  /**
   * Requests of one connection, sent in a circle. {n} in them becomes a number never used before.
   */
  requests: string[][]
  expect: number
}

export interface LoadResult {
  perSecond: number
  medianMs: number
  p95Ms: number
  p99Ms: number
  wrong: number
  firstWrong: string
}

let counter = process.pid * 1_000_000

const run = async (options: LoadOptions): Promise<LoadResult> => {
  const startedAt = performance.now()
  const endsAt = startedAt + options.seconds * 1000
  const times: number[] = []
  const wrong: string[] = []
  const loops = Array.from({ length: options.connections }, (_, i) =>
    oneConnection(options, options.requests[i % options.requests.length]!, endsAt, times, wrong),
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
    wrong: wrong.length,
    firstWrong: wrong[0] ?? '',
  }
}

const oneConnection = (
  { port, expect }: LoadOptions,
  requests: string[],
  endsAt: number,
  times: number[],
  wrong: string[],
): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let next = 0
    let sentAt = 0
    let received: Buffer = Buffer.alloc(0)
    const sendNext = () => {
      sentAt = performance.now()
      socket.write(requests[next++ % requests.length]!.replace('{n}', () => String(counter++)))
    }
    socket.on('error', reject)
    socket.on('connect', sendNext)
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const head = received.toString('latin1', 0, headEnd)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (received.length < headEnd + 4 + length) return
      const now = performance.now()
      times.push(now - sentAt)
      if (Number(head.slice(9, 12)) !== expect) wrong.push(received.toString('utf8'))
      received = Buffer.alloc(0)
      if (now < endsAt) sendNext()
      else {
        socket.end()
        resolve()
      }
    })
  })

if (import.meta.main) {
  let text = ''
  for await (const chunk of process.stdin) text += chunk
  process.stdout.write(JSON.stringify(await run(JSON.parse(text) as LoadOptions)))
}
