/**
 * The entry transition: from then on the counterparty sees the record in its own projection, its
 * content never changes, and what it refers to has taken notice of it (specification 3, domain 2).
 */
import { refuse } from '../../contract/errors.ts'
import { type DocumentTypeName, documentTypes } from '../../contract/document-types.ts'
import { type Content, changeContent, readContent } from '../../core/documents/content.ts'
import { stateDigest } from '../../core/provenance/history-event.ts'
import { encodeId } from '../../core/ids.ts'
import { sharedState, writtenMetadata } from '../../core/provenance/shared-state.ts'
import { restampTerms } from '../../core/documents/payment-terms.ts'
import type { Rows } from '../../database/rows.ts'
import { type Change, actorForBoth, actorForOwnSide } from '../acting-caller.ts'
import { followUp, notADraft } from './transitions.ts'
import { checkConnection, lapseDate, withoutDueDate } from './create-draft.ts'
import { type Source, sourcesOf } from './source-allocations.ts'
import { changeTime, nextNumber } from '../organization-counters.ts'
import {
  type DocumentRow,
  type Telling,
  appendHistory,
  tell,
  todayOf,
} from '../history-and-events.ts'
import { checkSources, creditOf, linksFrom, takeFrom } from './source-documents.ts'
import { changeView, insertView } from './document-views.ts'

type Document = Rows['documents']

export const issueDraft = (change: Change, draft: Document): Document => {
  const { world } = change
  const { issuer_id: issuer, counterparty_id: counterparty } = draft
  if (draft.status !== 'draft') throw notADraft(draft)
  checkConnection(world.get('connections', draft.connection_id)!)
  const type = documentTypes[draft.type as DocumentTypeName]
  const content = stampedContent(draft, todayOf(world, issuer))
  const sources = sourcesOf(world, draft, content.references)
  checkSources(draft, content, sources)

  // From here the change must succeed.
  const at = changeTime(world, [issuer, counterparty])
  const issued: Document = {
    ...draft,
    status: type.entry,
    revision: draft.revision + 1,
    document_date: content.document_date,
    due_date: content.due_date,
    valid_until: content.valid_until,
    amount_credited: creditOf(draft, sources),
    content: JSON.stringify(content),
    counterparty_number: nextNumber(world, counterparty, type.counterparty.prefix),
    issued_at: at,
    updated_at: at,
  }
  const recorded = recordIssue(change, issued, sources)
  const statusChanged: Telling = { type: 'document.status_changed', previousStatus: 'draft' }
  const seen = tell(change, recorded, 'counterparty', { type: 'document.created' })
  const told = tell(change, seen.document, 'counterparty', statusChanged)
  const { document } = tell(change, told.document, 'issuer', statusChanged)
  const saved: Document = { ...issued, ...document, counterparty_position: seen.position }
  world.save('documents', saved)
  insertView(world, saved, 'counterparty')
  changeView(world, saved, 'issuer')
  for (const source of sources) takeFrom(change, source, saved)
  return followUp(change, saved)
}

/** The whole content, for both; what is one side's own, for that side. */
const recordIssue = (change: Change, issued: Document, sources: readonly Source[]): DocumentRow => {
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
      ...linksFrom(issued.type, sources),
    },
    issuer: {
      actor: actorForOwnSide(caller.actor),
      set: {
        number: issued.issuer_number,
        direction: 'issued',
        label: type.issuer.label,
        metadata: writtenMetadata(JSON.parse(issued.metadata) as Record<string, string>),
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

/** A draft without a date of its own is dated on the day it is issued, and so are its terms. */
const stampedContent = (draft: Document, today: string): Content => {
  const type = draft.type as DocumentTypeName
  const content = readContent(draft.content)
  const documentDate = draft.document_date_given ? content.document_date : today
  const terms = restampTerms(
    {
      payment_terms: content.payment_terms,
      due_date: content.due_date,
      form: draft.terms_form as 'text' | 'date' | 'none',
    },
    documentDate,
  )
  if (!terms.ok) throw termsPast(terms.due_date)
  const valid_until = draft.valid_until_given ? draft.valid_until : lapseDate(type, documentDate)
  if (valid_until !== null && valid_until < today) throw offerPast(valid_until)
  return changeContent(content, {
    ...withoutDueDate(terms, documentTypes[type].hasDueDate),
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

/** Nobody could accept it any more. */
const offerPast = (date: string): Error =>
  refuse(
    'conflict',
    `The offer held until ${date}, which is past: send a new valid_until with PATCH, then issue.`,
    { reason: 'terms_date_past' },
  )
