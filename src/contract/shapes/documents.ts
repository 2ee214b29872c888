/** The document: what callers send and what they read (specification 2.1, contract 4, domain 1). */
import { type Static, Type } from 'typebox'
import { conversions, conversionTargets, relations } from '../conversions.ts'
import { currencies } from '../currencies.ts'
import { documentTypeNames, documentTypes, phases, statuses } from '../document-types.ts'
import { limits } from '../limits.ts'
import { scopeNames } from '../scopes.ts'
import {
  InputObject,
  CommaList,
  PageOf,
  OutputObject,
  pageParameters,
} from './objects-and-pages.ts'
import { LineItemView, LineItems } from './line-items.ts'
import { Payment, PaymentMethod, SourceAccount } from './payments.ts'
import {
  DateOnly,
  DateOrTimestamp,
  Id,
  Money,
  Nullable,
  StringEnum,
  OpenMap,
  Text,
  Timestamp,
} from './field-types.ts'

/** Peppol's reasons for a decision. */
export const reasonCodes = [
  'REF',
  'LEG',
  'REC',
  'QUA',
  'DEL',
  'PRI',
  'QTY',
  'ITM',
  'PAY',
  'UNR',
  'FIN',
  'PPD',
  'OTH',
] as const

const apiDocumentTypes = documentTypeNames.filter((name) => documentTypes[name].createdBy === 'api')

const Currency = StringEnum(currencies, "ISO 4217. Defaults to the connection's currency.")
const PaymentTerms = Nullable(
  Text(
    limits.paymentTermsMaxLength,
    'Like `Net 30`, `2/10 net 30`, `EOM`, `Due on receipt` or a date: the due date is derived. Other words are kept as they are, without a due date. Absent = the default of the connection.',
  ),
)
const Notes = Nullable(Text(limits.notesMaxLength, 'Free text.'))

const References = Type.Array(
  InputObject(
    {
      rel: StringEnum(relations, 'How this document relates to the other.'),
      document_id: Id('doc', 'A document on the same connection that the caller sees.'),
    },
    'A related document.',
  ),
  { maxItems: limits.referencesMax },
)

const editableFields = {
  line_items: Type.Optional(LineItems),
  currency: Type.Optional(Currency),
  payment_terms: Type.Optional(PaymentTerms),
  notes: Type.Optional(Notes),
  external_refs: Type.Optional(
    OpenMap(
      "The caller's references, shown to both sides from issue; `issuer_ref` is its own number.",
    ),
  ),
  metadata: Type.Optional(OpenMap('For the issuer only, never shown to the counterparty.')),
  document_date: Type.Optional(DateOnly('Absent = the day on which the document is issued.')),
  due_date: Type.Optional(
    Nullable(DateOnly('Derived from payment_terms when absent; null when they name no day.')),
  ),
  valid_until: Type.Optional(
    Nullable(DateOnly('Quotes and contracts: the last day of the offer.')),
  ),
  references: Type.Optional(References),
}

export const DocumentCreate = InputObject(
  {
    connection_id: Id('con', 'The connection the document lives on.'),
    document_type: StringEnum(
      apiDocumentTypes,
      'What the document is. Agreements, disbursements and repayments come from accepting a finance offer.',
    ),
    ...editableFields,
    line_items: LineItems,
  },
  'A new draft. The caller is its issuer.',
)
export type DocumentCreate = Static<typeof DocumentCreate>

export const DocumentEdit = InputObject(
  editableFields,
  'What to change in a draft; line items and maps as a whole.',
)
export type DocumentEdit = Static<typeof DocumentEdit>

/** `quote → purchase_order, invoice; …` */
const conversionSummary = [...Map.groupBy(conversions, ({ from }) => from)]
  .map(([from, rows]) => `${from} → ${rows.map(({ to }) => to).join(', ')}`)
  .join('; ')

export const DocumentConvert = InputObject(
  {
    document_type: StringEnum(
      documentTypeNames,
      `What to make of it (${conversionSummary}).`,
      conversionTargets,
    ),
    ...editableFields,
  },
  'What to make of a document; lines, currency and terms are taken from it unless sent.',
)
export type DocumentConvert = Static<typeof DocumentConvert>

export const NoBody = InputObject({}, 'No body, or {}.')

export const TransitionRequest = InputObject(
  {
    to: StringEnum(statuses, 'The target state.'),
    payment_method: Type.Optional(PaymentMethod),
    source_account_id: Type.Optional(SourceAccount),
    scheduled_for: Type.Optional(DateOnly('Payment targets only: when to pay.')),
    reason_code: Type.Optional(
      StringEnum(reasonCodes, 'Why, by the code list of the Peppol invoice response.'),
    ),
    note: Type.Optional(Text(limits.transitionNoteMaxLength, 'Why, in words.')),
  },
  'A move to another state.',
)
export type TransitionRequest = Static<typeof TransitionRequest>

export const Transitions = OutputObject(
  {
    status: StringEnum(statuses, 'The current state.'),
    allowed: Type.Array(
      OutputObject(
        {
          to: StringEnum(statuses, 'A legal target.'),
          scopes: Type.Array(StringEnum(scopeNames, 'A scope.'), {
            description: 'What a key needs for it.',
          }),
        },
        'A move that is open to the caller.',
      ),
    ),
    waiting_on: StringEnum(['issuer', 'counterparty', 'none'], 'Whose turn it is.'),
  },
  'What the caller may do now.',
)

const Party = OutputObject(
  { organization_id: Id('org', 'The organization.'), name: Type.String() },
  'A party, named as it was when the document was written.',
)

const Pledge = OutputObject(
  { agreement_id: Id('agr', 'The finance agreement that it secures.') },
  'The pledge on it (issuer only).',
)

export const Document = OutputObject(
  {
    id: Id('doc', 'The document.'),
    connection_id: Id('con', 'The connection it lives on.'),
    document_type: StringEnum(documentTypeNames, 'What the document is.'),
    number: Nullable(
      Type.String({ description: "The viewer's own number.", examples: ['INV-000042'] }),
    ),
    issuer_number: Nullable(Type.String({ description: "The issuer's number, for both sides." })),
    direction: StringEnum(['issued', 'received'], "The viewer's side."),
    label: Type.String({ description: "What the viewer's side calls it.", examples: ['Invoice'] }),
    status: StringEnum(statuses, 'The current state.'),
    phase: StringEnum(Object.keys(phases), 'Which part of its life the state belongs to.'),
    origin: StringEnum(['api', 'app'], 'Whether a key or a person wrote it.'),
    document_date: DateOnly('The date on the document.'),
    due_date: Nullable(DateOnly('When it is due.')),
    net_days: Nullable(Type.Integer({ description: 'Days from document date to due date.' })),
    early_payment: Nullable(
      OutputObject(
        {
          percent: Type.Number(),
          days: Type.Integer(),
          until: DateOnly('Last day of the discount.'),
        },
        'An early-payment discount in the terms. For information: paying always pays the balance.',
      ),
    ),
    valid_until: Nullable(DateOnly('The last day of an offer.')),
    payment_terms: Nullable(Type.String()),
    currency: StringEnum(currencies, 'ISO 4217.'),
    line_items: Type.Array(LineItemView),
    subtotal: Money('Sum of the lines, net.'),
    discount_total: Money('Sum of the discounts.'),
    tax: Money('Sum of the rate groups.'),
    tax_breakdown: Type.Array(
      OutputObject(
        { tax_rate: Type.Number(), taxable: Money('Net of the group.'), tax: Money('Its tax.') },
        'One rate group.',
      ),
    ),
    total: Money('Subtotal + tax.'),
    notes: Nullable(Type.String()),
    external_refs: OpenMap("The issuer's references."),
    references: References,
    issuer: Party,
    counterparty: Party,
    amount_paid: Money('Paid so far.'),
    amount_credited: Money('Credited so far.'),
    amount_applied: Type.Optional(Money('Credit notes: how much was applied to the invoice.')),
    balance_due: Money('Total − paid − credited.'),
    overdue: Type.Boolean({
      description: 'Issued, payable, a balance left and past its due date.',
    }),
    payable: Type.Boolean({ description: 'Whether the viewer can pay it now.' }),
    payment: Nullable(Payment),
    dispute: Nullable(
      OutputObject(
        {
          raised_by: StringEnum(['issuer', 'counterparty'], 'The side that raised it.'),
          reason_code: Nullable(Type.String()),
          note: Nullable(Type.String()),
          opened_at: Timestamp('When it was raised.'),
          from_status: Type.String(),
        },
        'The open dispute.',
      ),
    ),
    pledge: Type.Optional(Nullable(Pledge)),
    metadata: Type.Optional(OpenMap("The issuer's own data (issuer only).")),
    allowed_transitions: Type.Array(Type.String(), {
      description: 'Where the viewer can move it now: the same as `details.allowed`.',
    }),
    issued_at: Nullable(Timestamp('When it was issued.')),
    created_at: Timestamp('When the draft was created.'),
    updated_at: Timestamp('When it last changed.'),
    revision: Type.Integer({ description: 'Counts the changes; also the ETag.' }),
  },
  'A document as the calling organization sees it.',
)

export const DocumentPage = PageOf(Document, 'Documents, newest first.')

export const DocumentFilters = InputObject(
  {
    ...pageParameters,
    type: Type.Optional(
      CommaList(StringEnum(documentTypeNames, 'A document type.'), 'Document types.'),
    ),
    connection: Type.Optional(CommaList(Id('con', 'A connection.'), 'Connections.')),
    status: Type.Optional(CommaList(StringEnum(statuses, 'A state.'), 'States.')),
    phase: Type.Optional(
      CommaList(StringEnum(Object.keys(phases), 'A phase.'), 'Phases, across types.'),
    ),
    direction: Type.Optional(StringEnum(['issued', 'received'], "The caller's side.")),
    since: Type.Optional(DateOrTimestamp('Document date from here on, inclusive.')),
    until: Type.Optional(DateOrTimestamp('Document date up to here, inclusive.')),
    updated_since: Type.Optional(DateOrTimestamp('Changed since, inclusive.')),
    query: Type.Optional(
      Text(
        limits.searchQueryMaxLength,
        'Words, each the beginning of one in the numbers, references, counterparty name, line descriptions, SKUs or notes; those with digits whole, but for the last.',
        1,
      ),
    ),
  },
  'Filters of the document list.',
)
export type DocumentFilters = Static<typeof DocumentFilters>
