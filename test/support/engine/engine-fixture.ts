/** An engine on its own database, with two connected organizations. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { newId } from '../../../src/database/new-ids.ts'
import { openRowSeals } from '../../../src/database/row-seals.ts'
import { openDatabase } from '../../../src/database/pool.ts'
import type { Rows } from '../../../src/database/rows.ts'
import { Connection, type SqlQuery, sql } from '../../../src/database/sql.ts'
import { type Engine, openEngine } from '../../../src/engine/engine.ts'
import { testDatabase, testServer } from '../database/postgres.ts'

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

const seals = openRowSeals(Buffer.alloc(32, 8))

export const idempotency = { idempotencyMs: 24 * 60 * 60 * 1000, serverKey: Buffer.alloc(32, 7) }

export const openEngineFixture = async (): Promise<EngineFixture> => {
  const { url } = await testDatabase()
  const db = await openConnection(url)
  const issuer = await insertOrganization(db, 0)
  const counterparty = await insertOrganization(db, 1)
  const connection = newId()
  await db.run(sql`
    insert into connections (id, mode, a_id, b_id, invited_by, status, currency, created_at, updated_at)
    select ${connection}, 'test', least(i, c), greatest(i, c), i, 'active', 'USD', now(), now()
    from (select ${issuer}::uuid as i, ${counterparty}::uuid as c) parties`)
  return { engine: startEngine(url), db, url, issuer, counterparty, connection }
}

/** Starts another engine, as a second process would have; it stops when the test file ends. */
export const startEngine = (url: string): Engine => {
  const database = openDatabase(url)
  const engine = openEngine(database, {
    idempotency,
    seals,
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
  const connection = await Connection.open(url, 'docex test')
  after(() => connection.close())
  return connection
}

/** The URL of the same database over TCP, for a proxy. */
export const loopbackUrl = async (url: string): Promise<string> => {
  const { cluster } = await testServer()
  return cluster.loopbackUrl.replace('/docex', /\/t_\w+/.exec(url)![0])
}

/** The last digit of an organization's id chooses its lane. */
export const insertOrganization = async (db: Connection, lane: 0 | 1): Promise<string> => {
  const id = newId().slice(0, -1) + lane
  await db.run(sql`
    insert into organizations (id, mode, name, created_at) values (${id}, 'test', 'Test', now())`)
  await db.run(sql`
    insert into organization_counters (organization_id, changed_at) values (${id}, now())`)
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
        coalesce((h.numbers ->> 'INV')::int, 0) + coalesce((h.numbers ->> 'BILL')::int, 0)
          <> count(v.number)
        or count(v.number) <> coalesce(max(regexp_replace(v.number, '[^0-9]', '', 'g')::int), 0)`)
  assert.deepEqual(
    violations.map(({ what }) => what),
    [],
  )
}
