/**
 * Runs src/main.ts as a process, and operators' commands, as npm does, with only the given
 * settings. A started service cannot outlive its test.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { after } from 'node:test'
import { runCommandLine } from '../../../scripts/admin/command-line.ts'
import { runService } from '../../../src/main.ts'
import { keysDirOf } from '../database/postgres.ts'
import { type TestService, serverKey } from '../test-service.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { until } from '../until.ts'

export interface Program {
  /** The output so far, of both streams. */
  output(): string
  /** The exit code or signal; null while it runs. */
  exitStatus(): number | string | null
  /** Sends SIGTERM, and waits for the end. */
  stop(): Promise<void>
}

/** A program in a process of its own. */
export interface LaunchedProgram extends Program {
  child: ChildProcess
}

const serviceScript = join(import.meta.dirname, '../../../src/main.ts')
const adminScript = join(import.meta.dirname, '../../../scripts/admin.ts')
const cache = process.env['NODE_COMPILE_CACHE']
/** The only variables that a child inherits from the tests. */
export const inheritedEnvironment = {
  PATH: process.env['PATH'] ?? '',
  // Where a service remembers its databases.
  HOME: temporaryFolder(),
  ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: resolve(cache) }),
}

export const launchProgram = (settings: Record<string, string>): LaunchedProgram => {
  const program = startProgram(settings)
  after(() => endProgram(program))
  return program
}

export const endProgram = async ({ child, exitStatus }: LaunchedProgram): Promise<void> => {
  child.kill('SIGKILL')
  await until('the program has ended', () => exitStatus() !== null)
}

const startProgram = (settings: Record<string, string>): LaunchedProgram =>
  startScript([serviceScript], { PORT: '0', ...settings })

/** An operator's command in a process of its own, which can be killed. */
export const launchAdmin = (
  args: readonly string[],
  settings: Record<string, string>,
): LaunchedProgram => {
  const program = startScript([adminScript, ...args], settings)
  after(() => endProgram(program))
  return program
}

const startScript = (
  args: readonly string[],
  settings: Record<string, string>,
): LaunchedProgram => {
  const env = { ...inheritedEnvironment, ...settings }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part))
  const program = {
    child,
    output: () => output,
    exitStatus: () => child.exitCode ?? child.signalCode,
    stop: async () => {
      child.kill('SIGTERM')
      await until('the program has ended', () => program.exitStatus() !== null)
    },
  }
  return program
}

/** Runs the program in this process until the end of the test, or of the file outside of tests. */
export const runProgram = (settings: Record<string, string>): Program => {
  const program = beginProgram(settings)
  after(program.stop)
  return program
}

/**
 * Runs the program in this process, which saves the seconds in which a process loads its code. Its
 * home directory is that of the tests: set ROLLBACK_GUARD_DIR unless there is a DATABASE_URL.
 * Whoever begins it stops it.
 */
export const beginProgram = (settings: Record<string, string>): Program => {
  const { promise: signal, resolve: interrupt } = Promise.withResolvers<string>()
  let output = ''
  let exitCode: number | null = null
  const write = (text: string): void => void (output += text)
  const run = async (): Promise<void> => {
    const env = { ...inheritedEnvironment, PORT: '0', ...settings }
    exitCode = await runService({ stdout: write, stderr: write }, () => signal, env)
  }
  const ended = run()
  const stop = (): Promise<void> => {
    interrupt('SIGTERM')
    return ended
  }
  return { output: () => output, exitStatus: () => exitCode, stop }
}

/** Waits until the program is ready, and returns its address. */
export const readyAddress = async ({ output, exitStatus }: Program): Promise<string> => {
  const addressIn = () => /ready on (\S+)/.exec(output())?.[1]
  await until('the program is ready', () => addressIn() !== undefined || exitStatus() !== null)
  const address = addressIn()
  if (address === undefined) throw new Error(`The program ended: ${output()}`)
  return address
}

/** A step that fails is named, with what the program said last: a log may be all there is. */
export const stepsOf =
  (output: () => string) =>
  async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const said = `${step}: ${reason}\nThe program has said:\n${output().slice(-4_000)}`
      throw new Error(said, { cause: error })
    }
  }

/** The output of a program that is expected to fail at startup. */
export const startupErrorOf = async (
  settings: Record<string, string>,
  start: (settings: Record<string, string>) => Program = launchProgram,
): Promise<string> => {
  const program = start(settings)
  await until('the program has exited', () => program.exitStatus() !== null)
  return program.output()
}

export interface CommandResult {
  exitCode: number
  stdout: string
  stderr: string
}

/** Runs an operator's command as `npm run admin` does, with only the given settings. */
export const runAdmin = async (
  args: readonly string[],
  settings: Record<string, string>,
  input = '',
): Promise<CommandResult> => {
  let [stdout, stderr] = ['', '']
  const exitCode = await runCommandLine(args, {
    settings: { ...inheritedEnvironment, ...settings },
    readInput: async () => input,
    write: (output) => (stdout += output),
    writeError: (output) => (stderr += output),
  })
  return { exitCode, stdout, stderr }
}

/** Runs a command while the service of this process continues to use the log. */
export const runAdminOnService = async (
  {
    databaseUrl,
    keysDir = keysDirOf(databaseUrl),
  }: Pick<TestService, 'databaseUrl'> & { keysDir?: string },
  ...args: string[]
): Promise<{ exitCode: number; output: string }> => {
  const { exitCode, stdout, stderr } = await runAdmin(args, {
    DATABASE_URL: databaseUrl,
    SERVER_KEY: serverKey,
    PROVENANCE_KEYS_DIR: keysDir,
  })
  return { exitCode, output: stdout + stderr }
}
