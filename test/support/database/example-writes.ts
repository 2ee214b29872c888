/**
 * A toy for the engine: hand-made decided members on the real schema, without the rules of the
 * service. A toy document counts its changes in `revision` and sums them up in `total`, so that a
 * lost update shows.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import { untouched } from '../../../src/changes/documents/create-draft.ts'
import { changeTime, nextNumber, nextPosition } from '../../../src/changes/organization-counters.ts'
import { notFound, refuse } from '../../../src/contract/errors.ts'
import { type Engine, openEngine } from '../../../src/engine/engine.ts'
import { idempotencyOf } from '../../../src/engine/idempotency.ts'
import type { Answer, Member, Needs, Outcome } from '../../../src/engine/write-request.ts'
import type { World } from '../../../src/engine/unit-of-work.ts'
import { newId } from '../../../src/database/new-ids.ts'
import { openDatabase } from '../../../src/database/pool.ts'
import { Connection, type Query, sql } from '../../../src/database/sql.ts'
import type { Rows } from '../../../src/database/rows.ts'
import { testDatabase, testServer } from './postgres.ts'

type Document = Rows['documents']

export interface Toy {
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
const retention = { idempotencyMs: 24 * 60 * 60 * 1000, serverKey }

export const openToy = async (): Promise<Toy> => {
  const { url } = await testDatabase()
  const db = await openConnection(url)
  const issuer = await anOrganization(db, 0)
  const counterparty = await anOrganization(db, 1)
  const connection = newId()
  await db.run(sql`
    insert into connections (id, mode, a_id, b_id, invited_by, status, currency, created_at, updated_at)
    select ${connection}, 'test', least(i, c), greatest(i, c), i, 'active', 'USD', now(), now()
    from (select ${issuer}::uuid as i, ${counterparty}::uuid as c) parties`)
  return { engine: anEngine(url), db, url, issuer, counterparty, connection }
}

/** One more process's worth of engine; it ends with the test file. */
export const anEngine = (url: string): Engine => {
  const database = openDatabase(url)
  const engine = openEngine(database, { retention })
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
export const anOrganization = async (db: Connection, lane: 0 | 1): Promise<string> => {
  const id = newId().slice(0, -1) + lane
  await db.run(sql`
    insert into organizations (id, mode, name, created_at) values (${id}, 'test', 'Toy', now())`)
  await db.run(sql`
    insert into organization_heads (organization_id, changed_at) values (${id}, now())`)
  return id
}

export interface MemberOptions {
  organization: string
  needs: Needs
  decide(world: World): Answer
  /** Null = without an Idempotency-Key; absent = a fresh one. */
  key?: string | null
  dryRun?: boolean
  bytes?: number
}

export const member = (options: MemberOptions): Member => {
  const { organization, needs, decide, key = `key-${randomUUID()}` } = options
  const request = { method: 'POST', path: '/toy', body: {} }
  return {
    organization,
    requestId: newId(),
    dryRun: options.dryRun ?? false,
    bytes: options.bytes ?? 100,
    write: { kind: 'decided', needs, decide },
    ...(key === null ? {} : { idempotency: idempotencyOf(serverKey, organization, key, request) }),
  }
}

type Extra = Partial<Omit<MemberOptions, 'organization' | 'needs'>>
type Spoilt = Extra & { change?: Partial<Document> }

/** Makes a draft; `change` may spoil its row. */
export const creates = ({ issuer, counterparty, connection }: Toy, extra: Spoilt = {}): Member => {
  const decide = (world: World): Answer => {
    const at = changeTime(world, [issuer])
    const number = nextNumber(world, issuer, 'INV')
    const position = nextPosition(world, issuer)
    const document = {
      ...blank,
      id: world.uuid(),
      connection_id: connection,
      issuer_id: issuer,
      counterparty_id: counterparty,
      issuer_number: number,
      issuer_position: position,
      created_at: at,
      updated_at: at,
      ...extra.change,
    }
    world.insert('documents', document)
    seeFor(world, document, 'issuer')
    remember(world, document.id, 1)
    return answerOf(document)
  }
  return member({
    organization: issuer,
    needs: { connections: [connection], heads: [issuer] },
    decide,
    ...extra,
  })
}

const blank = {
  ...untouched,
  guard: null,
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
export const edits = (toy: Toy, id: string, extra: Extra = {}): Member =>
  changes(toy, id, extra, (_world, draft) => ({ total: draft.total + 1n }))

/** Gives a draft its number on the other side. */
export const issues = (toy: Toy, id: string, extra: Extra = {}): Member =>
  changes(toy, id, extra, (world, draft) => {
    const counterparty_number = nextNumber(world, toy.counterparty, 'BILL')
    const counterparty_position = nextPosition(world, toy.counterparty)
    const issued_at = changeTime(world, [toy.issuer, toy.counterparty])
    const issued = { status: 'submitted', counterparty_number, counterparty_position, issued_at }
    seeFor(world, { ...draft, ...issued }, 'counterparty')
    return issued
  })

export const cancels = (toy: Toy, id: string, extra: Extra = {}): Member =>
  changes(toy, id, extra, () => ({ status: 'cancelled' }))

type Change = (world: World, draft: Document) => Partial<Document>

const changes = ({ issuer }: Toy, id: string, extra: Extra, change: Change): Member =>
  member({
    organization: issuer,
    needs: { documents: [id] },
    decide: (world) => {
      const draft = world.get('documents', id)
      if (draft === undefined) throw notFound('document', id)
      if (draft.status !== 'draft') throw refuse('conflict', 'Not a draft.')
      const saved = {
        ...draft,
        ...change(world, draft),
        revision: draft.revision + 1,
        head_seq: draft.head_seq + 1,
        updated_at: changeTime(world, [issuer]),
      }
      world.save('documents', saved)
      remember(world, id, saved.head_seq)
      return answerOf(saved)
    },
    ...extra,
  })

const seeFor = (
  world: World,
  document: Omit<Document, 'a_id' | 'b_id'>,
  side: 'issuer' | 'counterparty',
): void => {
  world.insert('document_views', {
    organization_id: document[`${side}_id`],
    created: document[`${side}_position`]!,
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
const remember = (world: World, document_id: string, seq: number): void =>
  world.insert('prov_event', {
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

const answerOf = ({ id, revision }: Pick<Document, 'id' | 'revision'>): Answer => ({
  status: 200,
  body: JSON.stringify({ id, revision }),
  resourceId: id,
})

/** `done`, `replayed`, or the code of the refusal. */
export const said = (one: Outcome) => (one.kind === 'refused' ? one.refusal.code : one.kind)

/** What a done or replayed member answered. */
export const bodyOf = (outcome: Outcome): { id: string; revision: number } => {
  assert(outcome.kind !== 'refused', `answered, not refused: ${said(outcome)}`)
  return JSON.parse(outcome.answer.body) as { id: string; revision: number }
}

/** A new draft's id. */
export const aDraft = async (toy: Toy): Promise<string> =>
  bodyOf(await toy.engine.perform(creates(toy))).id

export const documentOf = async ({ db }: Toy, id: string): Promise<Document> =>
  (await db.rows<Document>(sql`select * from documents where id = ${id}`))[0]!

export const count = async ({ db }: Toy, query: Query): Promise<number> => {
  const [row] = await db.rows<{ count: bigint }>(sql`select count(*) from (${query}) q`)
  return Number(row!.count)
}

/**
 * Every document has its list rows and its whole history, every kept answer its document, and the
 * numbers of both sides are 1 to n: what must hold whatever was killed when.
 */
export const assertWhole = async (toy: Toy): Promise<void> => {
  const wrong = await toy.db.rows<{ what: string }>(sql`
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
    union all select 'numbers of ' || h.organization_id from organization_heads h
      left join document_views v on v.organization_id = h.organization_id
      group by h.organization_id having
        coalesce((h.numbers ->> 'INV')::int, 0) + coalesce((h.numbers ->> 'BILL')::int, 0)
          <> count(v.number)
        or count(v.number) <> coalesce(max(regexp_replace(v.number, '[^0-9]', '', 'g')::int), 0)`)
  assert.deepEqual(
    wrong.map(({ what }) => what),
    [],
  )
}
