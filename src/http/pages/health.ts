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

interface Health {
  status: number
  type: string
  body: string
}

const json = (status: number, value: unknown): Health => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
})

const answers: Record<string, (context: Context) => Promise<Health>> = {
  '/healthz': async () => json(200, { status: 'ok' }),
  '/readyz': async (context) => {
    const standing = context.standing()
    const problem = standing === 'serving' ? await databaseProblem(context) : standing
    return problem === undefined
      ? json(200, { status: 'ready' })
      : json(503, { status: 'not_ready', reason: problem })
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

export const healthPages: readonly Page[] = Object.entries(answers).map(([path, health]) => ({
  path,
  serve: async ({ context, rates }, _request, response) => {
    const { status, type, body } = await health(context)
    const sending = {
      requestId: newId(),
      rate: { policy: rates.policy, standing: rates.count('page', path).header },
      baseUrl: context.config.baseUrl,
    }
    send(response, sending, status, body, { 'Content-Type': type })
  },
}))

/** The same on a port of its own, for a process without an API or behind a public proxy. */
export const healthServer = (context: Context): Server =>
  createServer((request, response: ServerResponse) => {
    const health = answers[request.url ?? '']
    if (health === undefined) return void response.writeHead(404).end()
    void health(context).then(({ status, type, body }) =>
      response.writeHead(status, { 'Content-Type': type }).end(body),
    )
  })
