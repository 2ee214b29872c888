/** What a run of several files adds to their events. */
import { resolve } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

type Outcome = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>

/** Takes the place of the events of a file whose process ended too early. */
export const failedFile = (file: string, reason: string): TestEvent => {
  const error = new Error(reason)
  const details = { duration_ms: 0, error, type: 'test' }
  const place = { file: resolve(file), line: 1, column: 1 }
  const data = { name: file, nesting: 0, testNumber: 1, details, ...place }
  return { type: 'test:fail', data } as unknown as TestEvent
}

const isOutcome = (event: TestEvent): event is Outcome =>
  event.type === 'test:pass' || event.type === 'test:fail'

const isCancelled = ({ type, data }: Outcome): boolean =>
  type === 'test:fail' && JSON.stringify(data.details.error).includes('cancelledByParent')

export const diagnostic = (message: string): TestEvent =>
  ({ type: 'test:diagnostic', data: { nesting: 0, message } }) as TestEvent

/** The totals as `node --test` prints them. */
export const summaryOf = (events: readonly TestEvent[], durationMs: number) => {
  const outcomes = events.filter(isOutcome)
  const tests = outcomes.filter(({ data }) => data.details.type !== 'suite')
  const isLeft = ({ data }: Outcome) => data.skip !== undefined || data.todo !== undefined
  const counts = {
    tests: tests.length,
    suites: outcomes.length - tests.length,
    pass: tests.filter((event) => event.type === 'test:pass' && !isLeft(event)).length,
    fail: tests.filter((event) => event.type === 'test:fail' && !isCancelled(event)).length,
    cancelled: tests.filter(isCancelled).length,
    skipped: tests.filter(({ data }) => data.skip !== undefined).length,
    todo: tests.filter(({ data }) => data.todo !== undefined).length,
    duration_ms: durationMs,
  }
  const diagnostics = Object.entries(counts).map(([name, value]) => diagnostic(`${name} ${value}`))
  return { hasFailed: outcomes.some(({ type }) => type === 'test:fail'), diagnostics }
}
