/** Processes to be killed: one of the service, and one PostgreSQL that keeps what it confirmed. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { type Cluster, startCluster } from '../../../src/embedded-postgres/cluster.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { keysDirOf } from '../database/postgres.ts'
import { inheritedEnvironment } from './program.ts'
import { Connection, type SqlQuery } from '../../../src/database/sql.ts'

export interface CrashableCluster {
  url(): string
  loopbackUrl(): string
  /** On a connection of its own: others may have been killed. */
  rows<R>(query: SqlQuery): Promise<R[]>
  isUp(): Promise<boolean>
  /** kill -9 of the postmaster, then a start on the same directory. */
  crash(): Promise<void>
  /** A connection that outlives no crash. */
  connect(): Promise<Connection>
}

/** With sync, as in production; it ends with the test file. */
export const startCrashableCluster = async (): Promise<CrashableCluster> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'docex-faults-'))
  let cluster: Cluster = await startCluster({ dataDir })
  after(async () => {
    await cluster.stop()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
  })
  await migrate(cluster.url)
  const connect = () => Connection.open(cluster.url, 'docex test')
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

export const killableServerKey = 'server key of the victims, 32 characters'

export interface KillableService {
  baseUrl: string
  /** kill -9. */
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
  return { baseUrl: `http://127.0.0.1:${port}`, kill }
}
