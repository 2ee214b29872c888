#!/usr/bin/env node
/** The process of the command line: its streams, signals and exit code. */
import { run } from './program.ts'

const { env, stdin, stdout, stderr } = process
const abort = new AbortController()

/** `docex events list | head -1` ends quietly when `head` has enough. */
const onClosedPipe = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error
  abort.abort()
  process.exit(0)
}

stdout.on('error', onClosedPipe)
stderr.on('error', onClosedPipe)
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => {
    process.exitCode = code
    abort.abort()
    // Whatever waits for input waits no longer.
    stdin.destroy()
  })
}

const code = await run(process.argv.slice(2), { env, stdin, stdout, stderr, signal: abort.signal })
process.exitCode ??= code
