/**
 * Shuts down a PostgreSQL whose owner has died. We hold the lock, so a server that still runs is an
 * orphan: it is already shutting down, or we make it. PostgreSQL has its own guard (postmaster.pid
 * and shared memory). We never remove that file; we only pass PostgreSQL a pid that is certainly
 * not a PostgreSQL.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { leftoverProcesses, ownServerSetting, signalProcesses } from './server-processes.ts'
import { shutDown, type Patience } from './shutdown.ts'

/**
 * gone: no such process, or not of our account. dead: a zombie, or a pid that now belongs to
 * another program. orphan: a PostgreSQL that we started for this directory. foreign: a PostgreSQL
 * of this directory that we did not start.
 */
type ProcessState = 'gone' | 'dead' | 'orphan' | 'foreign'

/** Its owner's death made it shut down already, and a start waits for it. */
const orphanPatience: Patience = { fastMs: 4_000, immediateMs: 1_000 }

export function postmasterPid(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

/**
 * Ends the server of the last run, and the children that it left behind. Returns the pid in
 * postmaster.pid if it is provably dead.
 */
export async function endOrphan(data: string, binary: string): Promise<number | undefined> {
  const pid = postmasterPid(data)
  const state = () => (pid === undefined ? 'gone' : inspectProcess(pid, data))
  if (state() === 'foreign') {
    throw new Error(`The data directory ${data} is in use by PostgreSQL, process ${pid}.`)
  }
  if (pid !== undefined) await shutDown(pid, () => state() !== 'orphan', orphanPatience)
  signalProcesses(leftoverProcesses(data, binary), 'SIGKILL')
  return postmasterPid(data) === pid && state() === 'dead' ? pid : undefined
}

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
