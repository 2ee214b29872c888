/** How a document is shown to the caller of an operation. */
import type { Static } from 'typebox'
import type { Call } from '../../context.ts'
import { type DocumentTypeName, type Side, documentTypes } from '../../contract/document-types.ts'
import type { Document } from '../../contract/shapes/documents.ts'
import type { NewDocumentRow } from '../../changes/change-context.ts'
import { issueBlockersOf, issueFactsOf } from '../../changes/documents/issue-obstacles.ts'
import { todayOf } from '../../changes/organization-clock.ts'
import { contentMark } from '../../core/compact-text.ts'
import { dateAt } from '../../core/dates.ts'
import { parseContent } from '../../core/documents/content.ts'
import { termsWarnings } from '../../core/documents/payment-terms.ts'
import { type Viewer, projectDocument, projectionParts } from '../../core/documents/projection.ts'
import { etagOf } from '../../core/etag.ts'
import { receiptOf } from '../../core/provenance/history-event.ts'
import { encodeId } from '../../core/ids.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { LoadedDocument } from '../../store/documents/loaded-document.ts'
import { type BlockersOf, draftBlockers } from './draft-blockers.ts'
import { paymentRightsOf } from '../change-context.ts'
import type { Reply } from '../operation.ts'
import { JsonText } from '../reply-bodies.ts'
import { rememberShown, shownAgain } from './shown-texts.ts'

export type DocumentReply = Reply<Static<typeof Document>>

type ViewOf = (document: LoadedDocument, side: Side) => Viewer

/** Today's date by the caller's clock. */
export const callersToday = ({ organization }: Pick<Call, 'organization'>): string =>
  dateAt(Date.now(), organization.clockOffsetSeconds)

/** The caller's view of the documents that it reads now. */
export const viewBy = (call: Call, blockersOf?: BlockersOf): ViewOf => {
  const { clockOffsetSeconds } = call.organization
  const now = Date.now()
  const today = dateAt(now, clockOffsetSeconds)
  const payments = paymentRightsOf(call)
  return (document, side) => {
    const { issuerClockSeconds: ahead } = document
    const hasOneClock = ahead === undefined || ahead === clockOffsetSeconds
    const issuerToday = hasOneClock ? today : dateAt(now, ahead)
    return { side, ...payments, today, issuerToday, blockers: blockersOf?.(document) }
  }
}

/** The same for documents that are read together; drafts among them have blockers. */
export const viewWithBlockersBy = async (
  call: Call,
  documents: readonly LoadedDocument[],
): Promise<ViewOf> => {
  const hasDraft = documents.some(({ connectionStatus }) => connectionStatus !== undefined)
  if (!hasDraft) return viewBy(call)
  const today = callersToday(call)
  return viewBy(call, await draftBlockers(call, documents, today))
}

/** What the caller reads of the document. */
export const documentText = async (
  call: Call,
  document: LoadedDocument,
  side: Side,
): Promise<string> => {
  const viewer = viewBy(call)(document, side)
  const known = shownAgain(document, viewer)
  if (known !== undefined) return known
  const viewOf = await viewWithBlockersBy(call, [document])
  const text = projectDocument(document, viewOf(document, side))
  rememberShown(document, viewer, text)
  return text
}

export interface WrittenDocument {
  document: NewDocumentRow
  side: Side
  hidesNumber?: boolean
  /** Whether the write decides on the terms: only then does a dry run warn about them. */
  setsTerms?: boolean
  /** Further fields of the response. */
  appended?: object
}

/** Also names the document, which is stored with the response for idempotent replays. */
export const writeReply = (
  call: Call,
  unit: UnitOfWork,
  { document, side, hidesNumber = false, setsTerms = false, appended }: WrittenDocument,
): DocumentReply => {
  const payments = paymentRightsOf(call)
  const today = todayOf(unit, call.organization.id)
  const issuerToday = todayOf(unit, document.issuer_id)
  const isDraft = document.status === 'draft'
  const blockers = isDraft ? issueBlockersOf(issueFactsOf(unit, document)) : undefined
  const viewer = { side, ...payments, today, issuerToday, hidesNumber, blockers }
  const [before, content, last] = projectionParts(document, viewer)
  const after =
    appended === undefined ? last : `${last.slice(0, -1)},${JSON.stringify(appended).slice(1)}`
  return {
    body: new JsonText(
      before + content + (call.dryRun ? withWarnings(after, document, setsTerms) : after),
    ),
    etag: etagOf(document),
    resourceId: encodeId('doc', document.id),
    ...changeOfDocument(document, before + contentMark + after),
  }
}

/** The same for a document that the write has made; a dry run assigns it no number. */
export const createdReply = (
  call: Call,
  unit: UnitOfWork,
  written: WrittenDocument,
): DocumentReply => {
  const reply = writeReply(call, unit, { ...written, hidesNumber: call.dryRun })
  return { ...reply, location: `/v1/documents/${reply.resourceId}` }
}

/** Only a dry run has warnings (contract 11 and 12). */
const withWarnings = (after: string, document: NewDocumentRow, setsTerms: boolean): string => {
  const { hasDueDate } = documentTypes[document.type as DocumentTypeName]
  const warnings = setsTerms && hasDueDate ? termsWarnings(parseContent(document.content)) : []
  return `${after.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}`
}

/** What every response to a write has that appends to the history of a document. */
export const changeOfDocument = (
  document: NewDocumentRow,
  marked: string,
): Pick<DocumentReply, 'document' | 'receipt'> => {
  const { id, revision } = document
  const receipt = receiptOf(document)
  const changed = { document: { id, revision, known: document, marked } }
  return receipt === undefined ? changed : { ...changed, receipt }
}
