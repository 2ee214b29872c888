/**
 * What the operating system tells about a running PostgreSQL: the postmaster, its children, and
 * whether they work. A child is ours if its parent is; if the postmaster is gone, a process is ours
 * if it runs our binary in our data directory, which we have locked.
 */
import { execFile } from 'node:child_process'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { promisify } from 'node:util'

export interface ServerProcess {
  pid: number
  /** The letter of ps: R runs, D waits for the disk, S waits, T is stopped. */
  state: string
  /** Changes whenever the process has run. */
  work: string
  title: string
}

/** PostgreSQL ignores this setting; it marks the command lines of the servers that we started. */
export const ownServerSetting = 'docex.embedded=on'

const isLinux = process.platform === 'linux'

/** The postmaster first, then its children; empty if it has ended. */
export async function serverProcesses(postmaster: number): Promise<ServerProcess[]> {
  if (!isLinux) return listedByPs(postmaster)
  return [postmaster, ...childrenOf(postmaster)].flatMap(processOf)
}

/** Children that outlived their postmaster. They keep its shared memory, so that none can start. */
export function leftoverProcesses(data: string, binary: string): number[] {
  if (!isLinux) return []
  return allPids().filter((pid) => {
    try {
      if (!isSame(`/proc/${pid}/cwd`, data) || !isSame(`/proc/${pid}/exe`, binary)) return false
      const title = commandOf(pid)
      return title.startsWith('postgres: ') || title.includes(ownServerSetting)
    } catch {
      // It ended meanwhile, or it is not ours to inspect.
      return false
    }
  })
}

export function signalProcesses(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** A stopped process (kill -STOP) acts on no signal but SIGKILL, and the others wait for it. */
export function resumeStopped(processes: readonly ServerProcess[]): void {
  const stopped = processes.filter(({ state }) => state === 'T')
  signalProcesses(
    stopped.map(({ pid }) => pid),
    'SIGCONT',
  )
}

function processOf(pid: number): ServerProcess[] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    const switches = readFileSync(`/proc/${pid}/status`, 'utf8').match(/ctxt_switches:\s*\d+/g)
    const [state = '', cpuTimes] = [fields[0], fields.slice(11, 13)]
    const work = [...cpuTimes, ...(switches ?? [])].join(' ')
    return [{ pid, state, work, title: commandOf(pid) }]
  } catch {
    return []
  }
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
}

function childrenOf(parent: number): number[] {
  try {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
    return children.split(' ').filter(Boolean).map(Number)
  } catch {
    // The postmaster has ended, or this kernel has no such file.
    return allPids().filter((pid) => parentOf(pid) === parent)
  }
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1])
  } catch {
    return undefined
  }
}

function allPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

function isSame(path: string, other: string): boolean {
  const [a, b] = [statSync(path), statSync(other)]
  return a.ino === b.ino && a.dev === b.dev
}

async function listedByPs(postmaster: number): Promise<ServerProcess[]> {
  const columns = ['pid=', 'ppid=', 'stat=', 'time=', 'command='].flatMap((name) => ['-o', name])
  const { stdout } = await promisify(execFile)('ps', ['-ax', ...columns])
  const processes = stdout.split('\n').flatMap((line) => {
    const [pid, parent, state = '', work = '', ...title] = line.trim().split(/\s+/)
    const isOurs = Number(pid) === postmaster || Number(parent) === postmaster
    return isOurs ? [{ pid: Number(pid), state: state[0]!, work, title: title.join(' ') }] : []
  })
  return processes.toSorted((a, b) => Number(b.pid === postmaster) - Number(a.pid === postmaster))
}
