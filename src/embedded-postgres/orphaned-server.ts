/**
 * Shuts down a PostgreSQL whose owner has died. We hold the lock, so a server that still runs is an
 * orphan: it is already shutting down, or we signal it to. PostgreSQL has its own guard
 * (postmaster.pid and shared memory). We never remove that file; we only pass PostgreSQL a pid that
 * is certainly not a PostgreSQL.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * gone: no such process, or not of our account. dead: a zombie, or a pid that now belongs to
 * another program. orphan: a PostgreSQL that we started for this directory. foreign: a PostgreSQL
 * of this directory that we did not start.
 */
type ProcessState = 'gone' | 'dead' | 'orphan' | 'foreign'

const shutdownWaitMs = 10_000

export function postmasterPid(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

/** Ends the server of the last run. Returns the pid in postmaster.pid if it is provably dead. */
export async function endOrphan(data: string): Promise<number | undefined> {
  const deadline = Date.now() + shutdownWaitMs
  for (let isSignalled = false; ; await pause(20)) {
    const pid = postmasterPid(data)
    if (pid === undefined) return undefined
    const state = inspectProcess(pid, data)
    if (state === 'gone') return undefined
    if (state === 'dead') return pid
    if (state === 'foreign' || Date.now() > deadline) {
      throw new Error(`The data directory ${data} is in use by PostgreSQL, process ${pid}.`)
    }
    if (!isSignalled) process.kill(pid, 'SIGINT')
    isSignalled = true
  }
}

/** PostgreSQL ignores this setting; it marks the command lines of the servers that we started. */
export const ownServerSetting = 'docex.embedded=on'

function inspectProcess(pid: number, data: string): ProcessState {
  try {
    return process.platform === 'linux' ? inspectProc(pid, data) : inspectPs(pid, data)
  } catch {
    // The process does not exist or we may not inspect it: PostgreSQL's own guard decides.
    return 'gone'
  }
}

function inspectProc(pid: number, data: string): ProcessState {
  const state = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0]
  if (state === 'Z' || state === 'X') return 'dead'
  // A postmaster's working directory is its data directory.
  const [directory, cwd] = [statSync(data), statSync(`/proc/${pid}/cwd`)]
  if (directory.ino !== cwd.ino || directory.dev !== cwd.dev) return 'dead'
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(ownServerSetting)
    ? 'orphan'
    : 'foreign'
}

function inspectPs(pid: number, data: string): ProcessState {
  const options = ['-o', 'stat=', '-o', 'command=', '-p', String(pid)]
  const line = execFileSync('ps', options, { encoding: 'utf8' }).trim()
  if (line.startsWith('Z') || !line.includes('postgres')) return 'dead'
  return line.includes(data) && line.includes(ownServerSetting) ? 'orphan' : 'foreign'
}
