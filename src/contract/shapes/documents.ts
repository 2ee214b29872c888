/** Documents (specification 2.1, contract 4, domain 1). */
import { type Static, Type } from 'typebox'
import { reasonCodes } from '../code-lists.ts'
import { conversions, conversionTargets, relations } from '../conversions.ts'
import { currencies } from '../currencies.ts'
import { phases, statuses } from '../document-phases.ts'
import { documentTypeNames, documentTypes } from '../document-types.ts'
import { issueBlockers } from '../conflict-reasons.ts'
import { limits } from '../limits.ts'
import { scopeNames } from '../scopes.ts'
import { termsWarningCodes } from '../terms-forms.ts'
import { InputObject, PageOf, OutputObject } from './objects.ts'
import { ImportReport } from './imports.ts'
import { LineItemView, LineItems } from './line-items.ts'
import { Payment, PaymentMethod, SourceAccount } from './payments.ts'
import {
  DateOnly,
  Id,
  Line,
  Money,
  Nullable,
  OpenMap,
  ReferenceMap,
  StringEnum,
  Text,
  Timestamp,
} from './field-types.ts'

const apiDocumentTypes = documentTypeNames.filter((name) => documentTypes[name].createdBy === 'api')

const Currency = StringEnum(currencies, "ISO 4217. Defaults to the connection's currency.")
const PaymentTerms = Nullable(
  Line(
    limits.paymentTermsMaxLength,
    'For example `Net 30`, `15 EOM`, `2/10 net 30`, `Due on receipt` or `by 2026-03-01`, from which the due date is derived, in English, German, French or Spanish. Other text is stored as sent, without a due date. Absent = the default of the connection.',
  ),
)
const Notes = Nullable(Text(limits.notesMaxLength, 'Free text.'))

const References = Type.Array(
  InputObject(
    {
      rel: StringEnum(relations, 'How this document relates to the other.'),
      document_id: Id('doc', 'A document on the same connection that is visible to the caller.'),
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
    ReferenceMap(
      "The issuer's references, shown to both sides once issued; `issuer_ref` holds its own number. Exports carry `buyer_ref` as the buyer reference (BT-10) and `order_ref` as the number of the buyer's order (BT-13).",
    ),
  ),
  metadata: Type.Optional(OpenMap('For the issuer only, never shown to the counterparty.')),
  document_date: Type.Optional(DateOnly('Absent = the day on which the document is issued.')),
  due_date: Type.Optional(
    Nullable(DateOnly('Derived from payment_terms when absent; null when they imply no date.')),
  ),
  valid_until: Type.Optional(
    Nullable(DateOnly('Quotes and contracts: the last day of the offer.')),
  ),
  references: Type.Optional(References),
}

export const DocumentCreate = InputObject(
  {
    connection_id: Id('con', 'The connection to which the document belongs.'),
    document_type: StringEnum(
      apiDocumentTypes,
      'The document type. Agreements, disbursements and repayments come from POST /v1/finance/offers/{id}/accept.',
    ),
    ...editableFields,
    line_items: LineItems,
  },
  'A new draft. The caller is its issuer.',
)
export type DocumentCreate = Static<typeof DocumentCreate>

export const DocumentEdit = InputObject(
  editableFields,
  'The fields to change in a draft. Line items and maps are replaced as a whole.',
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
      `The type of the new document (${conversionSummary}).`,
      conversionTargets,
    ),
    ...editableFields,
  },
  'The new document. Line items, currency and terms are copied from the source unless sent.',
)
export type DocumentConvert = Static<typeof DocumentConvert>

export const NoBody = InputObject({}, 'No body, or {}.')

export const TransitionRequest = InputObject(
  {
    to: StringEnum(statuses, 'The target status.'),
    payment_method: Type.Optional(PaymentMethod),
    source_account_id: Type.Optional(SourceAccount),
    scheduled_for: Type.Optional(DateOnly('Payment targets only: when to pay.')),
    reason_code: Type.Optional(
      StringEnum(
        Object.keys(reasonCodes),
        'The reason, from the code list of the Peppol invoice response.',
      ),
    ),
    note: Type.Optional(Text(limits.transitionNoteMaxLength, 'The reason, in words.')),
  },
  'A transition to another status.',
)
export type TransitionRequest = Static<typeof TransitionRequest>

export const Transitions = OutputObject(
  {
    status: StringEnum(statuses, 'The current status.'),
    allowed: Type.Array(
      OutputObject(
        {
          to: StringEnum(statuses, 'A legal target status.'),
          scopes: Type.Array(StringEnum(scopeNames, 'A scope.'), {
            description: 'The scopes that a key needs for it.',
          }),
        },
        'A transition that the caller may make.',
      ),
    ),
    waiting_on: StringEnum(['issuer', 'counterparty', 'none'], 'The side that has to act next.'),
  },
  'The transitions that the caller may make now.',
)

const Party = OutputObject(
  { organization_id: Id('org', 'The organization.'), name: Type.String() },
  'A party, with the name it had when the document was written.',
)

const Pledge = OutputObject(
  {
    agreement_id: Type.Optional(
      Id('agr', 'The finance agreement that the document secures (issuer only).'),
    ),
    status: StringEnum(
      ['recorded', 'assigned', 'released'],
      'Recorded when the offer was accepted, assigned when the loan was funded, and released.',
    ),
    since: Timestamp('Since when.'),
  },
  'The latest pledge of the document. The counterparty sees it only if it is told of the assignment.',
)

const Warning = OutputObject(
  {
    param: Type.String({ description: 'A JSON pointer into the body.' }),
    code: StringEnum(termsWarningCodes, 'What it is about.'),
    message: Type.String({ description: 'What the service makes of the value, and what to send.' }),
  },
  'A remark about a value that is accepted.',
)

export const Document = OutputObject(
  {
    id: Id('doc', 'The document.'),
    connection_id: Id('con', 'The connection to which it belongs.'),
    document_type: StringEnum(documentTypeNames, 'The document type.'),
    number: Nullable(
      Type.String({ description: "The viewer's own number.", examples: ['INV-000042'] }),
    ),
    issuer_number: Nullable(Type.String({ description: "The issuer's number, for both sides." })),
    direction: StringEnum(['issued', 'received'], "The viewer's side."),
    label: Type.String({ description: "The viewer's name for the type.", examples: ['Invoice'] }),
    status: StringEnum(statuses, 'The current status.'),
    phase: StringEnum(Object.keys(phases), 'The lifecycle phase of the status.'),
    origin: StringEnum(['api', 'app'], 'Whether a key or a signed-in user created it.'),
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
        'An early-payment discount in the terms. Informational: a payment is always of the balance.',
      ),
    ),
    valid_until: Nullable(DateOnly('The last day of an offer.')),
    payment_terms: Nullable(Type.String()),
    currency: StringEnum(currencies, 'ISO 4217.'),
    line_items: Type.Array(LineItemView),
    subtotal: Money('Sum of the lines, net.'),
    discount_total: Money('Sum of the discounts.'),
    tax: Money('Sum over the tax rates.'),
    tax_breakdown: Type.Array(
      OutputObject(
        { tax_rate: Type.Number(), taxable: Money('Sum of net.'), tax: Money('Tax on that sum.') },
        'The lines of one tax rate.',
      ),
    ),
    total: Money('Subtotal + tax.'),
    notes: Nullable(Type.String()),
    external_refs: ReferenceMap("The issuer's references."),
    references: References,
    issuer: Party,
    counterparty: Party,
    amount_paid: Money('Paid so far.'),
    amount_credited: Money('Credited so far.'),
    amount_applied: Type.Optional(Money('Credit notes: amount applied to the invoice.')),
    balance_due: Money(
      'What is owed now: total − paid − credited; 0 for a type that nobody pays, and once settled or closed.',
    ),
    overdue: Type.Boolean({ description: 'Issued, still owed, and past its due date.' }),
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
      description: 'Statuses to which the viewer can move it now, as in `details.allowed`.',
    }),
    issuable: Type.Optional(
      Type.Boolean({
        description:
          'Drafts only, and not in events: whether issuing it now would be refused by nothing.',
      }),
    ),
    blockers: Type.Optional(
      Type.Array(StringEnum(issueBlockers, 'A reason of `conflict`.'), {
        description: 'Drafts only, and not in events: why issuing it now would be refused.',
      }),
    ),
    issued_at: Nullable(Timestamp('When it was issued.')),
    created_at: Timestamp('When the draft was created.'),
    updated_at: Timestamp('When it last changed.'),
    revision: Type.Integer({ description: 'Number of changes; also the ETag.' }),
    warnings: Type.Optional(
      Type.Array(Warning, {
        description: 'In the response of a dry run only: what you may not have meant.',
      }),
    ),
    import: Type.Optional(ImportReport),
  },
  'A document as the calling organization sees it.',
)

export const DocumentPage = PageOf(Document, 'Documents, newest first.')
