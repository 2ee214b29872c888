/**
 * npm run bench:scale [-- --sizes 10000,1000000] [-- --seconds 4] [-- --rounds 3]: sends the same
 * requests to a small and to a large deployment on one PostgreSQL, in turn, to find what costs more
 * than 1.3 times as much among more documents. Not part of the tests, because a million documents
 * take minutes to seed.
 */
import { parseArgs } from 'node:util'
import { encodeId } from '../src/core/ids.ts'
import { startCluster } from '../src/embedded-postgres/cluster.ts'
import { migrate } from '../src/database/migrate.ts'
import { type Connection, sql } from '../src/database/sql.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { openBenchConnection } from './database.ts'
import type { LoadResult } from './load.ts'
import {
  type BenchServer,
  cursorAt,
  invoice,
  load,
  median,
  request,
  startServer,
} from './bench-server.ts'
import { sampleBody, seedScale, words } from './seed-scale.ts'
import { idOf, pairs, seedPairs } from './seed.ts'
import { measureStatistics } from './statistics.ts'

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,1000000' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
})
const seconds = Number(flags.seconds)
const rounds = Number(flags.rounds)

interface ScaleDeployment {
  size: number
  url: string
  server: BenchServer
  keys: string[]
  /** A cursor half way down the list of the first pair's issuer. */
  deepCursor: string
}

const deploy = async (clusterUrl: string, size: number): Promise<ScaleDeployment> => {
  const admin = await openBenchConnection(clusterUrl)
  await admin.script(`create database scale_${size}`)
  await admin.close()
  const url = clusterUrl.replace('/docex', `/scale_${size}`)
  await migrate(url)
  const db = await openBenchConnection(url)
  const startedAt = performance.now()
  const sample = await storedSample(db, url)
  const { keys } = await seedScale(db, { count: size, ...sample })
  await db.close()
  process.stdout.write(
    `${size} documents seeded in ${Math.round((performance.now() - startedAt) / 1000)} s\n`,
  )
  const server = await startServer(url)
  return { size, url, server, keys, deepCursor: await cursorAt(server.port, keys[0]!, size / 4) }
}

/** Creates a draft through the service, reads its stored form and empties the tables again. */
const storedSample = async (
  db: Connection,
  url: string,
): Promise<{ content: string; total: bigint }> => {
  const { keys } = await seedPairs(db)
  const server = await startServer(url)
  const connection_id = encodeId('con', idOf('connection1'))
  const response = await fetch(`http://127.0.0.1:${server.port}/v1/documents`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${keys[0]!}`,
      'content-type': 'application/json',
      'idempotency-key': 'bench-sample',
    },
    body: JSON.stringify({ connection_id, document_type: 'invoice', ...sampleBody }),
  })
  if (response.status !== 201) throw new Error(await response.text())
  await server.stop()
  const sample = await db.row<{ content: string; total: bigint }>(
    sql`select content, total from documents`,
  )
  await db.script(`set session_replication_role = replica;
    truncate documents, document_links, document_views, prov_event, log_queue, events, idempotency,
      search_entries, search_progress cascade;
    truncate keys, connections, organization_counters, organizations, users cascade;
    reset session_replication_role`)
  return sample!
}

type RequestFactory = (deployment: ScaleDeployment) => string[][]

const lists =
  (queries: (deployment: ScaleDeployment) => readonly string[]): RequestFactory =>
  (deployment) => [
    queries(deployment).map((text) => request('GET', `/v1/documents?${text}`, deployment.keys[0]!)),
  ]

const search = (text: string): string => `query=${encodeURIComponent(text)}`

const workloads: {
  name: string
  connections: number
  expectedStatus: number
  requests: RequestFactory
}[] = [
  {
    name: 'get',
    connections: 64,
    expectedStatus: 200,
    requests: ({ keys, size }) => [
      Array.from({ length: 2_000 }, (_, i) => 2 * (1 + Math.floor((i * size) / 4_000))).map((n) =>
        request('GET', `/v1/documents/${encodeId('doc', idOf(`document${n}`))}`, keys[0]!),
      ),
    ],
  },
  { name: 'list', connections: 16, expectedStatus: 200, requests: lists(() => ['']) },
  {
    name: 'list.status',
    connections: 16,
    expectedStatus: 200,
    requests: lists(() => ['status=approved']),
  },
  {
    name: 'list.phase',
    connections: 16,
    expectedStatus: 200,
    requests: lists(() => ['phase=pending&type=invoice,quote']),
  },
  {
    name: 'list.deep',
    connections: 16,
    expectedStatus: 200,
    requests: lists(({ deepCursor }) => [`cursor=${deepCursor}`]),
  },
  ...Object.entries<(size: number) => string>({
    common: () => 'consulting',
    word: () => words[2]!,
    two: () => `${words[8]} consult`,
    rare: (size) => `SO-2026-${Math.floor(size / 4) * 2}`,
    oldest: () => '2 OLD',
    digits: () => 'SO-2026-1 2026 OLD-1',
    elsewhere: () => `${words[3]} consult`,
    never: () => `${words[0]} ${words[2]}`,
    nowhere: () => 'nowhere',
  }).map(([name, text]) => ({
    name: `search.${name}`,
    connections: 1,
    expectedStatus: 200,
    requests: lists(({ size }) => [search(text(size))]),
  })),
  // Runs last: no worker runs, so its documents never reach the search index.
  {
    name: 'create',
    connections: 64,
    expectedStatus: 201,
    requests: ({ keys }) =>
      keys.map((key, i) => [request('POST', '/v1/documents', key, invoice(i + 1))]),
  },
]

const compare = async (deployments: readonly ScaleDeployment[]): Promise<void> => {
  for (const { name, connections, expectedStatus, requests } of workloads) {
    if (flags.only !== undefined && !flags.only.split(',').some((one) => name.startsWith(one)))
      continue
    const measured = deployments.map((): LoadResult[] => [])
    for (let round = 0; round < rounds; round += 1) {
      for (const [i, deployment] of deployments.entries()) {
        const { port } = deployment.server
        const options = {
          port,
          connections,
          seconds,
          expectedStatus,
          requests: requests(deployment),
        }
        if (round === 0) await load({ ...options, seconds: 1 })
        measured[i]!.push(await load(options))
      }
    }
    const columns = measured.map((results, i) => {
      const perSecond = median(results.map((result) => result.perSecond))
      const p95 = median(results.map((result) => result.p95Ms))
      const p50 = median(results.map((result) => result.medianMs))
      const times = `median ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`
      return `${deployments[i]!.size}: ${perSecond.toFixed(0)}/s, ${times}`
    })
    const ratio = median(
      measured[0]!.map((small, round) => small.perSecond / measured.at(-1)![round]!.perSecond),
    )
    process.stdout.write(`${name.padEnd(14)} ${columns.join('   ')}   ratio ${ratio.toFixed(2)}\n`)
  }
}

/** Last, since it adds documents. */
const statisticsOf = async ({ size, url, server, keys }: ScaleDeployment): Promise<void> => {
  if (flags.only !== undefined && !flags.only.split(',').includes('statistics')) return
  const db = await openBenchConnection(url)
  process.stdout.write(`${size}:\n`)
  await measureStatistics({ db, url, port: server.port, key: keys[0]!, rounds })
  await db.close()
}

const cluster = await startCluster({ dataDir: temporaryFolder() })
try {
  const deployments: ScaleDeployment[] = []
  for (const size of flags.sizes.split(',').map(Number)) {
    deployments.push(await deploy(cluster.url, size))
  }
  process.stdout.write(`${pairs} pairs, one of which has half of the documents\n`)
  await compare(deployments)
  for (const deployment of deployments) await statisticsOf(deployment)
  await Promise.all(deployments.map(({ server }) => server.stop()))
} finally {
  await cluster.stop()
}
