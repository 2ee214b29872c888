/**
 * Under which account PostgreSQL runs, and what ends it when we are killed.
 * PostgreSQL refuses to run as root, so root needs another identity for it. `--pdeathsig INT` makes
 * the kernel send PostgreSQL its "fast shutdown" when we die, even by kill -9.
 */
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, statSync } from 'node:fs'

import type { Binaries } from './binaries.ts'

export interface OsAccount {
  isRoot: boolean
  commandPrefix: string[]
  /** Who has to own PostgreSQL's files, when that is not the account we run under. */
  fileOwnerId?: number
  /** True when nothing in the prefix ends PostgreSQL with us, so that a watchdog has to. */
  needsWatchdog?: boolean
}

const nobody = 65534
const parentDeathArguments = ['--pdeathsig', 'INT']

/** The first one that works here is taken. */
const accounts: OsAccount[] = [
  { isRoot: false, commandPrefix: ['setpriv', ...parentDeathArguments] },
  // macOS has no setpriv.
  { isRoot: false, commandPrefix: [], needsWatchdog: true },
  // In a user namespace we look like `nobody` to PostgreSQL, while to the kernel the files and the
  // process stay ours: this works below a home directory that nobody else may enter.
  {
    isRoot: true,
    commandPrefix: [
      ...['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`],
      ...['setpriv', ...parentDeathArguments],
    ],
  },
  // Containers often forbid user namespaces.
  {
    isRoot: true,
    commandPrefix: [
      ...['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'],
      ...parentDeathArguments,
    ],
    fileOwnerId: nobody,
  },
]

export function chooseAccount(binaries: Binaries, root: string): OsAccount {
  const isRoot = process.getuid?.() === 0
  const failures: string[] = []
  for (const account of accounts.filter((candidate) => candidate.isRoot === isRoot)) {
    const failure = tryAccount(account, binaries, root)
    if (failure === undefined) return account
    failures.push(failure)
  }
  throw new Error(
    `The embedded PostgreSQL cannot run here (${failures.join('; ')}): ` +
      `${isRoot ? 'start the service as an ordinary user, or ' : ''}set DATABASE_URL.`,
  )
}

/** Starts a program in a session of its own, so that Ctrl-C and a group's SIGTERM reach only us. */
export function spawnAs(
  account: OsAccount,
  [program, ...args]: [string, ...string[]],
  { env, output }: { env: Record<string, string>; output: number },
): ChildProcess {
  const [command = program, ...rest] = [...account.commandPrefix, program, ...args]
  const options = { cwd: '/', detached: true, env }
  const child = spawn(command, rest, { ...options, stdio: ['ignore', output, output] })
  if (account.needsWatchdog && child.pid !== undefined) watch(child, child.pid)
  return child
}

/** One run answers three questions: the account, the binaries with their libraries, the paths. */
function tryAccount(account: OsAccount, binaries: Binaries, root: string): string | undefined {
  if (account.fileOwnerId !== undefined) grantTraversal(root, account.fileOwnerId)
  const script = 'cd "$1" && exec "$2" --version'
  const [command = 'sh', ...rest] = [...account.commandPrefix, 'sh', '-c', script, 'sh']
  const found = spawnSync(command, [...rest, root, binaries.postgres], {
    cwd: '/',
    env: binaries.env,
    encoding: 'utf8',
    timeout: 30_000,
  })
  if (found.status === 0) return undefined
  return found.error?.message ?? (found.stderr.trim().split('\n')[0] || `status ${found.status}`)
}

/** The group alone gets the right to pass through; files in there keep their own modes. */
function grantTraversal(root: string, groupId: number): void {
  chownSync(root, -1, groupId)
  chmodSync(root, statSync(root).mode | 0o010)
}

/** A shell that holds the other end of a pipe: the pipe closes when we die, however we die. */
function watch(child: ChildProcess, pid: number): void {
  const watchdog = spawn('sh', ['-c', 'read line; kill -INT "$1"', 'sh', String(pid)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog.unref()
  // Before the number can belong to another process.
  child.once('exit', () => watchdog.kill('SIGKILL'))
}
