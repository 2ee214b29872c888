/**
 * PostgreSQL as a part of this process: started by it, stopped by it, gone when it is killed.
 * Invariants: a data directory has one owner at a time (lock.ts); it is whole or absent
 * (directory.ts); whatever kills us or PostgreSQL, the next start needs nobody's help.
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
import { startServer } from './server.ts'
import type { ServerOptions } from './server.ts'

export interface ClusterOptions extends ServerOptions {
  dataDir: string
  /** Called when the directory is ours and nothing is made in it yet; its error ends the start. */
  check?: () => Promise<void>
}

export interface Cluster {
  /** For this process: Unix socket, superuser, database `docex`; for node-postgres and libpq. */
  url: string
  /** For developers and their tools: loopback TCP with a password. */
  loopbackUrl: string
  /** Resolves when PostgreSQL is gone, asked to or not. */
  ended: Promise<void>
  /** Stops PostgreSQL and waits for its end: open transactions are rolled back. Idempotent. */
  stop(): Promise<void>
}

/** Call it from the main thread: PostgreSQL ends with the thread that started it. */
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

async function startLocked(root: string, options: ServerOptions): Promise<Cluster> {
  const binaries = findBinaries(root)
  const account = chooseAccount(binaries, root)
  const layout = layoutOf(root)
  const log = openServerLog(layout.log)
  try {
    const installation = { layout, account, binaries, log }
    await createDataDirectory(installation, options)
    makeSocketDirectory(layout, account)
    const server = await startServer(installation, options)
    try {
      const password = await prepareDatabase(layout, server.port)
      return {
        url: socketUrl(layout, server.port),
        loopbackUrl: loopbackUrl(password, server.port),
        ended: server.ended,
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
