/** A process that runs test files, with the PostgreSQL that it is given. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const at = (name: string) => new URL(name, import.meta.url)

const execArgv = [
  // With room for more young objects, the garbage collector takes some 5 % less CPU time.
  '--min-semi-space-size=32',
  '--max-semi-space-size=64',
  '--import',
  at('test-contexts.ts').href,
]

export const startWorker = (testServer: object): ChildProcess =>
  fork(fileURLToPath(at('worker.ts')), {
    env: { ...process.env, TEST_SERVER: JSON.stringify(testServer) },
    serialization: 'advanced',
    execArgv,
  })
