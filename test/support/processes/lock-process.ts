/** Locks the data directory that it is told, until it ends, and tells whether it has the lock. */
import { lockDataDirectory } from '../../../src/embedded-postgres/directory-lock.ts'

process.on('message', (directory: string) => {
  try {
    lockDataDirectory(directory)
    process.send!('locked')
  } catch {
    process.send!('refused')
  }
})
process.send!('ready')
