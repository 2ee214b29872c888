/**
 * Issues a draft: from now on the counterparty sees it in its own projection, its content never
 * changes, and the documents it refers to are updated (specification 3, domain 2).
 */
import assert from 'node:assert/strict'
import { type DocumentTypeName, documentTypes } from '../../contract/document-types.ts'
import { type DocumentContent, patchContent } from '../../core/documents/content.ts'
import { serializePartyProfiles } from '../../core/documents/party-profiles.ts'
import { stateDigest } from '../../core/provenance/history-event.ts'
import { encodeId } from '../../core/ids.ts'
import {
  canonicalMetadata,
  canonicalRecord,
  mutableState,
  ownState,
  sharedState,
} from '../../core/provenance/shared-state.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
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
import { applyAutomaticTransition, notADraft } from './transitions.ts'
import { sourcesOf } from './source-allocations.ts'
import { updateView, insertView } from './document-views.ts'
import { saveDraft, termsForType } from './draft-content.ts'
import { linksOf } from './draft-references.ts'
import { creditedAmount, linksForHistory, applyToSource } from './source-effects.ts'
import { type IssueFacts, datesAtIssue, issueFactsOf, issueObstacles } from './issue-obstacles.ts'

export const issueDraft = (change: ChangeContext, draft: DocumentRow): DocumentRow => {
  const { unit } = change
  const { issuer_id: issuer, counterparty_id: counterparty } = draft
  if (draft.status !== 'draft') throw notADraft(draft)
  const facts = issueFactsOf(unit, draft)
  const [obstacle] = issueObstacles(facts)
  if (obstacle !== undefined) throw obstacle

  // From here the change must succeed.
  const type = documentTypes[draft.type as DocumentTypeName]
  const content = datedContent(facts)
  const sources = sourcesOf(unit, draft, content.references)
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
    party_profiles: profilesAtIssue(unit, draft),
    issued_at: at,
    updated_at: at,
  }
  const recorded = recordIssue(
    change,
    { document: issued, content },
    linksForHistory(issued.type, sources),
  )
  const statusChanged: EventDraft = { type: 'document.status_changed', previousStatus: 'draft' }
  const created = emitEvent(change, recorded, 'counterparty', { type: 'document.created' })
  const changed = emitEvent(change, created.document, 'counterparty', statusChanged)
  const { document } = emitEvent(change, changed.document, 'issuer', statusChanged)
  const saved: DocumentRow = { ...issued, ...document, counterparty_position: created.position }
  saveDraft(unit, draft, saved)
  insertView(unit, saved, 'counterparty')
  updateView(unit, saved, 'issuer')
  const { references } = content
  if (references.length > 0) unit.replaceLinks(linksOf(saved.id, references, issuer))
  for (const source of sources) applyToSource(change, source, saved)
  return applyAutomaticTransition(change, saved)
}

/** What both parties are called from now on in exports of the document. */
export const profilesAtIssue = (
  unit: UnitOfWork,
  { issuer_id, counterparty_id }: Pick<DocumentRow, 'issuer_id' | 'counterparty_id'>,
): string | null => {
  const digestOf = (id: string) => unit.get('organizations', id)!.profile_digest
  return serializePartyProfiles(digestOf(issuer_id), digestOf(counterparty_id))
}

/** Records the content for both parties, and each side's own fields for that side only. */
export const recordIssue = (
  change: ChangeContext,
  { document: issued, content }: { document: NewDocumentRow; content: DocumentContent },
  more: object,
): NewDocumentRow => {
  const { caller } = change
  const state = canonicalRecord(sharedState(issued, mutableState(issued), content))
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
        ...ownState(issued, 'issuer'),
        metadata: canonicalMetadata(JSON.parse(issued.metadata) as Record<string, string>),
      },
    },
    counterparty: { set: ownState(issued, 'counterparty') },
  })
}

const datedContent = (facts: IssueFacts): DocumentContent => {
  const { document_date, terms, valid_until } = datesAtIssue(facts)
  assert(terms.ok, 'a draft is not issued with terms that are past')
  const { hasDueDate } = documentTypes[facts.draft.type as DocumentTypeName]
  return patchContent(facts.contentOf(), {
    ...termsForType(terms, hasDueDate),
    document_date,
    valid_until,
  })
}
