/**
 * Drafts: creating and editing them (specification 3). Only the issuer knows of a draft: its
 * events, its history slots and its place in lists are the issuer's alone until it is issued.
 */
import { invalid, notFound, refuse } from '../contract/errors.ts'
import { documentTypes } from '../contract/document-types.ts'
import { limits } from '../contract/limits.ts'
import type { DocumentCreate, DocumentEdit } from '../contract/shapes/documents.ts'
import { addDays, daysBetween } from '../core/calendar.ts'
import {
  type Content,
  type Reference,
  type Terms,
  changeContent,
  makeContent,
  readContent,
} from '../core/content.ts'
import { decodeId, encodeId } from '../core/ids.ts'
import type { Problem } from '../contract/problem.ts'
import { sideOf } from '../core/project.ts'
import { writtenContent, writtenMetadata } from '../core/shared-state.ts'
import { deriveTerms, restampTerms } from '../core/terms.ts'
import { computeTotals } from '../core/totals.ts'
import type { World } from '../engine/world.ts'
import type { Rows } from '../store/rows.ts'
import { type Change, actorForBoth, actorForOwnSide } from './caller.ts'
import { changeTime, nextNumber } from './heads.ts'
import { haveOneOwner, isolated } from './isolation.ts'
import { useQuotas } from './quotas.ts'
import { type DocumentRow, appendHistory, tell, todayOf } from './record.ts'

/** Problems of the body alone, without looking at any record. */
export const lineProblems = (body: Pick<DocumentEdit, 'line_items'>): Problem[] => {
  if (body.line_items === undefined) return []
  const result = computeTotals(body.line_items)
  return result.ok ? [] : result.problems
}

export const createDraft = (
  change: Change,
  issuer: string,
  origin: 'api' | 'app',
  body: DocumentCreate,
): DocumentRow => {
  const { world, caller } = change
  const type = documentTypes[body.document_type]
  const today = todayOf(world, issuer)
  const problems = [...lineProblems(body), ...kindProblems(body, today)]
  const given = deriveTerms({
    payment_terms: body.payment_terms,
    due_date: body.due_date,
    document_date: body.document_date ?? today,
  })
  if (!given.ok) problems.push(...given.problems)
  if (problems.length > 0) throw invalid(problems)

  const { connection, counterparty } = connectionOf(world, issuer, body.connection_id)
  const references = referencesOf(world, issuer, connection.id, body.references ?? [])
  checkConnection(connection)

  useQuotas(change, issuer, ['documents_per_day', 'stored_documents'])

  // From here the change must succeed.
  const documentDate = body.document_date ?? today
  const terms =
    given.ok && given.form !== 'none'
      ? given
      : mustDerive({ payment_terms: connection.default_payment_terms, document_date: documentDate })
  const totals = mustTotal(body.line_items)
  const content = makeContent(
    {
      ...withoutDueDate(terms, type.hasDueDate),
      document_date: documentDate,
      valid_until: body.valid_until ?? lapseDate(type.validDays, documentDate),
    },
    {
      currency: body.currency ?? connection.currency,
      notes: body.notes ?? null,
      external_refs: body.external_refs ?? {},
      references,
      issuer: partyOf(world, issuer),
      counterparty: partyOf(world, counterparty),
    },
    body.line_items,
    totals,
  )
  const at = changeTime(world, [issuer])
  const draft: DocumentRow = {
    id: world.uuid(),
    mode: connection.mode,
    connection_id: connection.id,
    issuer_id: issuer,
    counterparty_id: counterparty,
    type: body.document_type,
    status: 'draft',
    origin,
    revision: 1,
    issuer_number: nextNumber(world, issuer, type.issuer.prefix),
    counterparty_number: null,
    ...movingColumns(content),
    document_date_given: body.document_date !== undefined,
    terms_form: terms.form,
    total: totals.total,
    ...unpaid,
    content: JSON.stringify(content),
    metadata: JSON.stringify(body.metadata ?? {}),
    issuer_events: 0,
    counterparty_events: 0,
    issuer_position: 0n,
    counterparty_position: null,
    stream_salt: Buffer.from(world.bytes(16)),
    head_seq: 0,
    head_hash: Buffer.alloc(32),
    integrity_hold: false,
    issued_at: null,
    created_at: at,
    updated_at: at,
  }
  const recorded = appendHistory(change, draft, {
    shared: null,
    issuer: {
      type: 'document.created',
      actor: { ...actorForBoth(caller.actor), ...actorForOwnSide(caller.actor) },
      set: {
        connection_id: body.connection_id,
        document_type: draft.type,
        origin,
        status: draft.status,
        number: draft.issuer_number,
        direction: 'issued',
        label: type.issuer.label,
        ...writtenContent(content),
        metadata: writtenMetadata(body.metadata ?? {}),
      },
    },
    counterparty: null,
  })
  const { document, position } = tell(change, recorded, 'issuer', { type: 'document.created' })
  const placed = { ...document, issuer_position: position }
  world.insert('documents', placed)
  world.insert('document_views', {
    organization_id: issuer,
    created: position,
    document_id: placed.id,
    side: 'issuer',
    number: placed.issuer_number,
    type: placed.type,
    status: placed.status,
    connection_id: placed.connection_id,
    document_date: placed.document_date,
    updated_at: at,
  })
  return placed
}

/** Nothing of it paid, credited or disputed. */
const unpaid = { amount_paid: 0n, amount_credited: 0n, dispute: null, payment: null }

export const editDraft = (
  change: Change,
  draft: Rows['documents'],
  body: DocumentEdit,
): Rows['documents'] => {
  const { world, caller } = change
  const type = documentTypes[draft.type as keyof typeof documentTypes]
  const today = todayOf(world, draft.issuer_id)
  const problems = [
    ...lineProblems(body),
    ...kindProblems({ ...body, document_type: draft.type as keyof typeof documentTypes }, today),
  ]
  const before = readContent(draft.content)
  const documentDate = body.document_date ?? before.document_date
  const terms = editedTerms(draft, body, before, documentDate)
  if (!terms.ok) problems.push(...terms.problems)
  if (problems.length > 0 || !terms.ok) throw invalid(problems)
  const references =
    body.references === undefined
      ? before.references
      : referencesOf(world, draft.issuer_id, draft.connection_id, body.references)
  if (Object.keys(body).length === 0) return draft

  // From here the change must succeed.
  const changed = changeContent(before, {
    ...withoutDueDate(terms, type.hasDueDate),
    document_date: documentDate,
    valid_until: body.valid_until === undefined ? before.valid_until : body.valid_until,
    currency: body.currency ?? before.currency,
    notes: body.notes === undefined ? before.notes : body.notes,
    external_refs: body.external_refs ?? before.external_refs,
    references,
  })
  const totals = body.line_items === undefined ? undefined : mustTotal(body.line_items)
  const content =
    totals === undefined ? changed : makeContent(changed, changed, body.line_items!, totals)
  const edited: Rows['documents'] = {
    ...draft,
    ...movingColumns(content),
    revision: draft.revision + 1,
    document_date_given: draft.document_date_given || body.document_date !== undefined,
    terms_form: terms.form,
    total: totals?.total ?? draft.total,
    content: JSON.stringify(content),
    metadata: body.metadata === undefined ? draft.metadata : JSON.stringify(body.metadata),
    updated_at: changeTime(world, [draft.issuer_id]),
  }
  const recorded = appendHistory(change, edited, {
    shared: null,
    issuer: {
      type: 'document.edited',
      actor: { ...actorForBoth(caller.actor), ...actorForOwnSide(caller.actor) },
      set: {
        ...changedFields(before, content),
        ...(body.metadata === undefined ? {} : { metadata: writtenMetadata(body.metadata) }),
      },
    },
    counterparty: null,
  })
  const { document } = tell(change, recorded, 'issuer', { type: 'document.edited' })
  const saved = { ...edited, ...document }
  world.save('documents', saved)
  world.changeView({
    organization_id: saved.issuer_id,
    created: saved.issuer_position,
    status: saved.status,
    document_date: saved.document_date,
    updated_at: saved.updated_at,
  })
  return saved
}

/** The written fields in which two versions of a draft differ. */
const changedFields = (before: Content, after: Content): object => {
  const old: Record<string, unknown> = writtenContent(before)
  return Object.fromEntries(
    Object.entries(writtenContent(after)).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(old[field]),
    ),
  )
}

/** The terms after an edit: given anew, or moved along with the document date. */
const editedTerms = (
  draft: Rows['documents'],
  body: DocumentEdit,
  before: Content,
  documentDate: string,
) => {
  if (body.payment_terms !== undefined || body.due_date !== undefined) {
    return deriveTerms({
      payment_terms: body.payment_terms,
      due_date: body.due_date,
      document_date: documentDate,
    })
  }
  const current = {
    payment_terms: before.payment_terms,
    due_date: before.due_date,
    form: draft.terms_form as 'text' | 'date' | 'none',
  }
  const moved = restampTerms(current, documentDate)
  if (moved.ok) return moved
  return {
    ok: false as const,
    problems: [
      {
        param: '/document_date',
        code: 'out_of_range' as const,
        message: `The document date is after the due date ${moved.due_date}.`,
        fix: 'send a later due_date or new payment_terms along with it',
      },
    ],
  }
}

/** What this type of document does not take, and dates outside of their bounds. */
const kindProblems = (
  body: Pick<DocumentCreate, 'document_type' | 'due_date' | 'valid_until' | 'document_date'>,
  today: string,
): Problem[] => {
  const type = documentTypes[body.document_type]
  const problems: Problem[] = []
  const add = (param: string, code: Problem['code'], message: string, fix: string) =>
    problems.push({ param, code, message, fix })
  if (type.createdBy === 'finance') {
    add(
      '/document_type',
      'invalid_value',
      `A ${body.document_type} is made by accepting a finance offer, not here.`,
      'POST /v1/finance/offers/{id}/accept',
    )
  }
  if (body.due_date != null && !type.hasDueDate) {
    add(
      '/due_date',
      'invalid_value',
      `A ${body.document_type} has no due date.`,
      'leave due_date out',
    )
  }
  const lapses = body.document_type === 'quote' || body.document_type === 'contract'
  if (body.valid_until != null && !lapses) {
    add(
      '/valid_until',
      'invalid_value',
      'Only quotes and contracts lapse.',
      'leave valid_until out',
    )
  }
  const date = body.document_date
  if (date !== undefined) {
    const isEarly = date < limits.documentDateMin
    if (isEarly || daysBetween(today, date) > limits.documentDateMaxDaysAhead) {
      add(
        '/document_date',
        'out_of_range',
        `The document date must lie between ${limits.documentDateMin} and ten years from today.`,
        `send a date up to ${addDays(today, limits.documentDateMaxDaysAhead)}`,
      )
    }
  }
  if (body.valid_until != null && body.valid_until < (date ?? today)) {
    add('/valid_until', 'out_of_range', 'The offer would end before its date.', 'send a later date')
  }
  return problems
}

/** Asked at create and again at issue: to the counterparty a document is new when it is issued. */
export const checkConnection = ({ status }: { status: string }): void => {
  if (status === 'active') return
  throw refuse('conflict', `The connection is ${status}: it takes no new documents.`, {
    reason: 'connection_not_active',
  })
}

/** The connection as a party sees it; to anyone else it does not exist. */
const connectionOf = (world: World, organization: string, id: string) => {
  const connection = world.get('connections', decodeId('con', id) ?? '')
  if (connection === undefined) throw notFound('connection', id)
  const parties = [connection.a_id, connection.b_id]
  if (!parties.includes(organization)) {
    if (parties.some((party) => haveOneOwner(world, party, organization))) throw isolated()
    throw notFound('connection', id)
  }
  const counterparty = connection.a_id === organization ? connection.b_id : connection.a_id
  return { connection, counterparty }
}

const referencesOf = (
  world: World,
  organization: string,
  connection: string,
  references: readonly Reference[],
): readonly Reference[] => {
  for (const { document_id } of references) {
    const document = world.get('documents', decodeId('doc', document_id) ?? '')
    const isSeen = document !== undefined && sideOf(document, organization) !== undefined
    if (!isSeen || document.connection_id !== connection) throw notFound('document', document_id)
  }
  return references
}

const partyOf = (world: World, organization: string) => ({
  organization_id: encodeId('org', organization),
  name: world.get('organizations', organization)!.name,
})

const movingColumns = (content: Content) => ({
  currency: content.currency,
  document_date: content.document_date,
  due_date: content.due_date,
  valid_until: content.valid_until,
})

const lapseDate = (days: number | null, from: string): string | null =>
  days === null ? null : addDays(from, days)

const mustTotal = (lines: DocumentCreate['line_items']) => {
  const result = computeTotals(lines)
  if (!result.ok) throw new Error('the lines were checked before')
  return result.totals
}

const mustDerive = (input: Parameters<typeof deriveTerms>[0]) => {
  const terms = deriveTerms(input)
  if (!terms.ok) throw new Error('the default terms of a connection are readable')
  return terms
}

/** A type that is never due keeps the words of its terms and no date. */
export const withoutDueDate = (
  terms: Omit<Terms, 'document_date' | 'valid_until'>,
  hasDueDate: boolean,
) => ({
  payment_terms: terms.payment_terms,
  net_days: hasDueDate ? terms.net_days : null,
  due_date: hasDueDate ? terms.due_date : null,
  early_payment: hasDueDate ? terms.early_payment : null,
})
