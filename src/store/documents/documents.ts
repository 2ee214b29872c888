/** Documents as readers load them: by id, and in the packed form that lists use too. */
import { provenRow } from '../../database/proven-rows.ts'
import { type Queryable, type SqlQuery, raw, sql, timestamp } from '../../database/sql.ts'
import { type WithOrdinal, batchLoader, inKeyOrder } from '../../database/batch-loader.ts'
import {
  nullIfMarked,
  packed as pack,
  packedRow,
  printedColumn,
  splitPrinted,
} from '../../database/packed-rows.ts'
import {
  BrokenSeal,
  type RowSeals,
  missingRow,
  nullMark,
  orBrokenSeal,
  sealedColumns,
  separator,
} from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { isDocumentVisible } from '../visibility.ts'
import type { LoadedDocument, PackedDocument } from './loaded-document.ts'
import { isListedVersion, isNewestVersion } from './newest-version.ts'
import {
  type PackedVersion,
  isKnown,
  knownDocuments,
  readUnlessProven,
} from './proven-documents.ts'

/** All sealed columns but the last one, `content`. */
const packedNames = sealedColumns.documents.slice(0, -1)

/**
 * The small columns packed into one text, as their seal covers them. Only an open offer needs the
 * clock of its issuer, so every other document costs no look-up.
 */
const packedWithoutContent = (isCurrent: string): SqlQuery =>
  pack([
    `case when ${isCurrent} then 't' else 'f' end`,
    `encode(d.seal, 'hex')`,
    `coalesce(case when d.lapses_after is not null then
    (select clock_offset_seconds from organizations where id = d.issuer_id) end::text, '')`,
    ...packedNames.map((name) => printedColumn('documents', 'd', name)),
  ])

/** The connection of a draft `d`, whose status decides whether the draft can be issued. */
const packedConnection = sql`case when d.status = 'draft' then (
  select ${packedRow('connections', 'c')} from connections c where c.id = d.connection_id
) end as connection`

/** A document `d` of a page, whose row is `v`: two values instead of forty, without the content. */
export const packedListedDocument = sql`${packedWithoutContent(isListedVersion)} as packed, ${packedConnection}`

/** The place of each column among the packed values. */
const at = Object.fromEntries(packedNames.map((name, i) => [name, i])) as Record<string, number>

/**
 * Reads the rows of one statement. It throws BrokenSeal if a column is not as it was sealed, or if
 * a row is not the newest one.
 */
export const documentReader = (seals: RowSeals): ((row: PackedDocument) => LoadedDocument) =>
  readUnlessProven(seals, (row) => unpackDocument(row, seals))

export type ValueOf = (name: keyof Rows['documents']) => string

/** The printed values of each column but the content; throws BrokenSeal like `documentReader`. */
export const provenValues = (
  { packed, content }: PackedDocument,
  seals: RowSeals,
): { of: ValueOf; clock: string } => {
  // Three values precede the sealed ones: `t` for the newest version, the seal in hex, and the
  // issuer's clock.
  const sealEnd = packed.indexOf(separator, 2)
  const clockEnd = packed.indexOf(separator, sealEnd + 1)
  const clock = packed.slice(sealEnd + 1, clockEnd)
  const printed = packed.slice(clockEnd + 1)
  const values = splitPrinted(printed, packedNames.length)
  const of: ValueOf = (name) => values[at[name]!]!
  const seal = Buffer.from(packed.slice(2, sealEnd), 'hex')
  const isAsSealed = seals.holdsPrinted('documents', [printed, separator, content], seal)
  if (!isAsSealed || !packed.startsWith('t')) throw new BrokenSeal('documents', of('id'))
  return { of, clock }
}

const unpackDocument = (row: PackedDocument, seals: RowSeals): LoadedDocument => {
  const { content, connection } = row
  const { of, clock } = provenValues(row, seals)
  const isDraft = of('status') === 'draft'
  // No connection is ever deleted.
  if (isDraft && connection === null) throw new BrokenSeal('connections', of('connection_id'))
  const connectionStatus = isDraft ? provenRow(seals, 'connections', connection!).status : undefined
  const issuedAt = of('issued_at')
  const counterpartyPosition = of('counterparty_position')
  return {
    id: of('id'),
    connection_id: of('connection_id'),
    issuer_id: of('issuer_id'),
    counterparty_id: of('counterparty_id'),
    type: of('type'),
    status: of('status'),
    origin: of('origin'),
    revision: Number(of('revision')),
    issuer_number: of('issuer_number'),
    counterparty_number: nullIfMarked(of('counterparty_number')),
    party_profiles: nullIfMarked(of('party_profiles')),
    document_date: of('document_date'),
    due_date: nullIfMarked(of('due_date')),
    total: BigInt(of('total')),
    amount_paid: BigInt(of('amount_paid')),
    amount_credited: BigInt(of('amount_credited')),
    derived_count: Number(of('derived_count')),
    metadata: of('metadata'),
    dispute: nullIfMarked(of('dispute')),
    payment: nullIfMarked(of('payment')),
    finance: nullIfMarked(of('finance')),
    issued_at: issuedAt === nullMark ? null : timestamp(issuedAt),
    created_at: timestamp(of('created_at')),
    updated_at: timestamp(of('updated_at')),
    valid_until: nullIfMarked(of('valid_until')),
    is_frozen: of('is_frozen') === 't',
    head_seq: Number(of('head_seq')),
    counterparty_events: Number(of('counterparty_events')),
    issuer_position: BigInt(of('issuer_position')),
    counterparty_position: counterpartyPosition === nullMark ? null : BigInt(counterpartyPosition),
    issuerClockSeconds: clock === '' ? undefined : BigInt(clock),
    document_date_given: of('document_date_given') === 't',
    valid_until_given: of('valid_until_given') === 't',
    terms_form: of('terms_form'),
    integrity_hold: of('integrity_hold') === 't',
    connectionStatus,
    lastShown: { isShown: false, viewer: undefined, text: undefined },
    content,
  }
}

/** Undefined if there is none with the id. */
export type FoundDocument = LoadedDocument | BrokenSeal | undefined

export const hasBrokenSeal = (found: FoundDocument): found is BrokenSeal =>
  found instanceof BrokenSeal

/** A document of which there are other rows, but not its own. */
export const lostDocument = (id: string): BrokenSeal => missingRow('documents', id)

const unlessKnown = (value: SqlQuery): SqlQuery =>
  sql`case when ${isKnown} then null else ${value} end`

/** Five values per row, of a document `d` with its connection `c` if it is a draft. */
const packedUnlessKnown = sql`
  ${unlessKnown(raw('d.xmin::text'))} as xmin,
  ${unlessKnown(packedWithoutContent(isNewestVersion))} as packed,
  ${unlessKnown(raw('d.content'))} as content, c.xmin::text as connection_xmin,
  ${unlessKnown(sql`case when c.id is not null then ${packedRow('connections', 'c')} end`)}
    as connection`

/**
 * The documents in the order of the ids. A broken seal fails the look-up of its document alone.
 * What is known of a document is not printed again while PostgreSQL has the same versions of its
 * rows.
 */
export const documentsById = async (
  db: Queryable,
  ids: readonly string[],
): Promise<FoundDocument[]> => {
  const { idsWithKnown, known, add } = knownDocuments(db.seals, ids)
  const rows = await db.rows<PackedVersion & WithOrdinal>(sql`
    select u.ordinal::int, ${packedUnlessKnown}
    from ${idsWithKnown}
    join documents d on d.id = u.id
    left join connections c on d.status = 'draft' and c.id = d.connection_id`)
  return inKeyOrder(rows, ids.length, (row) => {
    if (row.xmin === null) return known(row.ordinal)
    return orBrokenSeal(() => {
      const document = Object.freeze(unpackDocument(row, db.seals))
      add(row, document)
      return document
    })
  })
}

/** Looks up one document, together with those that others look up in the same moment. */
export const openDocumentLookUp = (db: Queryable) =>
  batchLoader((ids: readonly string[]) => documentsById(db, ids))

/** Whether the same owner's organization in the other mode sees the document (contract 11). */
export const isDocumentOwnInOtherMode = async (
  db: Queryable,
  { id, organization }: { id: string; organization: string },
): Promise<boolean> => {
  const rows = await db.rows(sql`
    select 1 from documents d
    join organizations o on ${isDocumentVisible}
    join organizations c on c.id = ${organization}
    where d.id = ${id} and (o.sandbox_of = c.id or c.sandbox_of = o.id)`)
  return rows.length > 0
}

/** Whether the organization sees the document. Its lock is taken later. */
export const isVisibleTo = async (
  db: Queryable,
  organization: string,
  document: string,
): Promise<boolean> => {
  const rows = await db.rows(sql`
    select 1 from documents d join organizations o on o.id = ${organization}
    where d.id = ${document} and ${isDocumentVisible}`)
  return rows.length > 0
}
