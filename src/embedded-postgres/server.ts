/**
 * The server process: its settings, its end, and its start, which retries transient errors and
 * starts over when the recovery stands still.
 */
import { setTimeout as pause } from 'node:timers/promises'

import { spawnAs, type OsAccount } from './os-account.ts'
import { choosePort, clearSocketDirectory, isFreePort, savePort, type Layout } from './layout.ts'
import type { Binaries } from './binaries.ts'
import { acceptsConnections } from './bootstrap.ts'
import { endOrphan } from './orphaned-server.ts'
import { watchProgress } from './recovery-progress.ts'
import { ownServerSetting } from './server-processes.ts'
import { failureWithOutput, type ServerLog } from './server-log.ts'
import { impatient, shutDown, type Patience } from './shutdown.ts'

export interface ServerOptions {
  /** False trades durability for speed: for tests only. */
  sync?: boolean
  report?: (step: string) => void
  settings?: Record<string, string>
}

export interface Installation {
  layout: Layout
  account: OsAccount
  binaries: Binaries
  log: ServerLog
}

export interface Server {
  pid: number
  port: number
  /** Aborted once PostgreSQL has exited, for whatever reason. */
  ended: AbortSignal
  /** Ends it within the given patience, whatever its state. */
  stop(patience: Patience): Promise<void>
}

/** For 2 to 8 cores. All other settings keep PostgreSQL's defaults. */
const serverSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_permissions: '0700',
  timezone: 'UTC',
  log_timezone: 'UTC',
  max_connections: '100',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  // The embedded PostgreSQL is built without lz4 and zstd.
  wal_compression: 'pglz',
  random_page_cost: '1.1',
  // Customer data must not reach the log: no parameters, no DETAIL lines with row contents.
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_error_verbosity: 'terse',
}

/** Commits stay synchronous, so kill -9 loses nothing, but a power cut may lose everything. */
const unsafeSettings = { fsync: 'off', full_page_writes: 'off' }

/** Errors that pass within seconds after a crash, or when another program took the port first. */
const transientErrors = [
  /lock file ".*" already exists/,
  /pre-existing shared memory block/,
  /could not create any TCP\/IP sockets/,
]
const startRetryMs = 10_000
const stallsMax = 3
/** A start after a clean shutdown is much faster. */
const reportRecoveryAfterMs = 2_000
const readyPollMs = 10

export interface StartOptions extends ServerOptions {
  /** The port of the run before, which our connections use; without it, one is chosen. */
  port?: number
  /** Aborted when nobody wants the server any more. */
  stopping: AbortSignal
}

export async function startServer(
  installation: Installation,
  options: StartOptions,
): Promise<Server> {
  const { layout, log, binaries } = installation
  const deadline = performance.now() + startRetryMs
  options.report?.('starting PostgreSQL')
  for (let stalls = 0; ;) {
    const deadPid = await endOrphan(layout.data, binaries.postgres)
    clearSocketDirectory(layout)
    const start = log.position()
    const server = await launch({ ...installation, deadPid }, options)
    const outcome = await readiness(server, layout, options)
    if (outcome === 'ready') {
      if (options.port === undefined) savePort(layout, server.port)
      return server
    }
    await server.stop(impatient)
    options.stopping.throwIfAborted()
    const output = log.since(start)
    if (outcome === 'stalled') {
      stalls += 1
      if (stalls < stallsMax) continue
      throw failureWithOutput('PostgreSQL does not get ready and does nothing:', output)
    }
    const isTransient = transientErrors.some((pattern) => pattern.test(output))
    if (!isTransient || performance.now() > deadline)
      throw failureWithOutput('PostgreSQL does not start:', output)
    await pause(50)
  }
}

async function launch(
  { layout, account, binaries, log, deadPid }: Installation & { deadPid: number | undefined },
  { sync = true, settings = {}, port: givenPort }: StartOptions,
): Promise<Server> {
  const port = givenPort ?? (await choosePort(layout))
  // Our own connections use the socket, which needs the number but not the port itself.
  const isTaken = givenPort !== undefined && !(await isFreePort(givenPort))
  const addresses = {
    port: `${port}`,
    unix_socket_directories: layout.socketDirectory,
    ...(isTaken ? { listen_addresses: '' } : {}),
  }
  const all = { ...serverSettings, ...(sync ? {} : unsafeSettings), ...settings, ...addresses }
  const assignments = Object.entries(all).map(([name, value]) => `${name}=${value}`)
  const args = [...assignments, ownServerSetting].flatMap((assignment) => ['-c', assignment])
  // PostgreSQL treats a lock file with its "grandparent's" pid as stale: this is how pg_ctl marks a
  // pid as not a PostgreSQL. It still checks shared memory for surviving backends.
  const env = deadPid === undefined ? {} : { PG_GRANDPARENT_PID: String(deadPid) }
  const child = spawnAs(account, [binaries.postgres, '-D', layout.data, ...args], {
    env: { ...binaries.env, ...env },
    output: log.fd,
  })
  const ended = new AbortController()
  child.once('exit', () => ended.abort())
  // Without a pid, the program could not be run at all.
  child.once('error', () => ended.abort())
  const pid = child.pid ?? 0
  if (child.pid === undefined) ended.abort()
  return {
    pid,
    port,
    ended: ended.signal,
    stop: (patience) => shutDown(pid, () => ended.signal.aborted, patience),
  }
}

async function readiness(
  { pid, port, ended }: Server,
  layout: Layout,
  { report, stopping }: StartOptions,
): Promise<'ready' | 'ended' | 'stalled'> {
  const recoveringAfter = performance.now() + reportRecoveryAfterMs
  const progress = watchProgress(pid)
  let isReported = false
  while (!ended.aborted && !stopping.aborted) {
    const answer = await acceptsConnections(layout, port)
    if (answer === 'yes') return 'ready'
    if (await progress.hasStalled(answer)) return 'stalled'
    if (answer === 'starting' && !isReported && performance.now() > recoveringAfter) {
      report?.('recovering after an unclean end')
      isReported = true
    }
    await pause(readyPollMs)
  }
  return 'ended'
}
