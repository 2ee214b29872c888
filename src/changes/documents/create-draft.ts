/**
 * A new draft (specification 3). Only the issuer knows of a draft: its events, its history slots
 * and its place in lists are the issuer's alone until it is issued.
 */
import { invalidRequest, notFound, refuse } from '../../contract/errors.ts'
import { type DocumentTypeName, documentTypes } from '../../contract/document-types.ts'
import type { Problem } from '../../contract/problem.ts'
import type { DocumentCreate } from '../../contract/shapes/documents.ts'
import { addDays } from '../../core/calendar.ts'
import {
  type DocumentContent,
  type DocumentReference,
  type ContentTerms,
  type ContentDetails,
  buildContent,
} from '../../core/documents/content.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { canonicalContent, canonicalMetadata } from '../../core/provenance/shared-state.ts'
import { deriveTerms } from '../../core/documents/payment-terms.ts'
import { computeTotals } from '../../core/documents/totals.ts'
import type { DocumentLinks, UnitOfWork } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'
import { type ChangeContext, actorForBoth, actorForOwnSide } from '../change-context.ts'
import { visibleSide } from './document-access.ts'
import { draftProblems, lineProblems } from './draft-validation.ts'
import { changeTime, nextDocumentNumber } from '../organization-counters.ts'
import { haveSameOwner, isolationRefusal } from '../identity/sandbox-isolation.ts'
import { consumeQuotas } from '../sandbox/quotas.ts'
import { type NewDocumentRow, appendHistory, emitEvent, todayOf } from '../history-and-events.ts'
import { insertView } from './document-views.ts'

/** Problems of the body but for its terms, before any record is looked at. */
export const createProblems = (body: DocumentCreate, today: string): Problem[] => [
  ...lineProblems(body),
  ...problemsBesideLines(body, today),
]

const problemsBesideLines = (body: DocumentCreate, today: string): Problem[] =>
  draftProblems(body, {
    type: body.document_type,
    today,
    documentDate: body.document_date ?? today,
    validUntil: body.valid_until ?? null,
    references: body.references ?? [],
    id: null,
  })

/** Problems of a body that its schema has refused: what rests on a refused part is not asked. */
export const problemsOfValidFields = (
  body: DocumentCreate,
  { today, isSound }: { today: string; isSound(param: string): boolean },
): Problem[] => {
  const hasFacts = ['/document_type', '/document_date', '/references'].every(isSound)
  if (!hasFacts) return lineProblems(body)
  const given = requestedTerms(body, body.document_date ?? today)
  return [...createProblems(body, today), ...(given.ok ? [] : given.problems)]
}

const requestedTerms = (body: DocumentCreate, documentDate: string) =>
  deriveTerms({
    payment_terms: body.payment_terms,
    due_date: body.due_date,
    document_date: documentDate,
  })

export const createDraft = (
  change: ChangeContext,
  issuer: string,
  origin: 'api' | 'app',
  body: DocumentCreate,
): NewDocumentRow => {
  const { unit } = change
  const type = documentTypes[body.document_type]
  const today = todayOf(unit, issuer)
  const documentDate = body.document_date ?? today
  const priced = computeTotals(body.line_items)
  const given = requestedTerms(body, documentDate)
  const problems = [
    ...(priced.ok ? [] : priced.problems),
    ...problemsBesideLines(body, today),
    ...(given.ok ? [] : given.problems),
  ]
  if (problems.length > 0 || !priced.ok || !given.ok) throw invalidRequest(problems)

  const { connection, counterparty } = connectionOf(unit, issuer, body.connection_id)
  const references = body.references ?? []
  checkReferences(unit, issuer, connection.id, references)
  checkConnectionActive(connection)
  consumeQuotas(change, issuer, ['documents_per_day', 'stored_documents'])

  // From here the change must succeed.
  const terms =
    given.form !== 'none'
      ? given
      : derivedDefaultTerms({
          payment_terms: connection.default_payment_terms,
          document_date: documentDate,
        })
  const { totals } = priced
  const content = buildContent(
    {
      ...termsForType(terms, type.hasDueDate),
      document_date: documentDate,
      valid_until: body.valid_until ?? defaultValidUntil(body.document_type, documentDate),
    },
    wordingOf(unit, body, connection, [issuer, counterparty]),
    body.line_items,
    totals,
  )
  const at = changeTime(unit, [issuer])
  const draft: NewDocumentRow = {
    ...draftDefaults,
    id: unit.newId(),
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
  if (references.length > 0) unit.replaceLinks(linksOf(placed.id, references))
  insertView(unit, placed, 'issuer')
  return placed
}

const wordingOf = (
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

/** What every draft begins with. */
export const draftDefaults = {
  status: 'draft',
  revision: 1,
  counterparty_number: null,
  amount_paid: 0n,
  amount_credited: 0n,
  derived_count: 0,
  derived_amount: 0n,
  dispute: null,
  payment: null,
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
  const { actor } = change.caller
  return appendHistory(change, draft, {
    shared: null,
    issuer: {
      type: 'document.created',
      actor: { ...actorForBoth(actor), ...actorForOwnSide(actor) },
      set: {
        connection_id: encodeId('con', draft.connection_id),
        document_type: draft.type,
        origin: draft.origin,
        status: draft.status,
        number: draft.issuer_number,
        direction: 'issued',
        label: documentTypes[draft.type as DocumentTypeName].issuer.label,
        ...canonicalContent(content),
        metadata: canonicalMetadata(metadata),
      },
    },
    counterparty: null,
  })
}

/** Asked at create and again at issue: to the counterparty a document is new when it is issued. */
export const checkConnectionActive = ({ status }: { status: string }): void => {
  if (status === 'active') return
  throw refuse('conflict', `The connection is ${status}: it takes no new documents.`, {
    reason: 'connection_not_active',
  })
}

/** The connection as a party sees it; to anyone else it does not exist. */
const connectionOf = (unit: UnitOfWork, organization: string, id: string) => {
  const connection = unit.get('connections', decodeId('con', id) ?? '')
  const missing = () => notFound('connection', id, '/connection_id')
  if (connection === undefined) throw missing()
  const parties = [connection.a_id, connection.b_id]
  const caller = unit.get('organizations', organization)
  const isOpen = ['invited', 'active'].includes(connection.status)
  if (!isOpen && caller?.reset_at != null && connection.updated_at <= caller.reset_at) {
    throw missing()
  }
  if (!parties.includes(organization)) {
    if (parties.some((party) => haveSameOwner(unit, party, organization))) throw isolationRefusal()
    throw missing()
  }
  const counterparty = connection.a_id === organization ? connection.b_id : connection.a_id
  return { connection, counterparty }
}

/** What a draft refers to lives on its connection, and its issuer sees it. */
export const checkReferences = (
  unit: UnitOfWork,
  organization: string,
  connection: string,
  references: readonly DocumentReference[],
): void => {
  references.forEach(({ document_id }, i) => {
    const document = unit.get('documents', decodeId('doc', document_id) ?? '')
    const isSeen = document !== undefined && visibleSide(unit, document, organization) !== undefined
    if (isSeen && document.connection_id === connection) return
    throw notFound('document', document_id, `/references/${i}/document_id`)
  })
}

export const linksOf = (from: string, references: readonly DocumentReference[]): DocumentLinks => ({
  from,
  rows: references.map(({ rel, document_id }) => ({
    from_id: from,
    to_id: decodeId('doc', document_id)!,
    rel,
  })),
})

const partyOf = (unit: UnitOfWork, organization: string) => ({
  organization_id: encodeId('org', organization),
  name: unit.get('organizations', organization)!.name,
})

export const contentColumns = (content: DocumentContent) => ({
  currency: content.currency,
  document_date: content.document_date,
  due_date: content.due_date,
  valid_until: content.valid_until,
})

/** The last day of an offer whose issuer names none. */
export const defaultValidUntil = (type: DocumentTypeName, from: string): string | null => {
  const { validDays } = documentTypes[type]
  return validDays === null ? null : addDays(from, validDays)
}

const derivedDefaultTerms = (input: Parameters<typeof deriveTerms>[0]) => {
  const terms = deriveTerms(input)
  if (!terms.ok) throw new Error('the default terms of a connection are readable')
  return terms
}

/** A type that is never due keeps the words of its terms and no date. */
export const termsForType = (
  terms: Omit<ContentTerms, 'document_date' | 'valid_until'>,
  hasDueDate: boolean,
) => ({
  payment_terms: terms.payment_terms,
  net_days: hasDueDate ? terms.net_days : null,
  due_date: hasDueDate ? terms.due_date : null,
  early_payment: hasDueDate ? terms.early_payment : null,
})
