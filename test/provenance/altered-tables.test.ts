/**
 * A hostile hand that changes the tables themselves: what they take, what they hold twice, the
 * types of their columns, and where their names lead. Nothing false is answered, kept or paid.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditRows } from '../../src/tasks/audit-rows.ts'
import { callApi } from '../support/api-client.ts'
import { aKey, aPair } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { alarmsOfRound } from '../support/provenance/audit-alarms.ts'
import { storedColumnsOf } from '../support/provenance/row-tampering.ts'
import { testServer } from '../support/database/postgres.ts'
import { type TestService, startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

// It outlives the tests, each of which changes a database of its own.
await testServer()

const aWorld = async () => {
  const running = await startTestService()
  const pair = await aPair(running)
  const paid = await anApprovedInvoice(running, pair)
  const reply = await pay(running, pair.counterparty.key, paid.id)
  assert.equal(reply.status, 200, reply.text)
  return { running, pair, database: running.database }
}

describe('a row that is there twice is neither listed nor added up, and an auditor finds it', () => {
  const lists: Readonly<Record<string, readonly string[]>> = {
    payments: ['payments', 'statistics?metric=cash_flow'],
    documents: ['documents', 'documents?query=consulting', 'statistics?metric=ageing'],
    document_views: ['documents', 'documents?sort=updated', 'statistics?metric=ageing'],
    ledger_account: [
      'treasury/accounts',
      'treasury/balances',
      'treasury/transactions',
      'statistics?metric=projection',
    ],
    ledger_tx: ['treasury/transactions'],
    keys: ['keys'],
    memberships: ['members'],
    connections: ['connections'],
  }
  for (const [table, paths] of Object.entries(lists)) {
    test(table, async () => {
      const { running, pair, database } = await aWorld()
      await anApprovedInvoice(running, pair)
      const names = await storedColumnsOf(database, table)
      await database.script(`
        create table copies (like ${table} including constraints including generated);
        insert into copies (${names.join()}) select ${names.join()} from ${table};
        alter table copies inherit ${table}`)
      for (const path of paths) {
        const { session: key } = pair.counterparty
        const { status, text, body } = await callApi(running, 'GET', `/v1/${path}`, { key })
        assert.deepEqual([status, body.error?.code], [500, 'integrity_failure'], `${path}: ${text}`)
      }
      if (table === 'document_views') return
      const alarms = await alarmsOfRound(running, auditRows, { ...running.service.context })
      assert.match(alarms.join(), new RegExp(`${table} [^:]*: the row is there twice`))
    })
  }
})

test('an event that is there twice is not listed', async () => {
  const { running, pair, database } = await aWorld()
  await database.script(`
    alter table events drop constraint events_pkey;
    do $$ declare one record; begin
      for one in select x.indexrelid::regclass as name from pg_index x
        join pg_class c on c.oid = x.indrelid where c.relname like 'events%' and x.indisunique
      loop execute format('drop index if exists %s', one.name); end loop;
    end $$;
    insert into events select * from events`)
  const { status, body } = await callApi(running, 'GET', '/v1/events', { key: pair.issuer.session })
  assert.deepEqual([status, body.error?.code], [500, 'integrity_failure'])
})

test('a column of another type, which prints the same, decides nothing', async () => {
  const { running, pair, database } = await aWorld()
  const { secret } = await aKey(running, pair.counterparty, ['documents:write', 'payments:write'], {
    dailyVolume: 300_000n,
  })
  const pays = async (on: TestService) => {
    const { id } = await anApprovedInvoice(on, pair)
    return pay(on, secret, id)
  }
  assert.equal((await pays(running)).status, 200)
  await database.script('alter table limit_usage alter column used type numeric')
  const another = await running.startAnother()
  const { status, body, text } = await pays(another)
  assert.deepEqual([status, body.error?.code], [500, 'integrity_failure'], text)
  assert(another.logLines.some((line) => line.includes('limit_usage')))
})

test('a time without its zone, which prints the same but for that, holds no seal', async () => {
  const { running, pair, database } = await aWorld()
  await aKey(running, pair.issuer, ['documents:read'], { expiresAt: '2099-01-01T00:00:00.000Z' })
  await database.script(`
    drop index keys_by_expiry;
    alter table keys alter column expires_at type timestamp`)
  const another = await running.startAnother()
  const { status, body } = await callApi(another, 'GET', '/v1/keys', { key: pair.issuer.session })
  assert.deepEqual([status, body.error?.code], [500, 'integrity_failure'])
})

test('a role whose names lead to another schema is answered from the tables and the clock of ours', async () => {
  const { running, pair, database } = await aWorld()
  const expiresAt = new Date(Date.now() + 1500).toISOString()
  const { secret } = await aKey(running, pair.issuer, ['documents:read'], { expiresAt })
  await database.script(`
    create schema theirs;
    create function theirs.clock_timestamp() returns timestamptz language sql
      as 'select pg_catalog.clock_timestamp() - interval ''1 hour''';
    create table theirs.connections as select * from connections limit 0;
    grant usage on schema theirs to public;
    grant select on theirs.connections to public;
    do $$ begin
      execute format('alter role docex_service in database %I
        set search_path = theirs, pg_catalog, public', current_database());
    end $$`)
  const another = await running.startAnother()
  const get = (key: string, path: string) => callApi(another, 'GET', path, { key })
  const { body } = await get(pair.issuer.key, '/v1/connections')
  assert.equal(body.data.length, 1)
  await until('the key has expired', () => Date.now() > Date.parse(expiresAt) + 100)
  assert.equal((await get(secret, '/v1/documents')).status, 401)
})

test('nor where a function leads the names of the session elsewhere while it runs', async () => {
  const { running, pair, database } = await aWorld()
  await database.script(`
    create schema theirs;
    create function theirs.clock_timestamp() returns timestamptz language sql
      as 'select pg_catalog.clock_timestamp() - interval ''1 hour''';
    create function theirs.lead_elsewhere() returns boolean language plpgsql as $$ begin
      perform set_config('search_path', 'theirs, pg_catalog, public', false);
      return true;
    end $$;
    grant usage on schema theirs to public;
    alter table keys enable row level security;
    create policy lead_elsewhere on keys using (theirs.lead_elsewhere())`)
  const expiresAt = new Date(Date.now() + 4000).toISOString()
  const { secret } = await aKey(running, pair.issuer, ['documents:read'], { expiresAt })
  const get = () => callApi(running, 'GET', '/v1/documents', { key: secret })
  for (const _ of [1, 2, 3]) assert.equal((await get()).status, 200)
  await until('the key has expired', () => Date.now() > Date.parse(expiresAt) + 100)
  for (const _ of [1, 2, 3]) assert.equal((await get()).status, 401)
})
