/**
 * Creates one of the three documents of a loan (domain 5.4). Nobody drafts it: both parties see it
 * from its first event on, which records its content like the issue of any other document.
 */
import { documentTypes } from '../../contract/document-types.ts'
import { type LoanTerms, feeAmountOf } from '../../core/finance/loan-terms.ts'
import { daysBetween } from '../../core/dates.ts'
import { buildContent } from '../../core/documents/content.ts'
import { computeTotals } from '../../core/documents/totals.ts'
import { fromMinor } from '../../core/money.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { ChangeContext, DocumentRow, NewDocumentRow } from '../change-context.ts'
import { draftDefaults } from '../documents/create-draft.ts'
import { bothSides } from '../documents/document-access.ts'
import { contentColumns, partyOf } from '../documents/draft-content.ts'
import { insertView } from '../documents/document-views.ts'
import { profilesAtIssue, recordIssue } from '../documents/issue.ts'
import { type EventDraft, emitEvents } from '../events.ts'
import { nextDocumentNumber } from '../organization-counters.ts'
import { todayOf } from '../organization-clock.ts'

export interface NewLoanDocument {
  id: string
  type: 'agreement' | 'disbursement' | 'repayment'
  issuer: string
  counterparty: string
  connection: { id: string; mode: string }
  terms: LoanTerms
  due_date: string | null
  /** The loan, as each of its documents names it. */
  finance: string | null
  at: string
  stream_salt: Buffer
  /** Further fields of the first event, for both parties. */
  history: object
  /** Emitted to both parties, after document.created. */
  events: readonly EventDraft[]
}

/** Returns the document as it is stored. */
export const createLoanDocument = (change: ChangeContext, input: NewLoanDocument): DocumentRow => {
  const { unit } = change
  const { issuer, counterparty, connection, at } = input
  const type = documentTypes[input.type]
  const { content, total } = contentOf(unit, input)
  const document: NewDocumentRow = {
    ...draftDefaults,
    id: input.id,
    mode: connection.mode,
    connection_id: connection.id,
    issuer_id: issuer,
    counterparty_id: counterparty,
    type: input.type,
    origin: 'api',
    status: type.issuedStatus,
    issuer_number: nextDocumentNumber(unit, issuer, type.issuer.prefix),
    counterparty_number: nextDocumentNumber(unit, counterparty, type.counterparty.prefix),
    party_profiles: profilesAtIssue(unit, { issuer_id: issuer, counterparty_id: counterparty }),
    ...contentColumns(content),
    document_date_given: true,
    valid_until_given: false,
    terms_form: content.due_date === null ? 'none' : 'date',
    total,
    content: JSON.stringify(content),
    metadata: '{}',
    stream_salt: input.stream_salt,
    finance: input.finance,
    created_at: at,
    issued_at: at,
    updated_at: at,
  }
  const recorded = recordIssue(change, { document, content }, input.history)
  const created: EventDraft = { type: 'document.created' }
  const events = [created, ...input.events]
  const { document: counted, positions } = emitEvents(change, recorded, bothSides, events)
  const placed: NewDocumentRow = {
    ...counted,
    issuer_position: positions.issuer,
    counterparty_position: positions.counterparty,
  }
  unit.insert('documents', placed)
  insertView(unit, placed, 'issuer')
  insertView(unit, placed, 'counterparty')
  return placed as DocumentRow
}

const linesOf = ({ type, terms }: NewLoanDocument) => {
  const line = (description: string, amount: bigint) => ({
    description,
    quantity: 1,
    unit_price: fromMinor(amount),
    tax_rate: 0,
  })
  if (type === 'disbursement') return [line('Loan proceeds', terms.principal)]
  return [line('Principal', terms.principal), line('Fee', feeAmountOf(terms))]
}

const contentOf = (unit: UnitOfWork, input: NewLoanDocument) => {
  const { issuer, counterparty, terms, due_date } = input
  const today = todayOf(unit, issuer)
  const lines = linesOf(input)
  const priced = computeTotals(lines)
  if (!priced.ok) throw new Error('the terms of a loan are valid amounts')
  const netDays = due_date === null ? null : Math.max(0, daysBetween(today, due_date))
  const content = buildContent(
    {
      document_date: today,
      due_date,
      net_days: netDays,
      early_payment: null,
      payment_terms: netDays === null ? null : due_date,
      valid_until: null,
    },
    {
      currency: terms.currency,
      notes: null,
      external_refs: {},
      references: [],
      issuer: partyOf(unit, issuer),
      counterparty: partyOf(unit, counterparty),
    },
    lines,
    priced.totals,
  )
  return { content, total: priced.totals.total }
}
