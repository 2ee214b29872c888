/**
 * The statistics of an organization with half of the documents of a scale deployment: a sequence
 * of single calls, since people look at charts one at a time. What a process has proven before
 * decides what they cost, so the first call goes to a new process, in each round.
 */
import { readFileSync } from 'node:fs'
import { limits } from '../src/contract/limits.ts'
import { addDays } from '../src/core/dates.ts'
import { type Connection, sql } from '../src/database/sql.ts'
import { countedCalls } from '../src/store/request-counts.ts'
import { type BenchServer, invoice, median, startServer } from './bench-server.ts'
import { idOf } from './seed.ts'

interface Measured {
  db: Connection
  url: string
  port: number
  key: string
  rounds: number
}

const metrics = ['documents', 'ageing', 'connections', 'time_in_status']

/** Documents without a history stay in no state, so the newest get one from the service. */
export const measureStatistics = async ({ db, url, port, key, rounds }: Measured) => {
  await issueInvoices(port, key)
  const taken = new Map<string, Cost[]>()
  for (let round = 0; round < rounds; round += 1) {
    for (const metric of metrics) {
      const server = await startServer(url)
      const ask = async (when: string) => {
        const answered = await costOf({ db, server }, () =>
          send({ port: server.port, key, path: `/v1/statistics?metric=${metric}` }),
        )
        const name = `statistics.${metric} ${when}`
        taken.set(name, [...(taken.get(name) ?? []), answered])
      }
      // Warms up what is not about statistics.
      await send({ port: server.port, key, path: '/v1/documents?limit=100' })
      for (const when of ['first', 'again', 'again']) await ask(when)
      await send({ port: server.port, key, path: '/v1/documents', body: invoice(1) })
      await ask('after a write')
      await server.stop()
    }
  }
  for (const [name, costs] of taken) process.stdout.write(`${name}: ${textOf(costs)}\n`)
  const today = new Date().toISOString().slice(0, 10)
  await logCalls(db)
  const period = { from: addDays(today, -28), to: today, interval: 'day' } as const
  const times = await timesOf(rounds, () => countedCalls(db, idOf('issuer1'), period))
  process.stdout.write(`statistics.requests, in the database: ${times}\n`)
}

interface Cost {
  ms: number
  /** CPU time of the process, and of its connections for heavy reads. */
  cpuMs: number
  postgresMs: number
}

const costOf = async (
  { db, server }: { db: Connection; server: BenchServer },
  work: () => Promise<unknown>,
): Promise<Cost> => {
  const [cpuMs, postgresMs] = [await server.cpuMs(), await heavyCpuMs(db)]
  const startedAt = performance.now()
  await work()
  const ms = performance.now() - startedAt
  const cpu = { cpuMs: (await server.cpuMs()) - cpuMs }
  return { ms, ...cpu, postgresMs: (await heavyCpuMs(db)) - postgresMs }
}

const heavyCpuMs = async (db: Connection): Promise<number> => {
  const backends = await db.rows<{ pid: number }>(sql`
    select pid from pg_stat_activity
    where application_name = 'docex heavy' and datname = current_database()`)
  return backends.reduce((sum, { pid }) => {
    const [onCpuNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
    return sum + Number(onCpuNs) / 1e6
  }, 0)
}

const textOf = (costs: readonly Cost[]): string => {
  const of = (part: keyof Cost) => median(costs.map((cost) => cost[part])).toFixed(0)
  return `median ${of('ms')} ms, CPU ${of('cpuMs')} + ${of('postgresMs')} ms`
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
