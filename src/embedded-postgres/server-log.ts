/** The log of PostgreSQL and initdb: one file, and one before it once it has grown. */
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs'

const logMaxBytes = 10 * 1024 * 1024
const linesShown = 12

export interface ServerLog {
  fd: number
  /** Where the log ends now. */
  position(): number
  /** What was written since then. */
  since(position: number): string
  close(): void
}

export function openServerLog(path: string): ServerLog {
  if (existsSync(path) && statSync(path).size > logMaxBytes) renameSync(path, `${path}.1`)
  const fd = openSync(path, 'a', 0o600)
  return {
    fd,
    position: () => fstatSync(fd).size,
    since: (position) => readFileSync(path).subarray(position).toString('utf8'),
    close: () => closeSync(fd),
  }
}

/** An error that shows why: the last lines of what the program said. */
export function failureWithOutput(message: string, output: string): Error {
  const lines = output.trimEnd().split('\n').slice(-linesShown)
  return new Error([message, ...lines.map((line) => `  ${line}`)].join('\n'))
}
