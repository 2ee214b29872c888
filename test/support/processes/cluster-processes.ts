/** Child processes that own clusters, and queries about processes of this machine. */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { Client } from 'pg'

import { migratedDataDir } from '../database/server-template.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { stuckAfterMs } from '../until.ts'

const clusterScript = join(import.meta.dirname, 'cluster-process.ts')

export const isRoot = process.getuid?.() === 0
export const isLinux = process.platform === 'linux'
export const ordinaryUserId = 1000

export interface ClusterProcess {
  child: ChildProcess
  steps: string[]
  url: string | undefined
  loopbackUrl: string | undefined
  refused: string | undefined
}

export interface ClusterProcessOptions {
  dataDir: string
  sync?: boolean
  settings?: Record<string, string>
  /** Programs that fail for the child, as if the machine did not have them. */
  brokenPrograms?: string[]
  asUserId?: number
}

/** Launches an owner without waiting, so a test can kill it at any moment. */
export function launch({
  brokenPrograms = [],
  asUserId,
  ...options
}: ClusterProcessOptions): ClusterProcess {
  const command = [process.execPath, clusterScript, JSON.stringify({ sync: false, ...options })]
  const identity = [`--reuid=${asUserId}`, `--regid=${asUserId}`, '--clear-groups']
  if (asUserId !== undefined) command.unshift('setpriv', ...identity)
  const [program = '', ...args] = command
  const env = { ...process.env, PATH: pathWithout(brokenPrograms) }
  // Uses our own PATH, since the child's may lack the program.
  const launcher = asUserId === undefined ? program : findProgram(program)
  const child = spawn(launcher, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const owner: ClusterProcess = {
    child,
    steps: [],
    url: undefined,
    loopbackUrl: undefined,
    refused: undefined,
  }
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { step, ...rest } = JSON.parse(line)
    if (step === undefined) Object.assign(owner, rest)
    else owner.steps.push(step)
  })
  after(() => kill(owner))
  return owner
}

/** Launches an owner and waits until its cluster is ready. */
export async function start(
  options: ClusterProcessOptions,
): Promise<ClusterProcess & { url: string }> {
  const owner = launch(options)
  await until('the owner is ready', () => owner.url !== undefined || hasEnded(owner))
  if (owner.url === undefined) throw new Error(`The owner ended: ${owner.refused}`)
  return { ...owner, url: owner.url }
}

/** Launches an owner that is expected to be refused, and returns the reason. */
export async function refusal(options: ClusterProcessOptions): Promise<string> {
  const owner = launch(options)
  await until('the owner is refused', () => hasEnded(owner) || owner.url !== undefined)
  await kill(owner)
  return owner.refused ?? ''
}

export async function stop(owner: ClusterProcess): Promise<void> {
  owner.child.stdin?.end()
  await until('the owner has stopped', () => hasEnded(owner))
}

export async function kill(owner: ClusterProcess): Promise<void> {
  if (!hasEnded(owner)) owner.child.kill('SIGKILL')
  await until('the owner is dead', () => hasEnded(owner))
}

function hasEnded({ child }: ClusterProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

export async function query(url: string, text: string): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query({ text, rowMode: 'array' })
    return rows.map((row) => row.join('|')).join('\n')
  } finally {
    await client.end()
  }
}

/** Waits for a condition, never for a fixed time. */
export async function until(description: string, isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + stuckAfterMs
  while (!isTrue()) {
    if (Date.now() > deadline)
      throw new Error(`Waited ${stuckAfterMs} ms in vain until ${description}.`)
    await pause(2)
  }
}

const directories: string[] = []

/** A temporary directory; the test file ends only when no process runs in it any more. */
export function temporaryDirectory(userId?: number): string {
  const path = temporaryFolder()
  if (userId !== undefined) chownSync(path, userId, userId)
  directories.push(path)
  return path
}

/** One in which a cluster starts without initdb, where that is not what is tested. */
export const initializedDirectory = async (): Promise<string> => {
  const path = await migratedDataDir()
  directories.push(path)
  return path
}

after(async () => {
  for (const path of directories) {
    await until(`nothing runs in ${path}`, () => processesOf(path).length === 0)
  }
})

export function postmasterPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
}

export function hasPidFile(dataDir: string): boolean {
  return existsSync(join(dataDir, 'postgres', 'postmaster.pid'))
}

export function isAlive(pid: number): boolean {
  if (isLinux) return existsSync(`/proc/${pid}/stat`) && !isZombie(pid)
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

/** Stops a process again whenever somebody resumes it, until it is dead. */
export function keepStopped(pid: number): void {
  const timer = setInterval(() => {
    try {
      process.kill(pid, 'SIGSTOP')
    } catch {
      clearInterval(timer)
    }
  }, 1)
  process.kill(pid, 'SIGSTOP')
  after(() => clearInterval(timer))
}

/** The children of a PostgreSQL with such a title (Linux only). */
export function childrenOf(postmaster: number, title: RegExp): number[] {
  try {
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
    const pids = children.split(' ').filter(Boolean).map(Number)
    return pids.filter((pid) => title.test(commandLine(pid)))
  } catch {
    return []
  }
}

/** Every initdb and PostgreSQL process whose command line names the directory (Linux only). */
export function processesOf(directory: string): number[] {
  if (!isLinux) return []
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const isOurs = (line: string) => line.includes(directory) && !line.includes(clusterScript)
  return pids.filter((pid) => isOurs(commandLine(pid))).map(Number)
}

export function commandLine(pid: string | number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** A PATH where these programs exist but fail. */
function pathWithout(programs: string[]): string {
  const path = process.env['PATH'] ?? ''
  if (programs.length === 0) return path
  const directory = temporaryDirectory()
  chmodSync(directory, 0o755)
  for (const name of programs) fakeProgram(directory, name, 'exit 1')
  return directory + delimiter + path
}

export function fakeProgram(directory: string, name: string, script: string): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

function findProgram(name: string): string {
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((path) => join(path, name))
  const program = paths.find((path) => existsSync(path))
  if (program === undefined) throw new Error(`${name} is not on the PATH.`)
  return program
}
