/**
 * What statistics add up: the newest documents and payments of one organization. A row counts only
 * if its seal holds (docs/decisions/0149), and is proven once for each of its versions (0168).
 */
import type { Side } from '../contract/document-types.ts'
import type { ViewerOrganization } from '../core/documents/document-visibility.ts'
import type { CountedPayment } from '../core/statistics.ts'
import { columnArray } from '../database/binary-arrays.ts'
import { BrokenSeal } from '../database/row-seals.ts'
import { type Queryable, type SqlQuery, inlined, raw, sql } from '../database/sql.ts'
import { type ListedDocument, countedDocumentReader } from './documents/counted-documents.ts'
import { readRows } from './documents/document-list.ts'
import type { PackedDocument } from './documents/loaded-document.ts'
import { endOfFeed } from './documents/search-index.ts'
import { type ListedPayment, paymentsOf, settledPaymentsOf } from './payments/payments.ts'
import {
  type Block,
  type BlockState,
  type Page,
  blockStates,
  pageRows,
  provenBlocks,
  showFacts,
} from './proven-blocks.ts'

/** The versions of its documents too: where they are stored, and the sum of their xmin. */
type DocumentBlock = Block<ListedDocument> & { places: string; writers: bigint }

/**
 * Shows the newest documents; returns whether there are no others. It must read one snapshot, since
 * the rows of the list are compared with the documents that were shown.
 */
export const forEachDocument = async (
  db: Queryable,
  { viewer, scanMaxRows }: { viewer: ViewerOrganization; scanMaxRows: number },
  show: (document: ListedDocument, side: Side) => void,
): Promise<boolean> => {
  const { id: organization, resetPosition } = viewer
  const listed = sql`from document_views v where v.organization_id = ${organization}`
  const positions = { column: raw('v.position'), listed, scanMaxRows }
  const { states, isComplete } = await newestBlocks(db, positions)
  const blocks = await provenBlocks(db.seals, {
    name: `documents of ${organization} since ${resetPosition}`,
    states,
    unchanged: (blocks) => unchangedDocuments(db, blocks),
    open: (state): DocumentBlock => ({ ...state, facts: [], places: '', writers: 0n }),
    read: (page) => documentsOfPage(db, listed, page),
    prove: proofOfDocuments(db, viewer),
    missing: () =>
      new BrokenSeal('document_views', organization, 'a document of the list is missing'),
  })
  await showFacts(blocks, (document) => show(document, document.side))
  return isComplete
}

/** The documents, each with the payment of it that settled last in place of its last one. */
export const withLastSettled = async (
  db: Queryable,
  documents: readonly ListedDocument[],
): Promise<ListedDocument[]> => {
  if (documents.length === 0) return []
  const ids = documents.map(({ id }) => id)
  const settled = await settledPaymentsOf(db, ids)
  const last = new Map(settled.map((payment) => [payment.document_id, payment]))
  return documents.map((document) => {
    const payment = last.get(document.id)
    if (payment !== undefined) return { ...document, payment }
    throw new BrokenSeal('payments', document.id, 'what was paid earlier is missing')
  })
}

interface Positions {
  column: SqlQuery
  /** FROM and WHERE. */
  listed: SqlQuery
  scanMaxRows: number
}

const newestBlocks = async (
  db: Queryable,
  { column, listed, scanMaxRows }: Positions,
): Promise<{ states: BlockState[]; isComplete: boolean }> => {
  const states = await db.rows<BlockState>(
    blockStates(sql`
      select ${column} as position, xmin, updated_at ${listed}
      order by ${column} desc limit ${inlined(scanMaxRows)}`),
  )
  const scanned = states.reduce((sum, { count }) => sum + Number(count), 0)
  if (scanned < scanMaxRows) return { states, isComplete: true }
  const oldest = states.at(-1)?.first
  const older = oldest === undefined ? sql`` : sql`and ${column} < ${oldest}`
  const left = await db.row(sql`select 1 ${listed} ${older} limit 1`)
  return { states, isComplete: left === undefined }
}

type DocumentOfPage = PackedDocument & { position: bigint; version: string }

const documentsOfPage = async (
  db: Queryable,
  listed: SqlQuery,
  { first, last }: Page,
): Promise<DocumentOfPage[]> => {
  const scan = sql`select v.* ${listed} and v.position between ${first} and ${last}`
  const rows = await readRows(db, scan, sql`true`, { limit: pageRows, withVersions: true })
  const cutAt = rows.findIndex(({ content }) => content === null)
  return (cutAt < 0 ? rows : rows.slice(0, cutAt)) as DocumentOfPage[]
}

const proofOfDocuments = (db: Queryable, viewer: ViewerOrganization) => {
  const read = countedDocumentReader(db.seals, viewer)
  return (row: DocumentOfPage, block: DocumentBlock): void => {
    block.facts.push(read(row))
    const [place, writer] = row.version.split(' ')
    block.places += block.places === '' ? `"${place}"` : `,"${place}"`
    block.writers += BigInt(writer!)
  }
}

/**
 * The blocks whose documents are stored where they were, by the transactions that wrote them. The
 * place of a version that was replaced shows nothing until something is written there later, which
 * has a higher xmin: then the sum is higher. To find the rows by id would take four times as long.
 */
const unchangedDocuments = async (
  db: Queryable,
  blocks: readonly DocumentBlock[],
): Promise<DocumentBlock[]> => {
  const places = blocks.map((block) => `{${block.places}}`)
  const stored = await db.rows<{ n: number; count: bigint; writers: bigint | null }>(sql`
    select u.n::int, d.count, d.writers
    from unnest(${columnArray('text', places)}::text[]) with ordinality u (places, n)
    cross join lateral (
      select count(*) as count, sum(d.xmin::text::bigint)::bigint as writers
      from documents d where d.ctid = any (u.places::tid[])) d`)
  return stored
    .map(({ n, count, writers }) => ({ block: blocks[n - 1]!, count, writers }))
    .filter(({ block, count, writers }) => count === block.count && writers === block.writers)
    .map(({ block }) => block)
}

export type PaymentDirection = 'outgoing' | 'incoming'

/** The same for what the organization pays, or what it is paid. */
export const forEachPayment = async (
  db: Queryable,
  {
    organization,
    direction,
    scanMaxRows,
  }: { organization: string; direction: PaymentDirection; scanMaxRows: number },
  show: (payment: CountedPayment) => void,
): Promise<boolean> => {
  const side = raw(direction === 'outgoing' ? 'payer' : 'payee')
  const listed = sql`from payments p where p.${side}_id = ${organization}
    and p.${side}_position > (select reset_position from organizations where id = ${organization})`
  const positions = { column: sql`p.${side}_position`, listed, scanMaxRows }
  const { states, isComplete } = await newestBlocks(db, positions)
  const request = { organization, filters: { direction } }
  const blocks = await provenBlocks<ListedPayment, Block<CountedPayment>>(db.seals, {
    name: `${direction} payments of ${organization}`,
    states,
    unchanged: async (blocks) => blocks,
    open: (state) => ({ ...state, facts: [] }),
    read: ({ last, count }) => {
      // No payment has the highest number as its position, unless somebody has changed it.
      const before = last === endOfFeed ? undefined : last + 1n
      return paymentsOf(db, { ...request, before, limit: count })
    },
    prove: ({ status, currency, amount, settled_at, scheduled_for }, { facts }) => {
      facts.push({ status, currency, amount, settled_at, scheduled_for })
    },
    missing: () => new BrokenSeal('payments', organization, 'a payment is missing'),
  })
  await showFacts(blocks, show)
  return isComplete
}
