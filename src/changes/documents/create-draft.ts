/**
 * Creates a draft (specification 3). Until it is issued, only the issuer sees it: its events,
 * history slots and list rows are the issuer's alone.
 */
import { invalidRequest, refuseProblems } from '../../contract/errors.ts'
import { documentTypes } from '../../contract/document-types.ts'
import type { Problem } from '../../contract/problem.ts'
import type { DocumentCreate } from '../../contract/shapes/documents.ts'
import {
  type DocumentContent,
  type ContentDetails,
  buildContent,
} from '../../core/documents/content.ts'
import { idMadeBy } from '../../core/identity/request-signature.ts'
import { encodeId } from '../../core/ids.ts'
import {
  canonicalContent,
  canonicalMetadata,
  ownState,
} from '../../core/provenance/shared-state.ts'
import { acceptedTerms, deriveTerms } from '../../core/documents/payment-terms.ts'
import { computeTotals } from '../../core/documents/totals.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'
import { replyMissing } from '../../store/provenance/used-signatures.ts'
import { type ChangeContext, type NewDocumentRow, draftSlots } from '../change-context.ts'
import { changeTime, nextDocumentNumber } from '../organization-counters.ts'
import { consumeQuotas } from '../quotas.ts'
import { requestedScenarioProblems } from '../sandbox/scenario-check.ts'
import { appendHistory } from '../history.ts'
import { emitEvent } from '../events.ts'
import { todayOf } from '../organization-clock.ts'
import { draftProblems, lineProblems } from './draft-validation.ts'
import { insertView } from './document-views.ts'
import {
  checkConnectionActive,
  connectionForDraft,
  checkReferences,
  linksOf,
} from './draft-references.ts'
import { contentColumns, defaultValidUntil, partyOf, termsForType } from './draft-content.ts'

/** What a demo counterparty is asked for has no connection, and may have no lines. */
type DraftBody = Omit<DocumentCreate, 'connection_id' | 'line_items'> &
  Partial<Pick<DocumentCreate, 'line_items'>>

/** Problems of the body except those of its lines and terms, found without reading any record. */
export const problemsBesideLines = (body: DraftBody, today: string): Problem[] =>
  draftProblems(body, {
    type: body.document_type,
    today,
    documentDate: body.document_date ?? today,
    validUntil: body.valid_until ?? null,
    references: body.references ?? [],
    id: null,
  })

/** Problems of a body that failed its schema; checks that need an invalid field are skipped. */
export const problemsOfValidFields = (
  body: DraftBody,
  { today, isSound }: { today: string; isSound(param: string): boolean },
): Problem[] => {
  const hasFacts = ['/document_type', '/document_date', '/references'].every(isSound)
  if (!hasFacts) return lineProblems(body)
  const requested = requestedTerms(body, body.document_date ?? today)
  return [
    ...lineProblems(body),
    ...problemsBesideLines(body, today),
    ...(requested.ok ? [] : requested.problems),
  ]
}

const requestedTerms = (body: DraftBody, documentDate: string) =>
  deriveTerms({
    payment_terms: body.payment_terms,
    due_date: body.due_date,
    document_date: documentDate,
  })

/** The totals and the terms of a body, which is refused with all of its problems at once. */
const checkedBody = (body: DocumentCreate, today: string, priced: PricedLines) => {
  const requested = requestedTerms(body, body.document_date ?? today)
  const problems = [
    ...(priced.ok ? [] : priced.problems),
    ...problemsBesideLines(body, today),
    ...(requested.ok ? [] : requested.problems),
  ]
  if (problems.length > 0 || !priced.ok || !requested.ok) throw invalidRequest(problems)
  return { totals: priced.totals, requested }
}

type PricedLines = ReturnType<typeof computeTotals>

interface DraftOptions {
  origin: 'api' | 'app'
  /** The totals of its lines, if they are computed already. */
  priced?: PricedLines
}

export const createDraft = (
  change: ChangeContext,
  issuer: string,
  body: DocumentCreate,
  { origin, priced = computeTotals(body.line_items) }: DraftOptions,
): NewDocumentRow => {
  const { unit } = change
  const type = documentTypes[body.document_type]
  const today = todayOf(unit, issuer)
  const documentDate = body.document_date ?? today
  const { totals, requested } = checkedBody(body, today, priced)
  const { connection, counterparty } = connectionForDraft(unit, issuer, body.connection_id)
  const played = { type: body.document_type, counterparty_id: counterparty }
  refuseProblems(requestedScenarioProblems(unit, played, body.external_refs))
  checkReferences(unit, issuer, connection.id, body.references ?? [])
  checkConnectionActive(connection.status)
  consumeQuotas(change, issuer, ['documents_per_day', 'stored_documents'])
  const id = newDraftId(change, issuer)

  // From here the change must succeed.
  const terms =
    requested.form !== 'none' || body.payment_terms === null
      ? requested
      : acceptedTerms(connection.default_payment_terms, documentDate)
  const content = buildContent(
    {
      ...termsForType(terms, type.hasDueDate),
      document_date: documentDate,
      valid_until: body.valid_until ?? defaultValidUntil(body.document_type, documentDate),
    },
    detailsOf(unit, body, connection, [issuer, counterparty]),
    body.line_items,
    totals,
  )
  const at = changeTime(unit, [issuer])
  const draft: NewDocumentRow = {
    ...draftDefaults,
    id,
    mode: connection.mode,
    connection_id: connection.id,
    issuer_id: issuer,
    counterparty_id: counterparty,
    type: body.document_type,
    origin,
    issuer_number: nextDocumentNumber(unit, issuer, type.issuer.prefix),
    ...contentColumns(content),
    document_date_given: body.document_date !== undefined,
    valid_until_given: body.valid_until != null,
    terms_form: terms.form,
    total: totals.total,
    content: JSON.stringify(content),
    metadata: JSON.stringify(body.metadata ?? {}),
    stream_salt: Buffer.from(unit.randomBytes(16)),
    created_at: at,
    updated_at: at,
  }
  const recorded = recordCreation(change, draft, content, body.metadata ?? {})
  const { document, position } = emitEvent(change, recorded, 'issuer', { type: 'document.created' })
  const placed = { ...document, issuer_position: position }
  unit.insert('documents', placed)
  if (body.references?.length) unit.replaceLinks(linksOf(placed.id, body.references))
  insertView(unit, placed, 'issuer')
  return placed
}

/**
 * The id of a draft that a signed request makes follows from what was signed: if the draft is there
 * and the stored response is not, somebody has deleted the response. A reset of the sandbox deletes
 * both (docs/decisions/0058).
 */
const newDraftId = ({ unit, caller }: ChangeContext, issuer: string): string => {
  if (caller.signature === null) return unit.newId()
  const { reset_position: resetPosition } = unit.get('organizations', issuer)!
  const id = idMadeBy(caller.signature, { organization: issuer, resetPosition })
  if (!unit.isNamed('documents', id)) return unit.needRows({ documents: [id] })
  if (unit.get('documents', id) !== undefined) throw replyMissing(id)
  return id
}

const detailsOf = (
  unit: UnitOfWork,
  body: DocumentCreate,
  connection: Pick<Rows['connections'], 'currency'>,
  [issuer, counterparty]: readonly [string, string],
): ContentDetails => ({
  currency: body.currency ?? connection.currency,
  notes: body.notes ?? null,
  external_refs: body.external_refs ?? {},
  references: body.references ?? [],
  issuer: partyOf(unit, issuer),
  counterparty: partyOf(unit, counterparty),
})

/** The columns that are equal in every new draft. */
export const draftDefaults = {
  status: 'draft',
  revision: 1,
  counterparty_number: null,
  party_profiles: null,
  amount_paid: 0n,
  amount_credited: 0n,
  derived_count: 0,
  derived_amount: 0n,
  dispute: null,
  payment: null,
  finance: null,
  issuer_events: 0,
  counterparty_events: 0,
  issuer_position: 0n,
  counterparty_position: null,
  head_seq: 0,
  head_hash: Buffer.alloc(32),
  integrity_hold: false,
  issued_at: null,
  is_frozen: false,
}

const recordCreation = (
  change: ChangeContext,
  draft: NewDocumentRow,
  content: DocumentContent,
  metadata: Readonly<Record<string, string>>,
): NewDocumentRow => {
  const set = {
    connection_id: encodeId('con', draft.connection_id),
    document_type: draft.type,
    origin: draft.origin,
    status: draft.status,
    ...ownState(draft, 'issuer'),
    ...canonicalContent(content),
    metadata: canonicalMetadata(metadata),
  }
  const slots = draftSlots(change.caller.actor, { type: 'document.created', set })
  return appendHistory(change, draft, slots)
}
