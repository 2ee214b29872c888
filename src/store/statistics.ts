/**
 * What statistics add up: the newest documents and payments of one organization, read like the
 * pages of its lists, so that a row counts only if its seal holds (docs/decisions/0149).
 */
import { type ViewerOrganization, visibleSideOf } from '../core/documents/document-visibility.ts'
import type { Side } from '../contract/document-types.ts'
import { BrokenSeal } from '../database/row-seals.ts'
import { type Queryable, sql } from '../database/sql.ts'
import { listDocuments } from './documents/document-list.ts'
import type { LoadedDocument } from './documents/documents.ts'
import { type ListedPayment, paymentsOf } from './payments/payments.ts'

/** The process does nothing else while it proves a page. */
const pageRows = 200

/**
 * Shows the newest documents, page by page; returns whether there are no others. It must read one
 * snapshot, since the rows of the list are compared with the documents that were shown.
 */
export const forEachDocument = async (
  db: Queryable,
  { viewer, scanMaxRows }: { viewer: ViewerOrganization; scanMaxRows: number },
  show: (document: LoadedDocument, side: Side) => void,
): Promise<boolean> => {
  const page = { organization: viewer.id, filters: {}, limit: pageRows, scanMaxRows: pageRows }
  let last: bigint | undefined
  let shown = 0
  for (let before: bigint | null | undefined; before !== null;) {
    const { rows, next } = await listDocuments({ read: db, pages: db }, { ...page, before })
    for (const document of rows) {
      if (shown === scanMaxRows) return false
      last = shownOnce(document, viewer, last)
      show(document, visibleSideOf(document, viewer)!)
      shown += 1
    }
    before = next
  }
  await assertAllShown(db, viewer, shown)
  return true
}

/**
 * The position of the document in the viewer's list. A second row of a document, and a row of what
 * the viewer must not see, would be counted as well: they are no rows of the service.
 */
const shownOnce = (
  document: LoadedDocument,
  viewer: ViewerOrganization,
  last: bigint | undefined,
): bigint => {
  const side = visibleSideOf(document, viewer)
  const position = side === undefined ? null : document[`${side}_position`]
  if (position !== null && (last === undefined || position < last)) return position
  throw new BrokenSeal('document_views', document.id, 'a row of a list was made up')
}

/** A row of the list without its document shows nothing. */
const assertAllShown = async (
  db: Queryable,
  { id }: ViewerOrganization,
  shown: number,
): Promise<void> => {
  const listed = await db.row<{ count: bigint }>(sql`
    select count(*) as count from document_views where organization_id = ${id}`)
  if (listed!.count === BigInt(shown)) return
  throw new BrokenSeal('document_views', id, 'a document of the list is missing')
}

export type PaymentDirection = 'outgoing' | 'incoming'

/** The same of what the organization pays, or of what it is paid. */
export const forEachPayment = async (
  db: Queryable,
  {
    organization,
    direction,
    scanMaxRows,
  }: { organization: string; direction: PaymentDirection; scanMaxRows: number },
  show: (payment: ListedPayment) => void,
): Promise<boolean> => {
  const request = { organization, filters: { direction }, limit: pageRows }
  let shown = 0
  for (let before: bigint | undefined; ;) {
    const page = await paymentsOf(db, { ...request, before })
    for (const payment of page) {
      if (shown === scanMaxRows) return false
      show(payment)
      shown += 1
    }
    if (page.length < pageRows) return true
    before = page.at(-1)!.position
  }
}
