/**
 * Chooses the account that PostgreSQL runs under, and ends PostgreSQL when we are killed.
 * PostgreSQL refuses to run as root, so root needs another identity for it. `--pdeathsig INT` makes
 * the kernel send PostgreSQL its "fast shutdown" when we die, even by kill -9.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, statSync } from 'node:fs'

import type { Binaries } from './binaries.ts'

export interface OsAccount {
  isRoot: boolean
  commandPrefix: string[]
  /** The owner of PostgreSQL's files, when that is not our own account. */
  fileOwnerId?: number
  /** The prefix does not end PostgreSQL when we die, so a watchdog must. */
  needsWatchdog?: boolean
}

const nobody = 65534
const parentDeathArguments = ['--pdeathsig', 'INT']

/** Candidates in order of preference. */
const accounts: OsAccount[] = [
  { isRoot: false, commandPrefix: ['setpriv', ...parentDeathArguments] },
  // macOS has no setpriv.
  { isRoot: false, commandPrefix: [], needsWatchdog: true },
  // In a user namespace PostgreSQL sees us as `nobody`, while the kernel still counts the files and
  // the process as ours. This works below a home directory that nobody else may enter.
  {
    isRoot: true,
    commandPrefix: [
      'unshare',
      '--user',
      `--map-user=${nobody}`,
      `--map-group=${nobody}`,
      'setpriv',
      ...parentDeathArguments,
    ],
  },
  // Containers often forbid user namespaces.
  {
    isRoot: true,
    commandPrefix: [
      'setpriv',
      `--reuid=${nobody}`,
      `--regid=${nobody}`,
      '--clear-groups',
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

/** Starts a program in its own session, so that Ctrl-C and a group's SIGTERM reach only us. */
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

/** One run tests the account, the binaries with their libraries, and access to the path. */
function tryAccount(account: OsAccount, binaries: Binaries, root: string): string | undefined {
  if (account.fileOwnerId !== undefined) grantTraversal(root, account.fileOwnerId)
  const script = 'cd "$1" && exec "$2" --version'
  const [command = 'sh', ...rest] = [...account.commandPrefix, 'sh', '-c', script, 'sh']
  const result = spawnSync(command, [...rest, root, binaries.postgres], {
    cwd: '/',
    env: binaries.env,
    encoding: 'utf8',
    timeout: 30_000,
  })
  if (result.status === 0) return undefined
  return result.error?.message ?? (result.stderr.trim().split('\n')[0] || `status ${result.status}`)
}

/** Lets the group pass through the directory; files in it keep their own modes. */
function grantTraversal(root: string, groupId: number): void {
  chownSync(root, -1, groupId)
  chmodSync(root, statSync(root).mode | 0o010)
}

/** Starts a shell that reads from a pipe, which closes however we die. */
function watch(child: ChildProcess, pid: number): void {
  const watchdog = spawn('sh', ['-c', 'read line; kill -INT "$1"', 'sh', String(pid)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog.unref()
  // Stop the watchdog before the pid can belong to another process.
  child.once('exit', () => watchdog.kill('SIGKILL'))
}
