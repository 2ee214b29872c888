/**
 * The statistics of an organization with half of the documents of a scale deployment: a sequence
 * of single calls, since people look at charts one at a time.
 */
import { limits } from '../src/contract/limits.ts'
import { addDays } from '../src/core/dates.ts'
import { type Connection, sql } from '../src/database/sql.ts'
import { countedCalls } from '../src/store/request-counts.ts'
import { invoice, median } from './bench-server.ts'
import { idOf } from './seed.ts'

interface Measured {
  db: Connection
  port: number
  key: string
  rounds: number
}

const metrics = ['documents', 'ageing', 'connections', 'time_in_status']

/** Documents without a history stay in no state, so the newest get one from the service. */
export const measureStatistics = async ({ db, port, key, rounds }: Measured): Promise<void> => {
  await issueInvoices(port, key)
  for (const metric of metrics) {
    const answer = () => send({ port, key, path: `/v1/statistics?metric=${metric}` })
    const { is_complete } = await answer()
    const times = await timesOf(rounds, answer)
    process.stdout.write(`statistics.${metric}: ${times}, complete: ${is_complete}\n`)
  }
  const today = new Date().toISOString().slice(0, 10)
  await logCalls(db)
  const period = { from: addDays(today, -28), to: today, interval: 'day' } as const
  const times = await timesOf(rounds, () => countedCalls(db, idOf('issuer1'), period))
  process.stdout.write(`statistics.requests, in the database: ${times}\n`)
}

const issueInvoices = async (port: number, key: string): Promise<void> => {
  for (let issued = 0; issued < limits.statisticsHistoriesMax; issued += 40) {
    await Promise.all(Array.from({ length: 40 }, () => issueInvoice(port, key)))
  }
}

const issueInvoice = async (port: number, key: string): Promise<void> => {
  const { id } = await send({ port, key, path: '/v1/documents', body: invoice(1) })
  await send({ port, key, path: `/v1/documents/${id}/issue`, body: '{}' })
}

interface Sent {
  port: number
  key: string
  path: string
  body?: string
}

const send = async ({ port, key, path, body }: Sent): Promise<Record<string, unknown>> => {
  const authorization = `Bearer ${key}`
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body }),
    headers: { authorization, ...(body === undefined ? {} : writing()) },
  })
  const answer = await response.text()
  if (!response.ok) throw new Error(answer)
  return JSON.parse(answer) as Record<string, unknown>
}

const writing = () => ({
  'content-type': 'application/json',
  'idempotency-key': crypto.randomUUID(),
})

/** As many calls as are counted at most, in the last four weeks; one in twenty is refused. */
const logCalls = async (db: Connection): Promise<void> => {
  const calls = limits.statisticsCallsMax
  await db.run(sql`
    insert into requests (organization_id, id, method, path, status, duration_ms, error)
    select ${idOf('issuer1')}, (left(first::text, 18) || right(gen_random_uuid()::text, 18))::uuid,
      'GET', '/v1/documents', case when n % 20 = 0 then 422 else 200 end, n % 97,
      case when n % 20 = 0 then '{"code":"invalid_request"}' end
    from generate_series(1, ${calls}::int) n,
      first_uuid_at(now() - n * interval '27 days' / ${calls}::int) first`)
  await db.script('analyze requests')
}

const timesOf = async (rounds: number, work: () => Promise<unknown>): Promise<string> => {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now()
    await work()
    times.push(performance.now() - startedAt)
  }
  return `median ${median(times).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms`
}
