/** Processes that tests kill: a service, and a PostgreSQL that runs with sync. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { type Cluster, startCluster } from '../../../src/embedded-postgres/cluster.ts'
import { openRowSeals } from '../../../src/database/row-seals.ts'
import { openKeyring } from '../../../src/startup/keyring.ts'
import { Connection, type SqlQuery } from '../../../src/database/sql.ts'
import { keysDirOf } from '../database/postgres.ts'
import { migratedDataDir } from '../database/server-template.ts'
import { inheritedEnvironment } from './program.ts'
import { openTestConnection } from '../database/test-connection.ts'

export interface CrashableCluster {
  url(): string
  loopbackUrl(): string
  /** Queries on a new connection, since others may have been killed. */
  rows<R>(query: SqlQuery): Promise<R[]>
  isUp(): Promise<boolean>
  /** Kills the postmaster with SIGKILL, then starts a cluster in the same directory. */
  crash(): Promise<void>
  /** Opens a connection, which a crash breaks. */
  connect(): Promise<Connection>
}

/** Starts a cluster with sync, as in production; it stops when the test file ends. */
export const startCrashableCluster = async (): Promise<CrashableCluster> => {
  const dataDir = await migratedDataDir()
  let cluster: Cluster = await startCluster({ dataDir })
  after(() => cluster.stop())
  const { seals: keys } = await openKeyring({ serverKey: killableServerKey, dataDir })
  const seals = openRowSeals(keys)
  const connect = () => openTestConnection(cluster.url, 'docex test', { seals })
  return {
    url: () => cluster.url,
    loopbackUrl: () => cluster.loopbackUrl,
    connect,
    rows: async (query) => {
      const connection = await connect()
      try {
        return await connection.rows(query)
      } finally {
        await connection.close()
      }
    },
    isUp: () =>
      connect().then(
        (connection) => connection.close().then(() => true),
        () => false,
      ),
    crash: async () => {
      const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
      process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGKILL')
      await cluster.stop()
      cluster = await startCluster({ dataDir })
    },
  }
}

export const killableServerKey = 'server key of killable services, 32 chars'

export interface KillableService {
  baseUrl: string
  /** The CPU time of its process so far. */
  cpuMs(): Promise<number>
  /** Sends SIGKILL. */
  kill(): Promise<void>
}

export const startKillableService = async (
  databaseUrl: string,
  more: Record<string, string> = {},
): Promise<KillableService> => {
  const settings = {
    DATABASE_URL: databaseUrl,
    SERVER_KEY: killableServerKey,
    RATE_LIMITS: 'off',
    PORT: '0',
    ...more,
    PROVENANCE_KEYS_DIR: keysDirOf(databaseUrl),
  }
  const child: ChildProcess = fork(join(import.meta.dirname, 'service-process.ts'), {
    env: { ...inheritedEnvironment, ...settings },
    execArgv: [],
  })
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  after(kill)
  const [{ port }] = await once(child, 'message')
  const cpuMs = async (): Promise<number> => {
    const answered = once(child, 'message')
    child.send('cpu')
    const [{ cpuMs: soFar }] = await answered
    return soFar
  }
  return { baseUrl: `http://127.0.0.1:${port}`, cpuMs, kill }
}
