/** The log file of PostgreSQL and initdb, rotated once when it has grown too large. */
import * as fs from 'node:fs'

const logMaxBytes = 10 * 1024 * 1024
const linesShown = 12

export interface ServerLog {
  fd: number
  /** The current end of the log. */
  position(): number
  /** The text written since that position. */
  since(position: number): string
  close(): void
}

export function openServerLog(path: string): ServerLog {
  if (fs.existsSync(path) && fs.statSync(path).size > logMaxBytes) fs.renameSync(path, `${path}.1`)
  const fd = fs.openSync(path, 'a', 0o600)
  return {
    fd,
    position: () => fs.fstatSync(fd).size,
    since: (position) => fs.readFileSync(path).subarray(position).toString('utf8'),
    close: () => fs.closeSync(fd),
  }
}

/** An error with the last lines of the program's output. */
export function failureWithOutput(message: string, output: string): Error {
  const lines = output.trimEnd().split('\n').slice(-linesShown)
  return new Error([message, ...lines.map((line) => `  ${line}`)].join('\n'))
}
