/** An engine on its own database, with two connected organizations. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { ServerKeys } from '../../../src/core/server-keys.ts'
import { newId } from '../../../src/database/new-ids.ts'
import { openRowSeals } from '../../../src/database/row-seals.ts'
import { openDatabase } from '../../../src/database/pool.ts'
import type { Rows } from '../../../src/database/rows.ts'
import { Connection, type SqlQuery, sql } from '../../../src/database/sql.ts'
import { insertConnection } from '../../../src/store/identity/connections.ts'
import * as store from '../../../src/store/identity/organizations.ts'
import { type Engine, openEngine } from '../../../src/engine/engine.ts'
import { testDatabase, testServer } from '../database/postgres.ts'
import { openTestConnection } from '../database/test-connection.ts'

type Document = Rows['documents']

export interface EngineFixture {
  engine: Engine
  /** Reads the database, and holds locks that the engine has to wait for. */
  db: Connection
  url: string
  /** Belongs to lane 0. */
  issuer: string
  /** Belongs to lane 1. */
  counterparty: string
  connection: string
}

const seals = openRowSeals(ServerKeys.only(Buffer.alloc(32, 8)))

export const idempotency = {
  idempotencyMs: 24 * 60 * 60 * 1000,
  serverKeys: ServerKeys.only(Buffer.alloc(32, 7)),
}

export const openEngineFixture = async (): Promise<EngineFixture> => {
  const { url } = await testDatabase()
  const db = await openConnection(url)
  const issuer = await insertOrganization(db, 0)
  const counterparty = await insertOrganization(db, 1)
  const connection = newId()
  const [a_id, b_id] = [issuer, counterparty].toSorted() as [string, string]
  const now = new Date().toISOString()
  await insertConnection(db, {
    id: connection,
    mode: 'test',
    a_id,
    b_id,
    invited_by: issuer,
    status: 'active',
    default_payment_terms: null,
    currency: 'USD',
    created_at: now,
    updated_at: now,
  })
  return { engine: startEngine(url), db, url, issuer, counterparty, connection }
}

/** Starts another engine, as a second process would have; it stops when the test file ends. */
export const startEngine = (url: string): Engine => {
  const database = openDatabase(url, seals)
  const engine = openEngine(database, {
    idempotency,
    refuseBrokenSeal: async (error) => {
      throw error
    },
  })
  after(async () => {
    await engine.drained()
    await database.close()
  })
  return engine
}

export const openConnection = async (url: string): Promise<Connection> => {
  const connection = await openTestConnection(url, 'docex test', { seals })
  after(() => connection.close())
  return connection
}

/** The URL of the same database over TCP, for a proxy. */
export const loopbackUrl = async (url: string): Promise<string> => {
  const server = await testServer()
  return server.loopbackUrl.replace('/docex', /\/t_\w+/.exec(url)![0])
}

/** The last digit of an organization's id chooses its lane. */
export const insertOrganization = async (db: Connection, lane: 0 | 1): Promise<string> => {
  const id = newId().slice(0, -1) + lane
  const now = new Date().toISOString()
  await store.insertOrganization(db, {
    id,
    mode: 'test',
    name: 'Test',
    sandbox_of: null,
    is_demo: false,
    default_currency: 'USD',
    clock_offset_seconds: 0n,
    reset_position: 0n,
    reset_at: null,
    verified_at: null,
    suspended_at: null,
    profile_digest: null,
    created_at: now,
    version: 0n,
    access_version: 0n,
    row_versions: null,
  })
  await store.insertCounters(db, id, now)
  return id
}

export const documentOf = async ({ db }: EngineFixture, id: string): Promise<Document> =>
  (await db.rows<Document>(sql`select * from documents where id = ${id}`))[0]!

export const countRows = async ({ db }: EngineFixture, query: SqlQuery): Promise<number> => {
  const [row] = await db.rows<{ count: bigint }>(sql`select count(*) from (${query}) q`)
  return Number(row!.count)
}

/**
 * The invariants that hold whichever process was killed: every document has its list rows and its
 * whole history, every stored response has its document, and numbers run from 1 to n per side.
 */
export const assertRowsConsistent = async (fixture: EngineFixture): Promise<void> => {
  const violations = await fixture.db.rows<{ what: string }>(sql`
    select 'history of ' || d.id as what from documents d where d.revision <> d.head_seq
      or d.revision <> (select count(*) from prov_event p where p.document_id = d.id)
      or d.revision <> (select max(seq) from prov_event p where p.document_id = d.id)
    union all select 'views of ' || d.id from documents d
      where (select count(*) from document_views v where v.document_id = d.id)
        <> case when d.issued_at is null then 1 else 2 end
    union all select 'document of a stored response '  || resource_id from idempotency
      where resource_id::uuid not in (select id from documents)
    union all select 'history without a document ' || document_id from prov_event
      where document_id not in (select id from documents)
    union all select 'numbers of ' || h.organization_id from organization_counters h
      left join document_views v on v.organization_id = h.organization_id
      group by h.organization_id having
        coalesce((h.numbers::jsonb ->> 'INV')::int, 0) + coalesce((h.numbers::jsonb ->> 'BILL')::int, 0)
          <> count(v.number)
        or count(v.number) <> coalesce(max(regexp_replace(v.number, '[^0-9]', '', 'g')::int), 0)`)
  assert.deepEqual(
    violations.map(({ what }) => what),
    [],
  )
}
