/**
 * Keeps PostgreSQL running as long as the service does: starts it again when it ends by itself,
 * takes no connections, or stands still, and never gives up. A connection that breaks meanwhile
 * answers 503 to its callers, as with any other outage of a database.
 */
import { setTimeout as pause } from 'node:timers/promises'

import { type Readiness, acceptsConnections } from './bootstrap.ts'
import { watchProgress } from './recovery-progress.ts'
import {
  startServer,
  type Installation,
  type Server,
  type ServerOptions,
  type StartOptions,
} from './server.ts'
import { impatient, patient } from './shutdown.ts'

export interface DatabaseHealth {
  /** `unreachable`: it does not answer. `recovering`: after a crash, and the recovery advances. */
  state: 'running' | 'unreachable' | 'recovering' | 'restarting'
  /** When it last entered or left the state `running`. */
  since: Date
  restarts: number
}

export interface SupervisorOptions extends ServerOptions {
  /** Called with what was wrong, each time before PostgreSQL is started again. */
  onRestart?: (fault: string) => void
  /** How long each of the probes that fail in a row may take. */
  failingProbesMs?: readonly number[]
}

export interface SupervisedServer {
  port: number
  health(): DatabaseHealth
  stop(): Promise<void>
}

const probeEveryMs = 2_000
/** After a failure, so that the third one follows soon. */
const probeAgainMs = 250
/**
 * How long each of the probes that fail in a row may take. With the last one, PostgreSQL may be as
 * slow as a machine without memory or processors for it, while one that does not react is still
 * noticed within 9 s.
 */
const probesOfServiceMs = [1_000, 1_000, 4_000]
const retryMs = 500
const retryMaxMs = 30_000
/** A probe that took so much longer than it may was delayed by ourselves. */
const ownDelayMs = 500

export async function startSupervisedServer(
  installation: Installation,
  options: SupervisorOptions,
): Promise<SupervisedServer> {
  const stop = new AbortController()
  const stopping = stop.signal
  const health: DatabaseHealth = { state: 'running', since: new Date(), restarts: 0 }
  const enter = (state: DatabaseHealth['state']): void => {
    if ((state === 'running') !== (health.state === 'running')) health.since = new Date()
    health.state = state
  }
  let server = await startServer(installation, { ...options, stopping })
  const { port } = server

  const watch = { failingProbesMs: probesOfServiceMs, ...options, installation, stopping, enter }

  const supervise = async (): Promise<void> => {
    for (;;) {
      const fault = await nextFault(server, watch)
      if (fault === undefined) return
      enter('restarting')
      options.report?.(`PostgreSQL ${fault}: starting it again (see postgres.log)`)
      options.onRestart?.(fault)
      health.restarts += 1
      const restarted = await startAgain(server, installation, { ...options, port, stopping })
      if (restarted === undefined) return
      server = restarted
      enter('running')
      options.report?.('PostgreSQL accepts connections again')
    }
  }
  const supervising = supervise()
  return {
    port,
    health: () => ({ ...health }),
    async stop() {
      stop.abort()
      await supervising
      await server.stop(patient)
    },
  }
}

const states: Readonly<Record<Readiness, DatabaseHealth['state']>> = {
  yes: 'running',
  no: 'unreachable',
  starting: 'recovering',
}

interface Watch {
  installation: Installation
  failingProbesMs: readonly number[]
  stopping: AbortSignal
  enter(state: DatabaseHealth['state']): void
}

/** Resolves with what is wrong once only a new start helps; undefined when we stop. */
async function nextFault(
  server: Server,
  { installation, failingProbesMs, stopping, enter }: Watch,
): Promise<string | undefined> {
  const over = AbortSignal.any([stopping, server.ended])
  const progress = watchProgress(server.pid)
  for (let failures = 0, isRunning = true; ;) {
    await wait(isRunning ? probeEveryMs : probeAgainMs, over)
    if (stopping.aborted) return undefined
    if (server.ended.aborted) return 'ended by itself'
    const startedAt = performance.now()
    const maxMs = failingProbesMs[failures]!
    // A new connection each time: those that are open need no postmaster, and go on without it.
    const answer = await acceptsConnections(installation.layout, server.port, maxMs)
    const isOwnDelay = performance.now() - startedAt > maxMs + ownDelayMs
    const hasStalled = await progress.hasStalled(answer)
    isRunning = answer === 'yes'
    if (answer !== 'no') failures = 0
    else if (!isOwnDelay) failures += 1
    if (stopping.aborted || server.ended.aborted) continue
    if (answer === 'starting' && hasStalled) return 'stands still'
    if (failures === failingProbesMs.length) return 'takes no connections'
    enter(states[answer])
  }
}

/** Undefined when we stop before it has started. */
async function startAgain(
  failed: Server,
  installation: Installation,
  options: StartOptions,
): Promise<Server | undefined> {
  for (let waitMs = retryMs; ; waitMs = Math.min(2 * waitMs, retryMaxMs)) {
    try {
      await failed.stop(impatient)
      return await startServer(installation, options)
    } catch (error) {
      if (options.stopping.aborted) return undefined
      options.report?.(error instanceof Error ? error.message : String(error))
      await wait(waitMs, options.stopping)
    }
  }
}

/** Ends early when the signal is aborted. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}
