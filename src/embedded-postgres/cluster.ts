/**
 * Runs PostgreSQL as part of this process: it starts, stops and dies with us, and what happens to
 * it alone is mended (supervisor.ts).
 * Invariants: a data directory has one owner at a time (directory-lock.ts), and it is complete or
 * absent (data-directory.ts); whatever kills us or PostgreSQL, the next start recovers by itself.
 */
import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'

import { chooseAccount } from './os-account.ts'
import { layoutOf, loopbackUrl, makeSocketDirectory, socketUrl } from './layout.ts'
import { findBinaries } from './binaries.ts'
import { prepareDatabase } from './bootstrap.ts'
import { createDataDirectory } from './data-directory.ts'
import { lockDataDirectory } from './directory-lock.ts'
import { openServerLog } from './server-log.ts'
import { startSupervisedServer, type DatabaseHealth, type SupervisorOptions } from './supervisor.ts'

export interface ClusterOptions extends SupervisorOptions {
  dataDir: string
  /** Runs once the directory is locked and before anything is created in it; may throw. */
  check?: () => Promise<void>
}

export interface Cluster {
  /** For this process: Unix socket, superuser, database `docex`; for node-postgres and libpq. */
  url: string
  /** For developers and their tools: loopback TCP with a password. */
  loopbackUrl: string
  health(): DatabaseHealth
  /** Stops PostgreSQL, rolls back open transactions and waits for the exit. Idempotent. */
  stop(): Promise<void>
}

/** Must run on the main thread: PostgreSQL ends with the thread that started it. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  mkdirSync(resolve(options.dataDir), { recursive: true, mode: 0o700 })
  const root = realpathSync(options.dataDir)
  const unlock = lockDataDirectory(root)
  try {
    await options.check?.()
    const cluster = await startLocked(root, options)
    let stopped: Promise<void> | undefined
    return { ...cluster, stop: () => (stopped ??= cluster.stop().finally(unlock)) }
  } catch (error) {
    unlock()
    throw error
  }
}

async function startLocked(root: string, options: SupervisorOptions): Promise<Cluster> {
  const binaries = findBinaries(root)
  const account = chooseAccount(binaries, root)
  const layout = layoutOf(root)
  const log = openServerLog(layout.log)
  try {
    const installation = { layout, account, binaries, log }
    await createDataDirectory(installation, options)
    makeSocketDirectory(layout, account)
    const server = await startSupervisedServer(installation, options)
    try {
      const password = await prepareDatabase(layout, server.port)
      return {
        url: socketUrl(layout, server.port),
        loopbackUrl: loopbackUrl(password, server.port),
        health: server.health,
        async stop() {
          await server.stop()
          log.close()
          if (layout.isSocketElsewhere) rmSync(layout.socketDirectory, { recursive: true })
        },
      }
    } catch (error) {
      await server.stop()
      throw error
    }
  } catch (error) {
    log.close()
    throw error
  }
}
