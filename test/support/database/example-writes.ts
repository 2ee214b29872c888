/**
 * A toy for the engine: hand-made decided members on the real schema, without the rules of the
 * service. A toy document counts its changes in `revision` and sums them up in `total`, so that a
 * lost update shows.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import { draftDefaults } from '../../../src/changes/documents/create-draft.ts'
import {
  changeTime,
  nextDocumentNumber,
  nextFeedPosition,
} from '../../../src/changes/organization-counters.ts'
import { notFound, refuse } from '../../../src/contract/errors.ts'
import { type Engine, openEngine } from '../../../src/engine/engine.ts'
import { idempotencyOf } from '../../../src/engine/idempotency.ts'
import type {
  OperationResponse,
  WriteRequest,
  RowsToLock,
  WriteOutcome,
} from '../../../src/engine/write-request.ts'
import type { UnitOfWork } from '../../../src/engine/unit-of-work.ts'
import { newId } from '../../../src/database/new-ids.ts'
import { openDatabase } from '../../../src/database/pool.ts'
import { Connection, type SqlQuery, sql } from '../../../src/database/sql.ts'
import type { Rows } from '../../../src/database/rows.ts'
import { testDatabase, testServer } from './postgres.ts'

type Document = Rows['documents']

export interface EngineFixture {
  engine: Engine
  /** Looks at the database, and holds locks against the engine. */
  db: Connection
  url: string
  /** Of lane 0. */
  issuer: string
  /** Of lane 1. */
  counterparty: string
  connection: string
}

const serverKey = Buffer.alloc(32, 7)
const idempotency = { idempotencyMs: 24 * 60 * 60 * 1000, serverKey }

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

/** One more process's worth of engine; it ends with the test file. */
export const startEngine = (url: string): Engine => {
  const database = openDatabase(url)
  const engine = openEngine(database, { idempotency })
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

/** The same database over TCP, for a proxy. */
export const loopbackUrl = async (url: string): Promise<string> => {
  const { cluster } = await testServer()
  return cluster.loopbackUrl.replace('/docex', /\/t_\w+/.exec(url)![0])
}

/** An id's last digits choose the lane of its organization. */
export const insertOrganization = async (db: Connection, lane: 0 | 1): Promise<string> => {
  const id = newId().slice(0, -1) + lane
  await db.run(sql`
    insert into organizations (id, mode, name, created_at) values (${id}, 'test', 'Toy', now())`)
  await db.run(sql`
    insert into organization_counters (organization_id, changed_at) values (${id}, now())`)
  return id
}

export interface ExampleWriteOptions {
  organization: string
  needs: RowsToLock
  decide(unit: UnitOfWork): OperationResponse
  /** Null = without an Idempotency-Key; absent = a fresh one. */
  key?: string | null
  dryRun?: boolean
  bytes?: number
}

export const exampleWrite = (options: ExampleWriteOptions): WriteRequest => {
  const { organization, needs: rowsToLock, decide, key = `key-${randomUUID()}` } = options
  const request = { method: 'POST', path: '/toy', body: {} }
  return {
    organization,
    requestId: newId(),
    dryRun: options.dryRun ?? false,
    inputBytes: options.bytes ?? 100,
    write: { kind: 'batched', rowsToLock, decide },
    ...(key === null ? {} : { idempotency: idempotencyOf(serverKey, organization, key, request) }),
  }
}

type WriteOverrides = Partial<Omit<ExampleWriteOptions, 'organization' | 'needs'>>
type CreateOverrides = WriteOverrides & { change?: Partial<Document> }

/** Makes a draft; `change` may spoil its row. */
export const createWrite = (
  { issuer, counterparty, connection }: EngineFixture,
  extra: CreateOverrides = {},
): WriteRequest => {
  const decide = (unit: UnitOfWork): OperationResponse => {
    const at = changeTime(unit, [issuer])
    const number = nextDocumentNumber(unit, issuer, 'INV')
    const position = nextFeedPosition(unit, issuer)
    const document = {
      ...defaultDocument,
      id: unit.newId(),
      connection_id: connection,
      issuer_id: issuer,
      counterparty_id: counterparty,
      issuer_number: number,
      issuer_position: position,
      created_at: at,
      updated_at: at,
      ...extra.change,
    }
    unit.insert('documents', document)
    insertView(unit, document, 'issuer')
    insertHistoryEvent(unit, document.id, 1)
    return resultOf(document)
  }
  return exampleWrite({
    organization: issuer,
    needs: { connections: [connection], counters: [issuer] },
    decide,
    ...extra,
  })
}

const defaultDocument = {
  ...draftDefaults,
  row_mac: null,
  mode: 'test',
  type: 'invoice',
  origin: 'api',
  currency: 'USD',
  document_date: '2026-11-21',
  document_date_given: false,
  valid_until_given: false,
  terms_form: 'none',
  due_date: null,
  valid_until: null,
  total: 0n,
  content: '{}',
  metadata: '{}',
  stream_salt: Buffer.alloc(16),
  head_seq: 1,
}

/** Adds 1 to the total of a draft. */
export const editWrite = (
  fixture: EngineFixture,
  id: string,
  extra: WriteOverrides = {},
): WriteRequest => draftWrite(fixture, id, extra, (_world, draft) => ({ total: draft.total + 1n }))

/** Gives a draft its number on the other side. */
export const issueWrite = (
  fixture: EngineFixture,
  id: string,
  extra: WriteOverrides = {},
): WriteRequest =>
  draftWrite(fixture, id, extra, (unit, draft) => {
    const counterparty_number = nextDocumentNumber(unit, fixture.counterparty, 'BILL')
    const counterparty_position = nextFeedPosition(unit, fixture.counterparty)
    const issued_at = changeTime(unit, [fixture.issuer, fixture.counterparty])
    const issued = { status: 'submitted', counterparty_number, counterparty_position, issued_at }
    insertView(unit, { ...draft, ...issued }, 'counterparty')
    return issued
  })

export const cancelWrite = (
  fixture: EngineFixture,
  id: string,
  extra: WriteOverrides = {},
): WriteRequest => draftWrite(fixture, id, extra, () => ({ status: 'cancelled' }))

type DraftChange = (unit: UnitOfWork, draft: Document) => Partial<Document>

const draftWrite = (
  { issuer }: EngineFixture,
  id: string,
  extra: WriteOverrides,
  change: DraftChange,
): WriteRequest =>
  exampleWrite({
    organization: issuer,
    needs: { documents: [id] },
    decide: (unit) => {
      const draft = unit.get('documents', id)
      if (draft === undefined) throw notFound('document', id)
      if (draft.status !== 'draft') throw refuse('conflict', 'Not a draft.')
      const saved = {
        ...draft,
        ...change(unit, draft),
        revision: draft.revision + 1,
        head_seq: draft.head_seq + 1,
        updated_at: changeTime(unit, [issuer]),
      }
      unit.save('documents', saved)
      insertHistoryEvent(unit, id, saved.head_seq)
      return resultOf(saved)
    },
    ...extra,
  })

const insertView = (
  unit: UnitOfWork,
  document: Omit<Document, 'a_id' | 'b_id'>,
  side: 'issuer' | 'counterparty',
): void => {
  unit.insert('document_views', {
    organization_id: document[`${side}_id`],
    position: document[`${side}_position`]!,
    document_id: document.id,
    side,
    number: document[`${side}_number`]!,
    type: document.type,
    status: document.status,
    connection_id: document.connection_id,
    document_date: document.document_date,
    updated_at: document.updated_at,
  })
}

/** One row per change: a second row with one number would break the primary key. */
const insertHistoryEvent = (unit: UnitOfWork, document_id: string, seq: number): void =>
  unit.insert('prov_event', {
    document_id,
    seq,
    header: '{}',
    hash: Buffer.alloc(32),
    mac: Buffer.alloc(32),
    shared_body: null,
    shared_salt: null,
    issuer_body: null,
    issuer_salt: null,
    counterparty_body: null,
    counterparty_salt: null,
  })

const resultOf = ({ id, revision }: Pick<Document, 'id' | 'revision'>): OperationResponse => ({
  status: 200,
  body: JSON.stringify({ id, revision }),
  resourceId: id,
})

/** `done`, `replayed`, or the code of the refusal. */
export const outcomeCode = (one: WriteOutcome) =>
  one.kind === 'refused' ? one.refusal.code : one.kind

/** What a done or replayed member answered. */
export const bodyOf = (outcome: WriteOutcome): { id: string; revision: number } => {
  assert(outcome.kind !== 'refused', `answered, not refused: ${outcomeCode(outcome)}`)
  return JSON.parse(outcome.response.body) as { id: string; revision: number }
}

/** A new draft's id. */
export const insertDraft = async (fixture: EngineFixture): Promise<string> =>
  bodyOf(await fixture.engine.perform(createWrite(fixture))).id

export const documentOf = async ({ db }: EngineFixture, id: string): Promise<Document> =>
  (await db.rows<Document>(sql`select * from documents where id = ${id}`))[0]!

export const countRows = async ({ db }: EngineFixture, query: SqlQuery): Promise<number> => {
  const [row] = await db.rows<{ count: bigint }>(sql`select count(*) from (${query}) q`)
  return Number(row!.count)
}

/**
 * Every document has its list rows and its whole history, every kept answer its document, and the
 * numbers of both sides are 1 to n: what must hold whatever was killed when.
 */
export const assertRowsConsistent = async (fixture: EngineFixture): Promise<void> => {
  const violations = await fixture.db.rows<{ what: string }>(sql`
    select 'history of ' || d.id as what from documents d where d.revision <> d.head_seq
      or d.revision <> (select count(*) from prov_event p where p.document_id = d.id)
      or d.revision <> (select max(seq) from prov_event p where p.document_id = d.id)
    union all select 'views of ' || d.id from documents d
      where (select count(*) from document_views v where v.document_id = d.id)
        <> case when d.issued_at is null then 1 else 2 end
    union all select 'document of an answer ' || resource_id from idempotency
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
