/**
 * src/main.ts and scripts/admin.ts as processes of their own, as npm runs them, with no setting but
 * what is given. A started service cannot outlive its test.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { type TestService, serverKey, until } from '../service.ts'

export interface Program {
  child: ChildProcess
  /** What it wrote so far, to both streams. */
  output(): string
  /** Null while it runs; a signal's name if one ended it. */
  exitStatus(): number | string | null
}

const serviceScript = join(import.meta.dirname, '../../../src/main.ts')
const adminScript = join(import.meta.dirname, '../../../scripts/admin.ts')
const cache = process.env['NODE_COMPILE_CACHE']
/** All that a child takes from the environment of the tests. */
export const inheritedEnvironment = {
  PATH: process.env['PATH'] ?? '',
  ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: resolve(cache) }),
}

export const launchProgram = (settings: Record<string, string>): Program => {
  const env = { ...inheritedEnvironment, PORT: '0', ...settings }
  const child = spawn(process.execPath, [serviceScript], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part))
  const program = {
    child,
    output: () => output,
    exitStatus: () => child.exitCode ?? child.signalCode,
  }
  after(async () => {
    child.kill('SIGKILL')
    await until('the program has ended', () => program.exitStatus() !== null)
  })
  return program
}

/** The address on which it answers. */
export const readyAddress = async ({ output, exitStatus }: Program): Promise<string> => {
  const address = () => /ready on (\S+)/.exec(output())?.[1]
  await until('the program is ready', () => address() !== undefined || exitStatus() !== null)
  const found = address()
  if (found === undefined) throw new Error(`The program ended: ${output()}`)
  return found
}

/** Launches one that is expected to give up, and answers what it said. */
export const startupErrorOf = async (settings: Record<string, string>): Promise<string> => {
  const program = launchProgram(settings)
  await until('the program has given up', () => program.exitStatus() !== null)
  return program.output()
}

export interface CommandResult {
  exitCode: number
  stdout: string
  stderr: string
}

/** An operator's command, from its start to its end. */
export const runAdmin = async (
  args: readonly string[],
  settings: Record<string, string>,
  input = '',
): Promise<CommandResult> => {
  const child = spawn(process.execPath, [adminScript, ...args], {
    env: { ...inheritedEnvironment, ...settings },
  })
  child.stdin.end(input)
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)))
  const [stdout, stderr, exitCode] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ])
  return { exitCode, stdout, stderr }
}

/** Beside the service of this process, which goes on with the log meanwhile. */
export const runAdminBeside = async (
  keysDir: string,
  { databaseUrl }: Pick<TestService, 'databaseUrl'>,
  ...args: string[]
): Promise<{ status: number; said: string }> => {
  const { exitCode, stdout, stderr } = await runAdmin(args, {
    DATABASE_URL: databaseUrl,
    SERVER_KEY: serverKey,
    PROVENANCE_KEYS_DIR: keysDir,
  })
  return { status: exitCode, said: stdout + stderr }
}
