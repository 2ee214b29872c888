/** The server process: its settings, its start, which retries transient errors, and its stop. */
import { setTimeout as pause } from 'node:timers/promises'

import { spawnAs, type OsAccount } from './os-account.ts'
import { choosePort, clearSocketDirectory, savePort, type Layout } from './layout.ts'
import type { Binaries } from './binaries.ts'
import { acceptsConnections } from './bootstrap.ts'
import { endOrphan, ownServerSetting } from './orphaned-server.ts'
import { failureWithOutput, type ServerLog } from './server-log.ts'

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
  port: number
  /** Resolves when PostgreSQL has exited, for whatever reason. */
  ended: Promise<void>
  stop(): Promise<void>
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
const startMaxMs = 300_000
/** A start after a clean shutdown is much faster. */
const reportRecoveryAfterMs = 2_000
const readyPollMs = 10

export async function startServer(
  installation: Installation,
  options: ServerOptions,
): Promise<Server> {
  const { layout, log } = installation
  const deadline = Date.now() + startRetryMs
  options.report?.('starting PostgreSQL')
  for (;;) {
    const deadPid = await endOrphan(layout.data)
    clearSocketDirectory(layout)
    const start = log.position()
    const port = await choosePort(layout)
    const server = launch({ ...installation, port, deadPid }, options)
    if (await isReady(server, layout, options)) {
      savePort(layout, port)
      return server
    }
    await server.stop()
    const output = log.since(start)
    const isTransient = transientErrors.some((pattern) => pattern.test(output))
    if (!isTransient || Date.now() > deadline)
      throw failureWithOutput('PostgreSQL does not start:', output)
    await pause(50)
  }
}

interface LaunchOptions extends Installation {
  port: number
  deadPid: number | undefined
}

interface RunningServer extends Server {
  hasEnded(): boolean
}

function launch(
  { layout, account, binaries, log, port, deadPid }: LaunchOptions,
  { sync = true, settings = {} }: ServerOptions,
): RunningServer {
  const addresses = { port: `${port}`, unix_socket_directories: layout.socketDirectory }
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
  let hasEnded = false
  const ended = new Promise<void>((resolve) => {
    for (const event of ['exit', 'error']) {
      child.once(event, () => {
        hasEnded = true
        resolve()
      })
    }
  })
  return {
    port,
    hasEnded: () => hasEnded,
    ended,
    async stop() {
      if (!hasEnded) child.kill('SIGINT')
      await ended
    },
  }
}

/** True once the server accepts connections, false if it exits first. */
async function isReady(
  server: RunningServer,
  layout: Layout,
  { report }: ServerOptions,
): Promise<boolean> {
  const deadline = Date.now() + startMaxMs
  const recoveringAfter = Date.now() + reportRecoveryAfterMs
  let isReported = false
  while (!server.hasEnded()) {
    const readiness = await acceptsConnections(layout, server.port)
    if (readiness === 'yes') return true
    if (readiness === 'starting' && !isReported && Date.now() > recoveringAfter) {
      report?.('recovering after an unclean end')
      isReported = true
    }
    if (Date.now() > deadline) return false
    await pause(readyPollMs)
  }
  return false
}
