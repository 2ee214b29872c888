/**
 * Reliability I7, F2, F3: workers are killed between sending and recording, PostgreSQL crashes, and
 * some writes roll back. Every committed event arrives, and no other. `LONG=1` kills more often.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { registerEndpoint } from '../../src/changes/webhooks/endpoints.ts'
import { openKeyring } from '../../src/startup/keyring.ts'
import { compactText } from '../../src/core/compact-text.ts'
import { encodeId } from '../../src/core/ids.ts'
import { newId } from '../../src/database/new-ids.ts'
import { type Connection, sql } from '../../src/database/sql.ts'
import { runAndSealWithin } from '../support/database/run-and-seal.ts'
import { localReceiverSettings, startReceiver } from '../support/webhooks/receiver.ts'
import { callApi } from '../support/api-client.ts'
import { type Pair, exampleLine, aPair } from '../support/fixtures.ts'
import { until } from '../support/until.ts'
import {
  type KillableService,
  killableServerKey,
  startKillableService,
  startCrashableCluster,
} from '../support/processes/killable-processes.ts'

const isLong = process.env['LONG'] === '1'
const killCount = isLong ? 40 : 2
const crashCount = isLong ? 10 : 1

const cluster = await startCrashableCluster()
const receiver = await startReceiver()
const secrets = new Map<string, string>()
const pairs: Pair[] = []

const setUp = async (): Promise<void> => {
  const database = await cluster.connect()
  const keyring = await openKeyring({ serverKey: killableServerKey, dataDir: '' })
  for (let i = 0; i < 4; i += 1) {
    const pair = await aPair({ database })
    const { secret } = await registerEndpoint(database, keyring.webhookSecrets, {
      organization: pair.issuer.uuid,
      mode: 'test',
      url: `${receiver.url}/${pair.issuer.uuid}`,
      events: [],
      description: null,
    })
    secrets.set(pair.issuer.id, secret)
    pairs.push(pair)
  }
  await database.close()
}

/** Writes an event as the service does, but rolls back. */
const writeAndRollBack = async (db: Connection, { issuer }: Pair): Promise<void> => {
  await db.run(sql`begin`)
  await db.run(sql`
    select 1 from organization_counters where organization_id = ${issuer.uuid} for no key update`)
  await db.run(sql`
    insert into events
      (organization_id, feed, id, document_id, sequence, type, created_at, revision, payload, seal)
    select organization_id, feed + 1, ${newId()}, ${newId()}, 1, 'document.created', now(), 1,
      ${compactText('{"id":"evt_never","data":{}}')}, ''
    from organization_counters where organization_id = ${issuer.uuid}`)
  await runAndSealWithin(
    db,
    'organization_counters',
    sql`
    update organization_counters set feed = feed + 1 where organization_id = ${issuer.uuid}`,
  )
  await db.run(sql`rollback`)
}

test('reliability I7, F2, F3: after kills, crashes and rollbacks, exactly the committed events arrive', async (t) => {
  await setUp()
  let api: KillableService = await startKillableService(cluster.url(), {
    ...localReceiverSettings,
    PROCESS_ROLE: 'api',
  })
  const asWorker = { ...localReceiverSettings, PROCESS_ROLE: 'worker' }
  const workers = [await startKillableService(cluster.url(), asWorker)]
  let [kills, crashes, rolledBack, isDone] = [0, 0, 0, false]
  let sinceKill = 0
  let killing: Promise<void> | undefined

  receiver.respond = ({ rawBody, headers, event }, response) => {
    const secret = secrets.get(event.data.document?.issuer.organization_id)
    assert(secret !== undefined, `an event that was not written: ${rawBody}`)
    new Webhook(secret).verify(rawBody, headers)
    sinceKill += 1
    if (sinceKill < 15 || kills >= killCount || killing !== undefined) return void response.end()
    // This attempt is sent, but can never be recorded.
    kills += 1
    sinceKill = 0
    killing = (async () => {
      await Promise.all(workers.splice(0).map((worker) => worker.kill()))
      response.destroy()
      workers.push(await startKillableService(cluster.url(), asWorker))
      killing = undefined
    })()
  }

  const write = async (pair: Pair): Promise<void> => {
    const body = {
      connection_id: pair.connection,
      document_type: 'invoice',
      line_items: [exampleLine],
    }
    while (!isDone) {
      const reply = await callApi(api, 'POST', '/v1/documents', {
        key: pair.issuer.key,
        body,
      }).catch(() => undefined)
      if (reply === undefined || reply.status === 503) {
        await new Promise((resolve) => setTimeout(resolve, 100))
      } else assert.equal(reply.status, 201, reply.text)
      // Limits the rate, so the end does not wait for a long queue.
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  }
  const rollBack = async (): Promise<void> => {
    let db: Connection | undefined
    while (!isDone) {
      try {
        db = db === undefined || db.isBroken ? await cluster.connect() : db
        await writeAndRollBack(db, pairs[rolledBack % pairs.length]!)
        rolledBack += 1
      } catch {
        // PostgreSQL is down; the next round opens a new connection.
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await db?.close()
  }

  const writing = Promise.all([...pairs.map(write), rollBack()])
  const breaking = async () => {
    while (kills < killCount || crashes < crashCount) {
      const [before, killsBefore] = [receiver.received.length, kills]
      const hasProgress = () =>
        receiver.received.length > before + 20 && (kills > killsBefore || kills >= killCount)
      await until('deliveries continue', hasProgress)
      await killing
      if (crashes >= crashCount) continue
      const url = cluster.url()
      await cluster.crash()
      crashes += 1
      if (cluster.url() === url) continue
      await Promise.all([api, ...workers.splice(0)].map((one) => one.kill()))
      api = await startKillableService(cluster.url(), {
        ...localReceiverSettings,
        PROCESS_ROLE: 'api',
      })
      workers.push(await startKillableService(cluster.url(), asWorker))
    }
  }
  try {
    await breaking()
  } finally {
    isDone = true
    await writing
  }

  const issuers = pairs.map(({ issuer }) => issuer.uuid)
  const events = await cluster.rows<{ id: string }>(
    sql`select id from events where organization_id = any(${issuers})`,
  )
  const committed = new Set(events.map(({ id }) => encodeId('evt', id)))
  const arrived = () => new Set(receiver.received.map(({ event }) => event.id as string))
  await until('every event has arrived', () => arrived().size >= committed.size)
  await until('every delivery is recorded', async () => {
    const [open] = await cluster.rows<{ count: bigint }>(sql`
      select count(*) as count from webhook_delivery where status <> 'succeeded'`)
    return open!.count === 0n
  })

  const ids = arrived()
  const lost = [...committed].filter((id) => !ids.has(id))
  const uncommitted = [...ids].filter((id) => !committed.has(id))
  const duplicates = receiver.received.length - ids.size
  t.diagnostic(
    `events ${committed.size}, kills ${kills}, crashes of PostgreSQL ${crashes}, rolled back ${rolledBack},` +
      ` lost ${lost.length}, uncommitted ${uncommitted.length},` +
      ` duplicates ${((100 * duplicates) / ids.size).toFixed(1)} %`,
  )
  assert.deepEqual([lost, uncommitted], [[], []])
  assert(duplicates > 0, 'a kill interrupted an attempt between sending and recording')
  assert(rolledBack > 0)
  const [stored] = await cluster.rows<{ count: bigint }>(
    sql`select count(*) as count from webhook_delivery`,
  )
  assert.equal(Number(stored!.count), committed.size, 'one delivery per event and endpoint')
})
