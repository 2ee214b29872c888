/**
 * /healthz: the process lives. /readyz: it can answer, that is it has done what it starts with, and
 * the database is reachable and has the schema this build knows. /metrics: counters. None of them
 * asks for a caller.
 */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Context } from '../../context.ts'
import { newId } from '../../database/new-ids.ts'
import { knownMigrations } from '../../database/migrate.ts'
import { sql } from '../../database/sql.ts'
import type { Page } from './docs.ts'
import { send } from '../respond.ts'

interface HealthResponse {
  status: number
  type: string
  body: string
}

const jsonResponse = (status: number, value: unknown): HealthResponse => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
})

const healthChecks: Record<string, (context: Context) => Promise<HealthResponse>> = {
  '/healthz': async () => jsonResponse(200, { status: 'ok' }),
  '/readyz': async (context) => {
    const lifecycle = context.lifecycle()
    const problem = lifecycle === 'serving' ? await databaseProblem(context) : lifecycle
    return problem === undefined
      ? jsonResponse(200, { status: 'ready' })
      : jsonResponse(503, { status: 'not_ready', reason: problem })
  },
  '/metrics': async (context) => ({
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
    body: context.metrics.text(),
  }),
}

const databaseProblem = async ({ database }: Context): Promise<string | undefined> => {
  try {
    const newest = (await knownMigrations()).at(-1)!.number
    const [row] = await database.read.rows<{ newest: number }>(
      sql`select max(number) as newest from migrations`,
    )
    return (row?.newest ?? 0) >= newest ? undefined : 'not_migrated'
  } catch {
    return 'database_unreachable'
  }
}

export const healthPages: readonly Page[] = Object.entries(healthChecks).map(([path, health]) => ({
  path,
  serve: async ({ context, rateLimits }, _request, response) => {
    const { status, type, body } = await health(context)
    const responseContext = {
      requestId: newId(),
      rateLimit: {
        policyHeader: rateLimits.policyHeader,
        statusHeader: rateLimits.count('page', path).header,
      },
      baseUrl: context.config.baseUrl,
    }
    send(response, responseContext, status, body, { 'Content-Type': type })
  },
}))

/** The same on a port of its own, for a process without an API or behind a public proxy. */
export const healthServer = (context: Context): Server =>
  createServer((request, response: ServerResponse) => {
    const health = healthChecks[request.url ?? '']
    if (health === undefined) return void response.writeHead(404).end()
    void health(context).then(({ status, type, body }) =>
      response.writeHead(status, { 'Content-Type': type }).end(body),
    )
  })
