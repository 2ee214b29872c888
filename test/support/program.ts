/** src/main.ts as a process of its own, as `npm start` runs it. It cannot outlive its test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { after } from 'node:test'
import { until } from './service.ts'

export interface Program {
  child: ChildProcess
  /** What it wrote so far, to both streams. */
  said(): string
  /** Null while it runs; a signal's name if one ended it. */
  ended(): number | string | null
}

const main = join(import.meta.dirname, '../../src/main.ts')

export const launchProgram = (settings: Record<string, string>): Program => {
  const env = { PATH: process.env['PATH'] ?? '', PORT: '0', ...settings }
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part))
  const program = { child, said: () => text, ended: () => child.exitCode ?? child.signalCode }
  after(async () => {
    child.kill('SIGKILL')
    await until('the program has ended', () => program.ended() !== null)
  })
  return program
}

/** The address on which it answers. */
export const readyAddress = async ({ said, ended }: Program): Promise<string> => {
  const address = () => /ready on (\S+)/.exec(said())?.[1]
  await until('the program is ready', () => address() !== undefined || ended() !== null)
  const found = address()
  if (found === undefined) throw new Error(`The program ended: ${said()}`)
  return found
}

/** Launches one that is expected to give up, and answers what it said. */
export const refusalOf = async (settings: Record<string, string>): Promise<string> => {
  const program = launchProgram(settings)
  await until('the program has given up', () => program.ended() !== null)
  return program.said()
}
