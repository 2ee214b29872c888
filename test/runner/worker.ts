/** Runs the test files that it is sent, one after the other, and answers with their events. */
import { run } from 'node:test'
import { resolve } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { dropTestDatabases } from '../support/database/postgres.ts'
import { failedFile } from './summary.ts'

/** Those that a reporter prints; an error keeps its message, stack and cause. */
const isPrinted = ({ type }: TestEvent) => ['test:start', 'test:pass', 'test:fail'].includes(type)

const eventsOf = async (file: string): Promise<TestEvent[]> => {
  const events: TestEvent[] = []
  const errors: string[] = []
  for await (const event of run({ files: [resolve(file)], isolation: 'none' })) {
    if (isPrinted(event)) events.push(event)
    // What is thrown where no test waits for it fails no test, and is only said so.
    if (event.type === 'test:diagnostic' && event.data.message.startsWith('Error: '))
      errors.push(event.data.message)
  }
  return errors.length === 0 ? events : [...events, failedFile(file, errors.join('\n'))]
}

const answer = async (file: string): Promise<void> => {
  // A file ends when nothing is left to wait for, so the channel must not count.
  process.channel!.unref()
  const events = await eventsOf(file)
  process.channel!.ref()
  await dropTestDatabases()
  process.send!(events)
}

process.on('message', (file: string) => void answer(file))
