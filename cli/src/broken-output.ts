/** How a process ends whose output cannot be written. */
import { exitCodes } from './failures.ts'

/** `docex events list | head -1` ends quietly when `head` has enough; a full disk is an error. */
export const exitOnBrokenOutput = (error: NodeJS.ErrnoException): void => {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`error output: it cannot be written: ${error.message}\n`)
  process.exit(exitCodes.usage.code)
}
