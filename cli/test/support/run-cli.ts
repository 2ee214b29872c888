/** Runs the command line: in this process with streams of the test, or as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { Sink } from '../../src/io.ts'
import { run } from '../../src/program.ts'

export interface Outcome {
  code: number
  stdout: string
  stderr: string
  /** The bytes of stdout. */
  bytes: Buffer
}

interface RunOptions {
  env?: Record<string, string>
  stdin?: string | Uint8Array
  /** Whether stdin, stdout and stderr are a terminal. */
  isTTY?: boolean
  signal?: AbortSignal
  /** They get what is written, at once. */
  onStdout?: (text: string) => void
  onStderr?: (text: string) => void
}

export type Cli = (argv: readonly string[], options?: RunOptions) => Promise<Outcome>

const collector = (isTTY: boolean, onText: (text: string) => void = () => undefined) => {
  const chunks: Buffer[] = []
  const write: Sink['write'] = (chunk) => {
    chunks.push(Buffer.from(chunk))
    onText(String(chunk))
  }
  const sink: Sink = { isTTY, columns: 100, write }
  return { sink, bytes: () => Buffer.concat(chunks) }
}

/** A command line with an environment of its own: nothing of the person who runs the tests. */
export const cliWith = (env: Record<string, string> = {}): Cli => {
  const folder = temporaryFolder()
  return async (argv, options = {}) => {
    const { stdin = '', isTTY = false } = options
    const [stdout, stderr] = [
      collector(isTTY, options.onStdout),
      collector(isTTY, options.onStderr),
    ]
    const code = await run(argv, {
      env: { DOCEX_CONFIG_DIR: folder, ...env, ...options.env },
      stdin: Object.assign(Readable.from([stdin]), { isTTY }),
      stdout: stdout.sink,
      stderr: stderr.sink,
      signal: options.signal ?? new AbortController().signal,
    })
    const bytes = stdout.bytes()
    return { code, stdout: String(bytes), stderr: String(stderr.bytes()), bytes }
  }
}

const main = new URL('../../src/main.ts', import.meta.url).pathname

export const spawnCli = (
  argv: readonly string[],
  env: Record<string, string>,
  stdout: 'pipe' | number = 'pipe',
): ChildProcess =>
  spawn(process.execPath, [main, ...argv], {
    env: { PATH: process.env['PATH'] ?? '', DOCEX_CONFIG_DIR: temporaryFolder(), ...env },
    stdio: ['pipe', stdout, 'pipe'],
  })
