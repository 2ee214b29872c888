/**
 * src/main.ts and scripts/admin.ts as processes of their own, as npm runs them, with no setting but
 * what is given. A started service cannot outlive its test.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { type Running, serverKey, until } from '../service.ts'

export interface Program {
  child: ChildProcess
  /** What it wrote so far, to both streams. */
  said(): string
  /** Null while it runs; a signal's name if one ended it. */
  ended(): number | string | null
}

const main = join(import.meta.dirname, '../../../src/main.ts')
const operator = join(import.meta.dirname, '../../../scripts/admin.ts')
const cache = process.env['NODE_COMPILE_CACHE']
/** All that a child takes from the environment of the tests. */
export const inherited = {
  PATH: process.env['PATH'] ?? '',
  ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: resolve(cache) }),
}

export const launchProgram = (settings: Record<string, string>): Program => {
  const env = { ...inherited, PORT: '0', ...settings }
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part))
  const program = { child, said: () => said, ended: () => child.exitCode ?? child.signalCode }
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

export interface Ended {
  code: number
  out: string
  err: string
}

/** An operator's command, from its start to its end. */
export const runAdmin = async (
  args: readonly string[],
  settings: Record<string, string>,
  input = '',
): Promise<Ended> => {
  const child = spawn(process.execPath, [operator, ...args], { env: { ...inherited, ...settings } })
  child.stdin.end(input)
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, out, err }
}

/** Beside the service of this process, which goes on with the log meanwhile. */
export const adminIn = async (
  keysDir: string,
  { databaseUrl }: Pick<Running, 'databaseUrl'>,
  ...args: string[]
): Promise<{ status: number; said: string }> => {
  const { code, out, err } = await runAdmin(args, {
    DATABASE_URL: databaseUrl,
    SERVER_KEY: serverKey,
    PROVENANCE_KEYS_DIR: keysDir,
  })
  return { status: code, said: out + err }
}
