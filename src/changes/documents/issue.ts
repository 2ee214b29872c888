/**
 * Issues a draft: from now on the counterparty sees it in its own projection, its content never
 * changes, and the documents it refers to are updated (specification 3, domain 2).
 */
import { refuse } from '../../contract/errors.ts'
import { type DocumentTypeName, documentTypes } from '../../contract/document-types.ts'
import { type DocumentContent, patchContent, parseContent } from '../../core/documents/content.ts'
import { stateDigest } from '../../core/provenance/history-event.ts'
import { encodeId } from '../../core/ids.ts'
import { sharedState, canonicalMetadata } from '../../core/provenance/shared-state.ts'
import { redateTerms } from '../../core/documents/payment-terms.ts'
import {
  type ChangeContext,
  type NewDocumentRow,
  type DocumentRow,
  actorForBoth,
  actorForOwnSide,
} from '../change-context.ts'
import { changeTime, nextDocumentNumber } from '../organization-counters.ts'
import { type EventDraft, emitEvent } from '../events.ts'
import { appendHistory } from '../history.ts'
import { todayOf } from '../organization-clock.ts'
import { applyAutomaticTransition, notADraft } from './transitions.ts'
import { sourcesOf } from './source-allocations.ts'
import { updateView, insertView } from './document-views.ts'
import { checkConnectionActive } from './draft-references.ts'
import { defaultValidUntil, saveDraft, termsForType } from './draft-content.ts'
import { checkSources, creditedAmount, linksForHistory, applyToSource } from './issue-effects.ts'

export const issueDraft = (change: ChangeContext, draft: DocumentRow): DocumentRow => {
  const { unit } = change
  const { issuer_id: issuer, counterparty_id: counterparty } = draft
  if (draft.status !== 'draft') throw notADraft(draft)
  checkConnectionActive(unit.get('connections', draft.connection_id)!)
  const type = documentTypes[draft.type as DocumentTypeName]
  const content = datedContent(draft, todayOf(unit, issuer))
  const sources = sourcesOf(unit, draft, content.references)
  checkSources(draft, content, sources)

  // From here the change must succeed.
  const at = changeTime(unit, [issuer, counterparty])
  const issued: DocumentRow = {
    ...draft,
    status: type.issuedStatus,
    revision: draft.revision + 1,
    document_date: content.document_date,
    due_date: content.due_date,
    valid_until: content.valid_until,
    amount_credited: creditedAmount(draft, sources),
    content: JSON.stringify(content),
    counterparty_number: nextDocumentNumber(unit, counterparty, type.counterparty.prefix),
    issued_at: at,
    updated_at: at,
  }
  const recorded = recordIssue(change, issued, linksForHistory(issued.type, sources))
  const statusChanged: EventDraft = { type: 'document.status_changed', previousStatus: 'draft' }
  const created = emitEvent(change, recorded, 'counterparty', { type: 'document.created' })
  const changed = emitEvent(change, created.document, 'counterparty', statusChanged)
  const { document } = emitEvent(change, changed.document, 'issuer', statusChanged)
  const saved: DocumentRow = { ...issued, ...document, counterparty_position: created.position }
  saveDraft(unit, draft, saved)
  insertView(unit, saved, 'counterparty')
  updateView(unit, saved, 'issuer')
  for (const source of sources) applyToSource(change, source, saved)
  return applyAutomaticTransition(change, saved)
}

/** Records the content for both parties, and each side's own fields for that side only. */
export const recordIssue = (
  change: ChangeContext,
  issued: NewDocumentRow,
  more: object,
): NewDocumentRow => {
  const { caller } = change
  const type = documentTypes[issued.type as DocumentTypeName]
  const state = sharedState(issued)
  return appendHistory(change, issued, {
    shared: {
      type: 'document.issued',
      actor: actorForBoth(caller.actor),
      parties: {
        issuer: encodeId('org', issued.issuer_id),
        counterparty: encodeId('org', issued.counterparty_id),
      },
      set: state,
      state: stateDigest(state),
      ...more,
    },
    issuer: {
      actor: actorForOwnSide(caller.actor),
      set: {
        number: issued.issuer_number,
        direction: 'issued',
        label: type.issuer.label,
        metadata: canonicalMetadata(JSON.parse(issued.metadata) as Record<string, string>),
      },
    },
    counterparty: {
      set: {
        number: issued.counterparty_number,
        direction: 'received',
        label: type.counterparty.label,
      },
    },
  })
}

/** A draft without a chosen date gets the day of issue, and its terms move with it. */
const datedContent = (draft: DocumentRow, today: string): DocumentContent => {
  const type = draft.type as DocumentTypeName
  const content = parseContent(draft.content)
  const documentDate = draft.document_date_given ? content.document_date : today
  const terms = redateTerms(
    {
      payment_terms: content.payment_terms,
      due_date: content.due_date,
      form: draft.terms_form as 'text' | 'date' | 'none',
    },
    documentDate,
  )
  if (!terms.ok) throw termsPast(terms.due_date)
  const valid_until = draft.valid_until_given
    ? draft.valid_until
    : defaultValidUntil(type, documentDate)
  if (valid_until !== null && valid_until < today) throw offerPast(valid_until)
  return patchContent(content, {
    ...termsForType(terms, documentTypes[type].hasDueDate),
    document_date: documentDate,
    valid_until,
  })
}

const termsPast = (date: string): Error =>
  refuse(
    'conflict',
    `The terms name ${date}, which is past: send new payment_terms with PATCH, then issue.`,
    { reason: 'terms_date_past' },
  )

const offerPast = (date: string): Error =>
  refuse(
    'conflict',
    `The offer was valid until ${date}, which is past: send a new valid_until with PATCH, then issue.`,
    { reason: 'terms_date_past' },
  )
