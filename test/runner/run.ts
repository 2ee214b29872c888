/**
 * Runs test files in a few processes, each file after the other, and prints what `node --test`
 * prints. A process keeps its compiled code and its PostgreSQL from file to file, which
 * `node --test` loads and starts anew for each (docs/decisions/0104).
 *
 *   node test/runner/run.ts 'test/http/*.test.ts'
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { spec, type TestEvent } from 'node:test/reporters'
import { startTestServer } from '../support/database/postgres.ts'
import { diagnostic, failedFile, summaryOf } from './summary.ts'
import { startWorker } from './start-worker.ts'

const concurrency = Number(process.env.TEST_CONCURRENCY ?? 3)
const fileDeadlineMs = process.env.LONG === '1' ? 7_200_000 : 900_000
/** They change what all files of a process share: the windows of sign-ins, an operation. */
const needOwnProcess = [
  'test/contract/deprecation.test.ts',
  'test/operations/identity/sessions.test.ts',
  'test/operations/identity/step-up.test.ts',
]

/** By their own names, files that wait run beside others that compute, and not folder by folder. */
const waiting = globSync(process.argv.slice(2)).toSorted((one, other) =>
  basename(one).localeCompare(basename(other)),
)
if (waiting.length === 0) throw new Error('No test file has a name like that.')

const printed = new Readable({ objectMode: true, read: () => undefined })
const events: TestEvent[] = []
const secondsOfFiles: [file: string, seconds: number][] = []

/** The events of one file stay together, however many files run at the same time. */
const report = (ofFile: readonly TestEvent[]) => {
  events.push(...ofFile)
  for (const event of ofFile) printed.push(event)
}

/** The events of a file, or why its process ended before the file did. */
const runFile = async (worker: ChildProcess, file: string): Promise<TestEvent[] | string> => {
  const answered = new AbortController()
  const { signal } = answered
  const deadline = setTimeout(() => worker.kill('SIGKILL'), fileDeadlineMs)
  const startedAt = performance.now()
  worker.send(file)
  const events = once(worker, 'message', { signal }).then(([ofFile]) => ofFile)
  const end = once(worker, 'exit', { signal }).then(([code, endedBy]) => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    return `The process ended with ${code ?? endedBy} after ${seconds} s, before the file did.`
  })
  const first = await Promise.race([events, end])
  clearTimeout(deadline)
  secondsOfFiles.push([file, Math.round((performance.now() - startedAt) / 1000)])
  answered.abort()
  await Promise.allSettled([events, end])
  return first
}

const runInTurn = async (): Promise<void> => {
  const server = await startTestServer()
  let worker: ChildProcess | undefined
  let previous = 'none'
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    const needsOwn = needOwnProcess.includes(file)
    if (needsOwn && worker?.connected === true) worker.disconnect()
    worker = worker?.connected === true ? worker : startWorker(server.addresses)
    const ofFile = await runFile(worker, file)
    const ended = typeof ofFile === 'string'
    report(ended ? [failedFile(file, `${ofFile} The file before it: ${previous}.`)] : ofFile)
    if (needsOwn && worker.connected) worker.disconnect()
    previous = file
  }
  if (worker?.connected === true) worker.disconnect()
  await server.stop()
}

const startedAt = performance.now()
const printing = pipeline(printed, new spec(), process.stdout, { end: false })
await Promise.all(Array.from({ length: concurrency }, runInTurn))
const { hasFailed, diagnostics } = summaryOf(events, performance.now() - startedAt)
const slowest = secondsOfFiles.toSorted(([, one], [, other]) => other - one).slice(0, 20)
for (const [file, seconds] of slowest) printed.push(diagnostic(`slow: ${seconds} s, ${file}`))
for (const event of diagnostics) printed.push(event)
printed.push(null)
await printing
process.exitCode = hasFailed ? 1 : 0
