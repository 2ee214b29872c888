/** Edits a draft: sent fields replace stored ones, and everything derived is recomputed. */
import { isDeepStrictEqual } from 'node:util'
import { invalidRequest } from '../../contract/errors.ts'
import { type DocumentTypeName, documentTypes } from '../../contract/document-types.ts'
import type { DocumentEdit } from '../../contract/shapes/documents.ts'
import {
  type DocumentContent,
  patchContent,
  buildContent,
  parseContent,
} from '../../core/documents/content.ts'
import { encodeId } from '../../core/ids.ts'
import { canonicalContent, canonicalMetadata } from '../../core/provenance/shared-state.ts'
import {
  type PaymentTerms,
  deriveTerms,
  namesDueDate,
  redateTerms,
  statedDueDate,
} from '../../core/documents/payment-terms.ts'
import { dueDateProblem } from '../../core/documents/terms-problems.ts'
import { computeTotals } from '../../core/documents/totals.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import { type ChangeContext, type DocumentRow, draftSlots } from '../change-context.ts'
import { changeTime } from '../organization-counters.ts'
import { appendHistory } from '../history.ts'
import { emitEvent } from '../events.ts'
import { todayOf } from '../organization-clock.ts'
import { requestedScenarioProblems } from '../sandbox/scenario-check.ts'
import { draftProblems } from './draft-validation.ts'
import { updateView } from './document-views.ts'
import { checkReferences, linksOf } from './draft-references.ts'
import { contentColumns, defaultValidUntil, saveDraft, termsForType } from './draft-content.ts'
import { checkIsNotRepeated } from './transitions.ts'

export const editDraft = (
  change: ChangeContext,
  draft: DocumentRow,
  body: DocumentEdit,
): DocumentRow => {
  const { unit } = change
  const before = parseContent(draft.content)
  const { documentDate, lastDay, references, priced, terms } = checkedEdit(
    unit,
    draft,
    before,
    body,
  )
  if (Object.keys(body).length === 0) return draft
  checkIsNotRepeated(draft)

  // From here the change must succeed.
  const changed = patchContent(before, {
    ...termsForType(terms, documentTypes[draft.type as DocumentTypeName].hasDueDate),
    document_date: documentDate,
    valid_until: lastDay.valid_until,
    currency: body.currency ?? before.currency,
    notes: body.notes === undefined ? before.notes : body.notes,
    external_refs: body.external_refs ?? before.external_refs,
    references,
  })
  const content = priced ? buildContent(changed, changed, body.line_items!, priced.totals) : changed
  const next = {
    document_date_given: draft.document_date_given || body.document_date !== undefined,
    valid_until_given: lastDay.isChosen,
    terms_form: terms.form,
    content: JSON.stringify(content),
    metadata: body.metadata === undefined ? draft.metadata : JSON.stringify(body.metadata),
  }
  if (isUnchanged(draft, next)) return fixedDates(change, draft, next)
  const edited: DocumentRow = {
    ...draft,
    ...contentColumns(content),
    ...next,
    revision: draft.revision + 1,
    total: priced?.totals.total ?? draft.total,
    updated_at: changeTime(unit, [draft.issuer_id]),
  }
  const recorded = recordEdit(change, edited, {
    ...changedFields(before, content),
    ...(body.metadata === undefined ? {} : { metadata: canonicalMetadata(body.metadata) }),
  })
  const { document } = emitEvent(change, recorded, 'issuer', { type: 'document.edited' })
  const saved = { ...edited, ...document }
  saveDraft(unit, draft, saved)
  if (body.references !== undefined) unit.replaceLinks(linksOf(saved.id, references))
  updateView(unit, saved, 'issuer')
  return saved
}

/** What an edit makes of the draft's dates, references, totals and terms, unless it is refused. */
const checkedEdit = (
  unit: UnitOfWork,
  draft: DocumentRow,
  before: DocumentContent,
  body: DocumentEdit,
) => {
  const documentDate = body.document_date ?? before.document_date
  const lastDay = editedValidUntil(draft, body, documentDate)
  const references = body.references ?? before.references
  const priced = body.line_items === undefined ? undefined : computeTotals(body.line_items)
  const terms = editedTerms(draft, body, before, documentDate)
  const facts = {
    type: draft.type as DocumentTypeName,
    today: todayOf(unit, draft.issuer_id),
    documentDate,
    validUntil: lastDay.isChosen ? lastDay.valid_until : null,
    references,
    id: encodeId('doc', draft.id),
  }
  const problems = [
    ...(priced === undefined || priced.ok ? [] : priced.problems),
    ...draftProblems(body, facts),
    ...requestedScenarioProblems(unit, draft, body.external_refs),
    ...(terms.ok ? [] : terms.problems),
  ]
  if (problems.length > 0 || !terms.ok || priced?.ok === false) throw invalidRequest(problems)
  if (body.references !== undefined) {
    checkReferences(unit, draft.issuer_id, draft.connection_id, references)
  }
  return { documentDate, lastDay, references, priced, terms }
}

const recordEdit = (change: ChangeContext, edited: DocumentRow, set: object) =>
  appendHistory(change, edited, draftSlots(change.caller.actor, { type: 'document.edited', set }))

type Choices = Pick<DocumentRow, 'document_date_given' | 'valid_until_given' | 'terms_form'>

type DraftInputs = Pick<DocumentRow, 'content' | 'metadata'>

/** Nothing that anybody sees was edited (contract 11). */
const isUnchanged = (before: DraftInputs, after: DraftInputs): boolean =>
  isDeepStrictEqual(JSON.parse(before.content), JSON.parse(after.content)) &&
  isDeepStrictEqual(JSON.parse(before.metadata), JSON.parse(after.metadata))

/** A date that was derived, and is now sent as it is, does not move when the draft is issued. */
const fixedDates = (
  { unit }: ChangeContext,
  draft: DocumentRow,
  { document_date_given, valid_until_given, terms_form }: Choices,
): DocumentRow => {
  const fixed = { ...draft, document_date_given, valid_until_given, terms_form }
  if (!isDeepStrictEqual(fixed, draft)) saveDraft(unit, draft, fixed)
  return fixed
}

/** The last day of an offer after an edit: the chosen one, or the default for its date. */
const editedValidUntil = (
  draft: DocumentRow,
  body: DocumentEdit,
  documentDate: string,
): { valid_until: string | null; isChosen: boolean } => {
  if (body.valid_until != null) return { valid_until: body.valid_until, isChosen: true }
  if (body.valid_until === undefined && draft.valid_until_given) {
    return { valid_until: draft.valid_until, isChosen: true }
  }
  return {
    valid_until: defaultValidUntil(draft.type as DocumentTypeName, documentDate),
    isChosen: false,
  }
}

/** The canonical fields in which two versions of a draft differ. */
const changedFields = (before: DocumentContent, after: DocumentContent): object => {
  const old: Record<string, unknown> = canonicalContent(before)
  return Object.fromEntries(
    Object.entries(canonicalContent(after)).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(old[field]),
    ),
  )
}

/**
 * The sent halves of the terms, each with the stored other half if that was sent itself and not
 * derived. Null for the text means no terms at all (contract 11).
 */
const remainingTerms = (
  current: Pick<PaymentTerms, 'payment_terms' | 'due_date' | 'form'>,
  { payment_terms: text, due_date: due }: DocumentEdit,
) => {
  if (text === undefined) {
    const stored = current.payment_terms
    return { payment_terms: namesDueDate(stored) ? null : stored, due_date: due }
  }
  const keepsDate = due === undefined && text !== null && !namesDueDate(text)
  return { payment_terms: text, due_date: keepsDate ? statedDueDate(current) : due }
}

/** The terms after an edit: the sent ones, or the stored ones moved with the document date. */
const editedTerms = (
  draft: DocumentRow,
  body: DocumentEdit,
  before: DocumentContent,
  documentDate: string,
) => {
  const form = draft.terms_form as PaymentTerms['form']
  const current = { payment_terms: before.payment_terms, due_date: before.due_date, form }
  if (body.payment_terms !== undefined || body.due_date !== undefined) {
    return deriveTerms({ ...remainingTerms(current, body), document_date: documentDate })
  }
  const moved = redateTerms(current, documentDate)
  if (!moved.ok) return dateRefused(`${documentDate} is after the due date ${moved.due_date}.`)
  // An earlier date is further from a due date that was stated, which is bound as on create.
  const isEarlier = documentDate < before.document_date
  const stated = isEarlier && moved.form === 'date' ? moved.due_date : null
  const problem = stated === null ? undefined : dueDateProblem(stated, documentDate)
  return problem === undefined ? moved : dateRefused(problem.message)
}

const dateRefused = (message: string) => {
  const fix = 'send another due_date or new payment_terms along with it'
  const problem = { param: '/document_date', code: 'out_of_range' as const, message, fix }
  return { ok: false as const, problems: [problem] }
}
