/**
 * The PostgreSQL of an owner that is gone. We hold the lock, so what still runs has lost its owner:
 * it is ending by itself, or it is asked to. PostgreSQL keeps its own guard (postmaster.pid and
 * shared memory); we never remove its file, we only tell it which pid is certainly no PostgreSQL.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * gone: no such process, or none of our account. dead: a zombie, or a number that now belongs to
 * some other program. orphan: started by us for this directory. foreign: a PostgreSQL here that we
 * did not start.
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

/**
 * Ends what is left of the last run. Returns the pid in postmaster.pid when it is provably dead.
 */
export async function endOrphan(data: string): Promise<number | undefined> {
  const deadline = Date.now() + shutdownWaitMs
  for (let isSignalled = false; ; await pause(20)) {
    const pid = postmasterPid(data)
    if (pid === undefined) return undefined
    const finding = inspectProcess(pid, data)
    if (finding === 'gone') return undefined
    if (finding === 'dead') return pid
    if (finding === 'foreign' || Date.now() > deadline) {
      throw new Error(`The data directory ${data} is in use by PostgreSQL, process ${pid}.`)
    }
    if (!isSignalled) process.kill(pid, 'SIGINT')
    isSignalled = true
  }
}

/** A setting that means nothing to PostgreSQL: by it the command lines of our servers are known. */
export const ownServerSetting = 'docex.embedded=on'

function inspectProcess(pid: number, data: string): ProcessState {
  try {
    return process.platform === 'linux' ? inspectProc(pid, data) : inspectPs(pid, data)
  } catch {
    // There is no such process, or we may not look at it: PostgreSQL's own guard decides.
    return 'gone'
  }
}

function inspectProc(pid: number, data: string): ProcessState {
  const state = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0]
  if (state === 'Z' || state === 'X') return 'dead'
  // A postmaster's working directory is its data directory.
  const [here, there] = [statSync(data), statSync(`/proc/${pid}/cwd`)]
  if (here.ino !== there.ino || here.dev !== there.dev) return 'dead'
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
