#!/usr/bin/env node
/** The process of the command line: its streams, signals and exit code. */
import { exitOnBrokenOutput } from './broken-output.ts'
import { exitCodes, interruptedCode } from './failures.ts'
import { run } from './program.ts'

const { env, stdin, stdout, stderr } = process
const abort = new AbortController()

stdout.on('error', (error) => {
  abort.abort()
  exitOnBrokenOutput(error)
})
// After SIGHUP there may be no terminal any more.
stderr.on('error', () => process.exit(process.exitCode ?? exitCodes.usage.code))
for (const [signal, code] of [
  ['SIGHUP', 129],
  ['SIGINT', interruptedCode],
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
