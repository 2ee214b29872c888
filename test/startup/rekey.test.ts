/**
 * Provenance 8: `admin rekey` moves a running deployment of two processes to a new server key while
 * it serves, and goes on after a kill -9. After `rekey --finish`, the old key forges nothing. The
 * tests are the steps of one deployment, in order.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { decodeId } from '../../src/core/ids.ts'
import { eventMac } from '../../src/core/provenance/history-event.ts'
import { type SealedTable, openRowSeals, sealedTables } from '../../src/database/row-seals.ts'
import type { Rows } from '../../src/database/rows.ts'
import { raw, sql } from '../../src/database/sql.ts'
import { selectList } from '../../src/database/table-writes.ts'
import { openKeyring } from '../../src/startup/keyring.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { fillEverySealedTable } from '../support/database/every-sealed-table.ts'
import { aDraft, aKey, exampleLine } from '../support/fixtures.ts'
import { endProgram, launchAdmin, runAdmin, startupErrorOf } from '../support/processes/program.ts'
import { type TestService, serverKey, startTestService } from '../support/test-service.ts'
import { inTime, until } from '../support/until.ts'
import { localReceiverSettings, startReceiver } from '../support/webhooks/receiver.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

const newKey = 'the server key to which the test moves, 32'
const both = { SERVER_KEY: newKey, SERVER_KEY_PREVIOUS: serverKey }
const receiver = await startReceiver()
const common = { ...localReceiverSettings, SANDBOX_QUOTAS: 'off' }
const before = await startTestService(common)
const { databaseUrl } = before
const world = await fillEverySealedTable(before, receiver.url)
const { pair, issued, payment } = world
const { issuer, counterparty } = pair
const unused = await aKey(before, issuer, ['documents:read'])
// A row that somebody has changed: no rekey may make it true.
const tampered = await aDraft(before, pair)
await before.database.run(
  sql`update documents set dispute = '{}' where id = ${decodeId('doc', tampered.id)!}`,
)
const db = await openTestConnection(databaseUrl, 'a test')

const body = { connection_id: pair.connection, document_type: 'invoice', line_items: [exampleLine] }

const create = (on: TestService, idempotencyKey = freshIdempotencyKey()): Promise<Reply> =>
  callApi(on, 'POST', '/v1/documents', {
    key: issuer.key,
    body,
    headers: { 'idempotency-key': idempotencyKey },
  })

/** The response shows the key, so it is stored encrypted. */
const createKey = (on: TestService, idempotencyKey: string): Promise<Reply> =>
  callApi(on, 'POST', '/v1/keys', {
    key: issuer.session,
    body: { name: 'replayed', scopes: ['documents:read'] },
    headers: { 'idempotency-key': idempotencyKey },
  })

const admin = (args: readonly string[], keys: Record<string, string> = both) =>
  inTime(args.join(' '), runAdmin(args, { DATABASE_URL: databaseUrl, ...keys }))

const countUnder = async (table: SealedTable, generation: number): Promise<number> => {
  const rows = await db.rows(sql`
    select 1 from ${raw(table)} where substring(seal from 2 for 1) = ${Buffer.of(generation)}`)
  return rows.length
}

const keyed = { create: freshIdempotencyKey(), createKey: freshIdempotencyKey() }
const first = {
  create: await create(before, keyed.create),
  key: await createKey(before, keyed.createKey),
}
assert.deepEqual([first.create.status, first.key.status], [201, 201], first.key.text)

const assertReplayed = async (on: TestService) => {
  const again = {
    create: await create(on, keyed.create),
    key: await createKey(on, keyed.createKey),
  }
  assert.equal(again.create.text, first.create.text)
  assert.equal(again.key.text, first.key.text)
  for (const { headers } of [again.create, again.key]) {
    assert.equal(headers.get('idempotent-replay'), 'true')
  }
}

/** Both processes write until they are told to end. */
const startWriters = (replies: Reply[]): (() => Promise<void>) => {
  let isOver = false
  const writing = [one, other].map(async (on) => {
    while (!isOver) {
      // Every write is sent to both processes, and takes effect once.
      const key = freshIdempotencyKey()
      const reply = await create(on, key)
      const again = await create(on === one ? other : one, key)
      assert.equal(again.text, reply.text)
      replies.push(reply, again)
    }
  })
  const written = Promise.all(writing)
  // Whoever ends them hears of it.
  written.catch(() => {})
  return async () => {
    isOver = true
    await inTime('the writers end', written)
  }
}

/** Everything that was written before answers as it did. */
const assertServes = async (on: TestService) => {
  for (const key of [issuer.key, issuer.session, counterparty.key, counterparty.session]) {
    const reply = await callApi(on, 'GET', `/v1/documents/${issued.id}`, { key })
    assert.equal(reply.status, 200, reply.text)
  }
  const paths = [
    `/v1/documents/${world.paid.id}/history`,
    `/v1/documents/${world.paid.id}/lineage`,
    `/v1/payments/${payment.id}`,
    '/v1/payments/accounts',
    '/v1/documents',
    '/v1/events',
  ]
  for (const path of paths) {
    const reply = await callApi(on, 'GET', path, { key: issuer.session })
    assert([200, 404].includes(reply.status), `${path} ${reply.text}`)
  }
  await until('the log has its events', async () => {
    const path = `/v1/documents/${world.paid.id}/export`
    const reply = await callApi(on, 'GET', path, { key: issuer.key })
    assert([200, 202, 409, 503].includes(reply.status), reply.text)
    return reply.status === 200
  })
  const shown = await callApi(on, 'DELETE', '/auth/totp', {
    key: counterparty.session,
    body: { totp: world.factor.recoveryCodes[0] },
    headers: { 'svc-dry-run': 'true' },
  })
  assert.equal(shown.status, 200, shown.text)
  const refused = await callApi(on, 'GET', `/v1/documents/${tampered.id}`, { key: issuer.key })
  assert.equal(refused.status, 500, refused.text)
}

const assertSigned = async (on: TestService) => {
  const count = receiver.received.length
  assert.equal((await create(on)).status, 201)
  await until('an event is delivered', () => receiver.received.length > count)
  const { rawBody, headers } = receiver.received.at(-1)!
  new Webhook(world.endpoint.secret).verify(rawBody, headers)
}

test('a rekey stops, and changes nothing, while a process lacks the new key', async () => {
  const refused = await admin(['rekey'])
  assert.equal(refused.exitCode, 1, refused.stdout)
  assert.match(refused.stderr, /A process does not have the new key/)
  assert.equal((await db.rows(sql`select 1 from server_keys`)).length, 1)
  assert.equal((await create(before)).status, 201)
  await before.service.stop()
})

const one = await startTestService({ ...common, ...both }, { url: databaseUrl })
const other = await startTestService(
  { ...common, ...both, PROCESS_ROLE: 'api' },
  { url: databaseUrl },
)

test('without a rekey, a process with both keys writes under the old one', async () => {
  assert.equal((await create(one)).status, 201)
  assert.equal(await countUnder('documents', 2), 0)
  await assertReplayed(other)
})

test('a rekey that is killed goes on when it is given again, while both processes write', async (t) => {
  const replies: Reply[] = []
  const endWriters = startWriters(replies)
  t.after(endWriters)
  // A row that stays locked keeps the command from getting past its table.
  const blocker = await openTestConnection(databaseUrl, 'a test')
  t.after(() => blocker.destroy())
  await blocker.run(sql`begin`)
  await blocker.run(
    sql`select 1 from documents where id = ${decodeId('doc', issued.id)!} for update`,
  )
  const killed = launchAdmin(['rekey'], { DATABASE_URL: databaseUrl, ...both })
  await until('rows are sealed anew', async () => {
    assert.equal(killed.exitStatus(), null, killed.output())
    return (await countUnder('connections', 2)) > 0
  })
  await endProgram(killed)
  assert.equal(killed.exitStatus(), 'SIGKILL', killed.output())
  assert((await countUnder('documents', 1)) > 0)
  await blocker.run(sql`rollback`)

  const { exitCode, stdout, stderr } = await admin(['rekey', '--wait', '60'])
  await endWriters()
  assert.equal(exitCode, 0, stderr)
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201])
  assert.match(stdout, /documents: 1 rows are NOT as the service wrote them/)
  assert(stdout.includes(decodeId('doc', tampered.id)!), stdout)
  for (const table of sealedTables.filter((name) => name !== 'idempotency')) {
    assert.equal(await countUnder(table, 1), table === 'documents' ? 1 : 0, table)
  }
})

test('after it, keys and sessions, replays, deliveries, histories and proofs are as before', async () => {
  for (const on of [one, other]) {
    await assertReplayed(on)
    await assertServes(on)
  }
  await assertSigned(one)
})

test('a process with the new key alone, or the old one alone, does not start', async () => {
  const settings = { DATABASE_URL: databaseUrl, PROVENANCE_KEYS_DIR: '/nonexistent' }
  assert.match(await startupErrorOf({ ...settings, SERVER_KEY: newKey }), /^SERVER_KEY_PREVIOUS=/)
  assert.match(await startupErrorOf({ ...settings, SERVER_KEY: serverKey }), /^SERVER_KEY=…/)
})

test('finishing is refused while responses and credentials need the old key', async () => {
  const refused = await admin(['rekey', '--finish'])
  assert.equal(refused.exitCode, 1)
  assert.match(refused.stdout, /stored responses: \d+ \(wait/)
  assert.match(refused.stdout, /API keys: \d+ \(/)
  assert.match(refused.stderr, /still needed/)
  await assertReplayed(one)
})

test('it is finished once they have aged out, or were used', async () => {
  await db.run(sql`
    delete from idempotency where substring(seal from 2 for 1) = ${Buffer.of(1)}`)
  await db.run(sql`delete from sign_in_links`)
  await db.run(sql`delete from device_codes`)
  await db.run(sql`delete from member_invitations where get_byte(hash, 0) = 1`)
  await db.run(sql`delete from sessions where get_byte(hash, 0) = 1`)
  const { borrower, debtor, lender } = world.loan
  const { live } = world
  const members = [issuer, counterparty, live.issuer, live.counterparty, borrower, debtor, lender]
  const keys = [unused.secret, world.limited.secret, world.asking, world.sandbox.key]
  const replayed: string = first.key.body.key
  const all = [...members.flatMap(({ key, session }) => [key, session]), ...keys, replayed]
  for (const key of all) await callApi(other, 'GET', '/v1/me', { key })
  const remaining = () =>
    db.rows<{ prefix: string }>(sql`select prefix from keys where get_byte(hash, 0) = 1`)
  const isUsed = (prefix: string) => all.some((key) => key.startsWith(prefix))
  await until('they have moved', async () =>
    (await remaining()).every(({ prefix }) => !isUsed(prefix)),
  )
  for (const { prefix } of await remaining()) {
    await db.run(sql`delete from keys where prefix = ${prefix}`).catch(() => {})
  }
  const finished = await admin(['rekey', '--finish'])
  assert.equal(finished.exitCode, 0, finished.stdout + finished.stderr)
  await until('both processes have given up the old key', () =>
    [one, other].every(({ service }) => service.context.keyring.seals.count === 1),
  )
})

test('after it, everything still verifies, also in a process that never had the old key', async () => {
  const later = await startTestService({ ...common, SERVER_KEY: newKey }, { url: databaseUrl })
  for (const on of [one, other, later]) await assertServes(on)
  await assertSigned(one)
})

test('after it, the old key forges nothing: neither a row nor an event of the log', async () => {
  const old = await openKeyring({ serverKey, dataDir: '' })
  const seals = openRowSeals(old.seals)
  const id = decodeId('doc', first.create.body.id)!
  const row = (await db.row<Rows['documents']>(
    sql`select ${selectList('documents', 'd')} from documents d where id = ${id}`,
  ))!
  const { seal } = seals.seal('documents', row)
  const { seal: good } = row as unknown as { seal: Buffer }
  await db.run(sql`update documents set seal = ${seal} where id = ${id}`)
  const refused = await callApi(one, 'GET', `/v1/documents/${first.create.body.id}`, {
    key: issuer.key,
  })
  assert.equal(refused.status, 500, refused.text)
  await db.run(sql`
    update documents set seal = ${good}, integrity_hold = false where id = ${id}`)

  const event = (await db.row<Rows['prov_event']>(
    sql`select * from prov_event where document_id = ${id} order by seq desc limit 1`,
  ))!
  const hash = Buffer.alloc(32, 7)
  await db.run(sql`
    insert into prov_event (document_id, seq, at, commitments, hash, mac, salts, shared_body)
    select document_id, seq + 1, at, commitments, ${hash}, ${eventMac(hash, old.history!.newest)},
      salts, shared_body
    from prov_event where document_id = ${id} and seq = ${event.seq}`)
  await db.run(sql`
    insert into log_queue (log_id, document_id, seq, hash)
    values (${row.mode}, ${id}, ${event.seq + 1}, ${hash})`)
  await until('the sequencer has refused the event', async () => {
    const rows = await db.rows<{ reason: string }>(
      sql`select reason from log_refused where document_id = ${id}`,
    )
    return rows.some(({ reason }) => reason === 'not_written_by_this_service')
  })
})

test('when the file ends', () => db.close())
