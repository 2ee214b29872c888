/**
 * Operators' commands, straight in the database: npm run admin -- <command>.
 */
import { text } from 'node:stream/consumers'
import { runCommandLine } from './admin/command-line.ts'

process.exitCode = await runCommandLine(process.argv.slice(2), {
  settings: process.env,
  readInput: () => text(process.stdin),
  write: (output) => void process.stdout.write(output),
  writeError: (output) => void process.stderr.write(output),
})
