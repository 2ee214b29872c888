/**
 * /healthz: the process is alive, and so is the PostgreSQL that it runs. /readyz: it has finished
 * its start, the database is reachable, can be written and has the schema of this build, and the
 * folder of the log keys works. /metrics: Prometheus text. None of them needs a credential.
 */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import { limits } from '../../contract/limits.ts'
import { knownMigrations } from '../../database/migrate.ts'
import { sql } from '../../database/sql.ts'
import { isContention, isReadOnly } from '../../engine/database-failures.ts'
import { isPrimary } from '../../store/server-keys.ts'
import { openExchange } from '../exchange.ts'
import { send } from '../respond.ts'
import type { Page } from './page.ts'

interface HealthResponse {
  status: number
  headers: Record<string, string>
  body: string
}

const jsonResponse = (status: number, value: unknown): HealthResponse => ({
  status,
  headers: {
    'Content-Type': 'application/json; charset=utf-8',
    ...(status === 503 ? { 'Retry-After': '1' } : {}),
  },
  body: JSON.stringify(value),
})

const healthChecks: Record<string, (context: Context) => Promise<HealthResponse>> = {
  '/healthz': async (context) => liveness(context),
  '/readyz': async (context) => {
    const lifecycle = context.lifecycle()
    const problem = lifecycle === 'serving' ? await sharedDatabaseProblem(context) : lifecycle
    return problem === undefined
      ? jsonResponse(200, { status: 'ready' })
      : jsonResponse(503, { status: 'not_ready', reason: problem })
  },
  '/metrics': async (context) => ({
    status: 200,
    headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
    body: context.metrics.text(),
  }),
}

/**
 * Fails only when the launcher did not mend its PostgreSQL in time: whoever restarts the service
 * upon a failure would otherwise interrupt a repair, or begin a long recovery anew again and again.
 */
const liveness = ({ embeddedDatabase }: Context): HealthResponse => {
  if (embeddedDatabase === undefined) return jsonResponse(200, { status: 'ok' })
  const { state, since, restarts } = embeddedDatabase()
  const isMended = state === 'running' || state === 'recovering'
  const isOverdue = !isMended && Date.now() - since.getTime() > limits.databaseRepairMaxMs
  const database = { state, since: since.toISOString(), restarts }
  return isOverdue
    ? jsonResponse(503, { status: 'failing', reason: 'database_unreachable', database })
    : jsonResponse(200, { status: 'ok', database })
}

const checksInProgress = new WeakMap<Context, Promise<string | undefined>>()

/** Whoever asks while the database is asked shares its answer: no caller can add to its work. */
const sharedDatabaseProblem = (context: Context): Promise<string | undefined> => {
  let check = checksInProgress.get(context)
  if (check === undefined) {
    check = databaseProblem(context).finally(() => checksInProgress.delete(context))
    checksInProgress.set(context, check)
  }
  return check
}

const databaseProblem = async ({
  config,
  database,
  isDiskFailing,
  isRolledBack,
  keyring,
  logFolderProblem,
}: Context): Promise<string | undefined> => {
  if (isDiskFailing()) return 'database_disk_full'
  if (isRolledBack()) return 'database_rolled_back'
  if (!keyring.seals.isComplete) return 'server_key_missing'
  const folderProblem = logFolderProblem()
  if (folderProblem !== undefined) return folderProblem
  try {
    const newest = (await knownMigrations()).at(-1)!.number
    const [row] = await Promise.all([
      database.read.row<{ newest: number | null }>(
        sql`select max(number) as newest from migrations where ${isPrimary}`,
      ),
      // Without its connection, every call is refused; a worker has no callers.
      config.role === 'worker' || database.credentials.row(sql`select 1 as answer`),
    ])
    return (row?.newest ?? 0) >= newest ? undefined : 'not_migrated'
  } catch (error) {
    if (isReadOnly(error)) return 'database_read_only'
    return isContention(error) ? 'database_busy' : 'database_unreachable'
  }
}

/** On the port of the API. Metrics are there only if they have no port of their own. */
export const healthPages = ({ metricsPort }: Pick<Config, 'metricsPort'>): Page[] =>
  Object.entries(healthChecks)
    .filter(([path]) => path !== '/metrics' || metricsPort === undefined)
    .map(([path, health]) => ({
      path,
      serve: async (pipeline, request, response) => {
        const { status, headers, body } = await health(pipeline.context)
        const exchange = openExchange(pipeline, request, response)
        exchange.rateLimitStatus = pipeline.rateLimits.count('page', path)
        send(exchange, status, body, headers)
      },
    }))

/** All of them on a port of their own, which is not for the callers of the API. */
export const healthServer = (context: Context): Server =>
  createServer((request, response: ServerResponse) => {
    const health = healthChecks[request.url ?? '']
    if (health === undefined) return void response.writeHead(404).end()
    void health(context).then(({ status, headers, body }) =>
      response.writeHead(status, headers).end(body),
    )
  })
