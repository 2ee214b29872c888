/**
 * A new draft (specification 3). Only the issuer knows of a draft: its events, its history slots
 * and its place in lists are the issuer's alone until it is issued.
 */
import { invalid, notFound, refuse } from '../../contract/errors.ts'
import { type DocumentTypeName, documentTypes } from '../../contract/document-types.ts'
import type { Problem } from '../../contract/problem.ts'
import type { DocumentCreate } from '../../contract/shapes/documents.ts'
import { addDays } from '../../core/calendar.ts'
import {
  type Content,
  type Reference,
  type Terms,
  type Wording,
  makeContent,
} from '../../core/documents/content.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { writtenContent, writtenMetadata } from '../../core/provenance/shared-state.ts'
import { deriveTerms } from '../../core/documents/payment-terms.ts'
import { computeTotals } from '../../core/documents/totals.ts'
import type { Links, World } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'
import { type Change, actorForBoth, actorForOwnSide } from '../acting-caller.ts'
import { sideSeen } from './document-access.ts'
import { draftProblems, lineProblems } from './draft-validation.ts'
import { changeTime, nextNumber } from '../organization-counters.ts'
import { haveOneOwner, isolated } from '../identity/sandbox-isolation.ts'
import { useQuotas } from '../sandbox/quotas.ts'
import { type DocumentRow, appendHistory, tell, todayOf } from '../history-and-events.ts'
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
export const problemsOfSound = (
  body: DocumentCreate,
  { today, isSound }: { today: string; isSound(param: string): boolean },
): Problem[] => {
  const hasFacts = ['/document_type', '/document_date', '/references'].every(isSound)
  if (!hasFacts) return lineProblems(body)
  const given = givenTerms(body, body.document_date ?? today)
  return [...createProblems(body, today), ...(given.ok ? [] : given.problems)]
}

const givenTerms = (body: DocumentCreate, documentDate: string) =>
  deriveTerms({
    payment_terms: body.payment_terms,
    due_date: body.due_date,
    document_date: documentDate,
  })

export const createDraft = (
  change: Change,
  issuer: string,
  origin: 'api' | 'app',
  body: DocumentCreate,
): DocumentRow => {
  const { world } = change
  const type = documentTypes[body.document_type]
  const today = todayOf(world, issuer)
  const documentDate = body.document_date ?? today
  const priced = computeTotals(body.line_items)
  const given = givenTerms(body, documentDate)
  const problems = [
    ...(priced.ok ? [] : priced.problems),
    ...problemsBesideLines(body, today),
    ...(given.ok ? [] : given.problems),
  ]
  if (problems.length > 0 || !priced.ok || !given.ok) throw invalid(problems)

  const { connection, counterparty } = connectionOf(world, issuer, body.connection_id)
  const references = body.references ?? []
  checkReferences(world, issuer, connection.id, references)
  checkConnection(connection)
  useQuotas(change, issuer, ['documents_per_day', 'stored_documents'])

  // From here the change must succeed.
  const terms =
    given.form !== 'none'
      ? given
      : mustDerive({ payment_terms: connection.default_payment_terms, document_date: documentDate })
  const { totals } = priced
  const content = makeContent(
    {
      ...withoutDueDate(terms, type.hasDueDate),
      document_date: documentDate,
      valid_until: body.valid_until ?? lapseDate(body.document_type, documentDate),
    },
    wordingOf(world, body, connection, [issuer, counterparty]),
    body.line_items,
    totals,
  )
  const at = changeTime(world, [issuer])
  const draft: DocumentRow = {
    ...untouched,
    id: world.uuid(),
    mode: connection.mode,
    connection_id: connection.id,
    issuer_id: issuer,
    counterparty_id: counterparty,
    type: body.document_type,
    origin,
    issuer_number: nextNumber(world, issuer, type.issuer.prefix),
    ...movingColumns(content),
    document_date_given: body.document_date !== undefined,
    valid_until_given: body.valid_until != null,
    terms_form: terms.form,
    total: totals.total,
    content: JSON.stringify(content),
    metadata: JSON.stringify(body.metadata ?? {}),
    stream_salt: Buffer.from(world.bytes(16)),
    created_at: at,
    updated_at: at,
  }
  const recorded = recordCreation(change, draft, content, body.metadata ?? {})
  const { document, position } = tell(change, recorded, 'issuer', { type: 'document.created' })
  const placed = { ...document, issuer_position: position }
  world.insert('documents', placed)
  if (references.length > 0) world.setLinks(linksOf(placed.id, references))
  insertView(world, placed, 'issuer')
  return placed
}

const wordingOf = (
  world: World,
  body: DocumentCreate,
  connection: Pick<Rows['connections'], 'currency'>,
  [issuer, counterparty]: readonly [string, string],
): Wording => ({
  currency: body.currency ?? connection.currency,
  notes: body.notes ?? null,
  external_refs: body.external_refs ?? {},
  references: body.references ?? [],
  issuer: partyOf(world, issuer),
  counterparty: partyOf(world, counterparty),
})

/** What every draft begins with. */
export const untouched = {
  status: 'draft',
  revision: 1,
  counterparty_number: null,
  amount_paid: 0n,
  amount_credited: 0n,
  children: 0,
  claimed: 0n,
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
  is_over: false,
}

const recordCreation = (
  change: Change,
  draft: DocumentRow,
  content: Content,
  metadata: Readonly<Record<string, string>>,
): DocumentRow => {
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
        ...writtenContent(content),
        metadata: writtenMetadata(metadata),
      },
    },
    counterparty: null,
  })
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
  const missing = () => notFound('connection', id, '/connection_id')
  if (connection === undefined) throw missing()
  const parties = [connection.a_id, connection.b_id]
  const caller = world.get('organizations', organization)
  const isOpen = ['invited', 'active'].includes(connection.status)
  if (!isOpen && caller?.reset_at != null && connection.updated_at <= caller.reset_at) {
    throw missing()
  }
  if (!parties.includes(organization)) {
    if (parties.some((party) => haveOneOwner(world, party, organization))) throw isolated()
    throw missing()
  }
  const counterparty = connection.a_id === organization ? connection.b_id : connection.a_id
  return { connection, counterparty }
}

/** What a draft refers to lives on its connection, and its issuer sees it. */
export const checkReferences = (
  world: World,
  organization: string,
  connection: string,
  references: readonly Reference[],
): void => {
  references.forEach(({ document_id }, i) => {
    const document = world.get('documents', decodeId('doc', document_id) ?? '')
    const isSeen = document !== undefined && sideSeen(world, document, organization) !== undefined
    if (isSeen && document.connection_id === connection) return
    throw notFound('document', document_id, `/references/${i}/document_id`)
  })
}

export const linksOf = (from: string, references: readonly Reference[]): Links => ({
  from,
  rows: references.map(({ rel, document_id }) => ({
    from_id: from,
    to_id: decodeId('doc', document_id)!,
    rel,
  })),
})

const partyOf = (world: World, organization: string) => ({
  organization_id: encodeId('org', organization),
  name: world.get('organizations', organization)!.name,
})

export const movingColumns = (content: Content) => ({
  currency: content.currency,
  document_date: content.document_date,
  due_date: content.due_date,
  valid_until: content.valid_until,
})

/** The last day of an offer whose issuer names none. */
export const lapseDate = (type: DocumentTypeName, from: string): string | null => {
  const { validDays } = documentTypes[type]
  return validDays === null ? null : addDays(from, validDays)
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
