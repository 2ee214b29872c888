/**
 * Verifies that all stored data of a document agrees with its history, with the checks of the
 * published verifier. Pure: the stored rows are arguments.
 *
 * It covers every column of prov_event, documents and document_views; inclusion.ts covers the log.
 * Of a body it covers the text, of which there is more than one stored form.
 */
import * as verifier from '../../../verifier/verify-bundle.mjs'
import { parseContent } from '../documents/content.ts'
import { documentTypes } from '../../contract/document-types.ts'
import { type VerifiedHistory, failCheck, valueOrUndefined } from './history-verification.ts'
import type { Rows } from '../../database/rows.ts'
import { type LoanDocuments, agreesWithDocuments } from '../finance/current-agreement.ts'
import {
  type LoanParts,
  financeOf,
  isHeld,
  pledgeForIssuer,
  serializeFinance,
} from '../finance/document-finance.ts'
import { encodeId } from '../ids.ts'
import { majorText, minorText } from '../money.ts'
import {
  canonicalContent,
  canonicalMetadata,
  canonicalText,
  ownState,
  sharedState,
} from './shared-state.ts'

/** The columns of a document that must agree with its history. */
export type StoredDocument = Rows['documents']

export type StoredView = Rows['document_views']

/** The list rows of a document, and the position of each party's last sandbox reset. */
export interface StoredLists {
  views: readonly StoredView[]
  resetPositions: Readonly<Record<verifier.Role, bigint>>
}

/** Checks that every column of the document agrees with the events, for both sides. */
export const checkDocument = (
  document: StoredDocument,
  lists: StoredLists,
  { events, states, textOf }: VerifiedHistory,
  isSealIntact: boolean,
): void => {
  const head = events.at(-1)!
  const isHead = document.head_seq === events.length && head.hash.equals(document.head_hash)
  if (!isHead) failCheck('HEAD', 'the document does not end with its last event')
  const times = [events[0]!.header.at, head.header.at]
  if (document.created_at !== times[0] || document.updated_at !== times[1])
    failCheck('REPLAY', 'the times differ')
  if (document.revision !== events.length) failCheck('REPLAY', 'the revision differs')
  const { issuer_id, counterparty_id, issued_at } = document
  const content = checkedContent(document)
  const parties: [string, string][] = [
    [content.issuer.organization_id, issuer_id],
    [content.counterparty.organization_id, counterparty_id],
  ]
  if (parties.some(([named, id]) => named !== encodeId('org', id)))
    failCheck('REPLAY', 'the parties differ')

  const shared = sharedState(document)
  const metadata = canonicalMetadata(JSON.parse(document.metadata) as Record<string, string>)
  const draft = {
    ...canonicalContent(content),
    connection_id: shared.connection_id,
    document_type: shared.document_type,
    origin: shared.origin,
    status: document.status,
  }
  const isShared = issued_at !== null
  const pledge = pledgeForIssuer(document)
  const issuerState = {
    ...(isShared ? shared : draft),
    ...ownState(document, 'issuer'),
    metadata,
    ...(pledge === null ? {} : { pledge }),
  }
  const counterpartyState = isShared ? { ...shared, ...ownState(document, 'counterparty') } : {}
  compare('issuer', issuerState, textOf(states.issuer))
  compare('counterparty', counterpartyState, textOf(states.counterparty))
  checkViews(document, lists)
  // Last, since every other check says more about what was changed.
  if (!isSealIntact) failCheck('GUARD', 'the seal of the row does not match')
  checkFrozen(document, lists)
}

const compare = (side: verifier.Role, row: object, replayed: string): void => {
  if (canonicalText(row) !== replayed) failCheck('REPLAY', `the ${side}'s state differs`)
}

/** Checks that texts spliced into responses have their written form and agree with the columns. */
const checkedContent = (document: StoredDocument) => {
  const { content: text, metadata, dispute } = document
  for (const stored of [text, metadata, dispute ?? 'null']) {
    const value: unknown = valueOrUndefined(() => JSON.parse(stored))
    if (JSON.stringify(value) !== stored)
      failCheck('CANONICAL', 'a text of the document is not canonical')
  }
  if (canonicalFinance(document) !== document.finance)
    failCheck('CANONICAL', 'the finance part of the document is not canonical')
  if (!(document.type in documentTypes)) failCheck('REPLAY', 'the type is unknown')
  const content = parseContent(text)
  const isUnissued = document.issued_at === null
  const isConsistent =
    content.currency === document.currency &&
    content.document_date === document.document_date &&
    content.due_date === document.due_date &&
    content.valid_until === document.valid_until &&
    majorText(content.total) === minorText(document.total) &&
    (!isUnissued ||
      (document.amount_paid === 0n &&
        document.amount_credited === 0n &&
        document.dispute === null &&
        document.counterparty_number === null))
  if (!isConsistent) failCheck('REPLAY', 'content and columns differ')
  return content
}

/** Undefined for a text that cannot be read. */
const canonicalFinance = (document: StoredDocument): string | null | undefined =>
  valueOrUndefined(() => {
    pledgeForIssuer(document)
    return serializeFinance(financeOf(document))
  })

const partiesOf = (document: StoredDocument): readonly verifier.Role[] =>
  document.issued_at === null ? ['issuer'] : ['issuer', 'counterparty']

/** The rows that the finance part of a document names. */
export interface ReferencedFinanceRows {
  finance_listings: readonly Rows['finance_listings'][]
  finance_agreements: readonly Rows['finance_agreements'][]
  /** The active ones. */
  finance_pledges: readonly Rows['finance_pledges'][]
}

/** Checks that the listing, loan and pledge that a document names are there, and no more. */
export const checkReferencedFinance = (
  document: StoredDocument,
  { resetPositions }: StoredLists,
  rows: ReferencedFinanceRows,
): void => {
  // A reset of its sandbox ends what a party has listed and pledged.
  if (viewersOf(document, resetPositions).length < partiesOf(document).length) return
  const { listing, loan, pledge } = financeOf(document)
  const isListed = rows.finance_listings.some(
    (row) => row.id === listing && row.document_id === document.id && row.status === 'open',
  )
  if (listing !== null && !isListed) failCheck('GUARD', 'the listing is gone')
  const isPart = rows.finance_agreements.some(
    (row) =>
      row.id === loan?.agreement &&
      row.invoice_id === loan.invoice &&
      row.agreement_document === loan.documents.agreement &&
      row.disbursement_document === loan.documents.disbursement &&
      row.repayment_document === loan.documents.repayment,
  )
  if (loan !== null && !isPart) failCheck('GUARD', 'the agreement is gone')
  const isCurrent = rows.finance_agreements.every((row) =>
    agreesWithDocuments(row, partOf(document, loan!)),
  )
  if (!isCurrent) failCheck('GUARD', 'the agreement is an old row')
  const named = isHeld(pledge) ? pledge.fingerprints : []
  const held = rows.finance_pledges.map(({ fingerprint }) => fingerprint)
  if (named.toSorted().join() !== held.toSorted().join()) failCheck('GUARD', 'the pledge is gone')
}

/** Which document of the loan it is. */
const partOf = (document: StoredDocument, { documents }: LoanParts): LoanDocuments => ({
  ...(document.id === documents.agreement ? { contract: document } : {}),
  ...(document.id === documents.disbursement ? { disbursement: document } : {}),
  ...(document.id === documents.repayment ? { repayment: document } : {}),
})

/** The parties that have not reset their sandbox since they saw the document. */
const viewersOf = (
  document: StoredDocument,
  resetPositions: StoredLists['resetPositions'],
): verifier.Role[] =>
  partiesOf(document).filter((side) => {
    const position = document[`${side}_position`]
    return position === null || position > resetPositions[side]
  })

/** A document is frozen when exactly one of its parties has reset; unseen ones are not checked. */
const checkFrozen = (document: StoredDocument, { resetPositions }: StoredLists): void => {
  const viewers = viewersOf(document, resetPositions).length
  const isFrozen = viewers < partiesOf(document).length
  if (viewers > 0 && document.is_frozen !== isFrozen) failCheck('REPLAY', 'is_frozen differs')
}

const checkViews = (document: StoredDocument, { views, resetPositions }: StoredLists): void => {
  const sides = viewersOf(document, resetPositions)
  const isConsistent =
    views.length === sides.length &&
    sides.every((side) => {
      const view = views.find((row) => row.side === side)
      return (
        view !== undefined &&
        view.organization_id === document[`${side}_id`] &&
        view.position === document[`${side}_position`] &&
        view.document_id === document.id &&
        view.number === document[`${side}_number`] &&
        view.type === document.type &&
        view.status === document.status &&
        view.connection_id === document.connection_id &&
        view.document_date === document.document_date &&
        view.updated_at === document.updated_at &&
        view.currency === document.currency &&
        view.due_date === document.due_date
      )
    })
  if (!isConsistent) failCheck('REPLAY', 'the list rows differ')
}
