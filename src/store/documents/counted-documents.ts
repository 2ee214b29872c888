/** What statistics need of a document, without making all of it, since they read very many. */
import type { Side } from '../../contract/document-types.ts'
import type { ViewerOrganization } from '../../core/documents/document-visibility.ts'
import { isUnfundedRepayment } from '../../core/finance/document-finance.ts'
import { parsePayment } from '../../core/payments/payment-record.ts'
import type { CountedDocument, LastPayment } from '../../core/statistics.ts'
import { nullIfMarked } from '../../database/packed-rows.ts'
import type { RowSeals } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { listedSideOf } from './document-list.ts'
import { type ValueOf, provenValues } from './documents.ts'
import type { PackedDocument } from './loaded-document.ts'

export type ListedDocument = CountedDocument &
  Pick<Rows['documents'], 'id' | 'connection_id' | 'head_seq'> & {
    side: Side
    payment: LastPayment | null
    isIssued: boolean
  }

/**
 * Reads rows of the viewer's list. It throws BrokenSeal like `documentReader` and `listedSideOf`.
 */
export const countedDocumentReader = (
  seals: RowSeals,
  viewer: ViewerOrganization,
): ((row: PackedDocument & { position: bigint }) => ListedDocument) => {
  const kept = textKeeper()
  return (row) => {
    const { of } = provenValues(row, seals)
    const document = {
      id: of('id'),
      issuer_id: of('issuer_id'),
      counterparty_id: of('counterparty_id'),
      issued_at: nullIfMarked(of('issued_at')),
      issuer_position: BigInt(of('issuer_position')),
      counterparty_position: bigintOrNull(of('counterparty_position')),
    }
    const side = listedSideOf(document, viewer, row.position)
    return countedDocument(of, { side, isIssued: document.issued_at !== null }, kept)
  }
}

const countedDocument = (
  of: ValueOf,
  known: Pick<ListedDocument, 'side' | 'isIssued'>,
  kept: (text: string) => string,
): ListedDocument => {
  const textOrNull = (text: string) => (nullIfMarked(text) === null ? null : kept(text))
  return {
    ...known,
    id: ownText(of('id')),
    connection_id: kept(of('connection_id')),
    type: kept(of('type')),
    status: kept(of('status')),
    currency: kept(of('currency')),
    document_date: kept(of('document_date')),
    due_date: textOrNull(of('due_date')),
    total: amount(of('total')),
    amount_paid: amount(of('amount_paid')),
    amount_credited: amount(of('amount_credited')),
    payment: lastPayment(nullIfMarked(of('payment'))),
    head_seq: Number(of('head_seq')),
    isFrozen: of('is_frozen') === 't',
    isUnfunded: isUnfundedRepayment({
      type: of('type'),
      status: of('status'),
      finance: nullIfMarked(of('finance')),
    }),
  }
}

const lastPayment = (stored: string | null): LastPayment | null => {
  if (stored === null) return null
  const { status, amount, settled_at, scheduled_for } = parsePayment(stored)
  return { status, amount, settled_at, scheduled_for }
}

const bigintOrNull = (text: string): bigint | null =>
  nullIfMarked(text) === null ? null : BigInt(text)

/** Most amounts that were paid or credited are nothing, which takes no memory. */
const amount = (text: string): bigint => (text === '0' ? 0n : BigInt(text))

/** A text that was cut from a row holds on to all of the row. */
const ownText = (text: string): string => Buffer.from(text).toString()

/** Equal texts once. */
const textKeeper = (): ((text: string) => string) => {
  const texts = new Map<string, string>()
  return (text) => {
    let own = texts.get(text)
    if (own === undefined) {
      own = ownText(text)
      texts.set(own, own)
    }
    return own
  }
}
