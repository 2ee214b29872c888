/** Payments: what callers send and what each party reads (domain 4). */
import { type Static, Type } from 'typebox'
import { currencies } from '../currencies.ts'
import { limits } from '../limits.ts'
import { Body, List, Page, View, paging } from './envelopes.ts'
import { DateOnly, DateOrTimestamp, Id, Money, Nullable, OneOf, Text, Timestamp } from './values.ts'

const statuses = [
  'created',
  'scheduled',
  'processing',
  'settled',
  'failed',
  'cancelled',
  'returned',
] as const
const kinds = ['document_payment', 'refund', 'disbursement', 'repayment', 'sweep'] as const
const methods = ['ach', 'wire', 'sepa', 'faster_payments', 'eft', 'book'] as const

export const PaymentMethod = OneOf(
  methods,
  'ach or wire for USD, sepa for EUR, faster_payments for GBP, eft for CAD, book for any.',
)
export const SourceAccount = Text(
  limits.sourceAccountMaxLength,
  "One of the payer's treasury accounts; in the sandbox also a magic one, like acct_test_async.",
  1,
)

export const PayRequest = Body(
  {
    payment_method: Type.Optional(PaymentMethod),
    source_account_id: Type.Optional(SourceAccount),
  },
  'How to pay; without it the usual method from the usual account.',
)
export type PayRequest = Static<typeof PayRequest>

export const Payment = View(
  {
    id: Id('pay', 'The payment.'),
    kind: OneOf(kinds, 'What it pays.'),
    document_id: Id('doc', 'The document it pays.'),
    connection_id: Id('con', 'The connection of the document.'),
    direction: OneOf(['outgoing', 'incoming'], "The viewer's side."),
    status: OneOf(statuses, 'Where it stands.'),
    amount: Money('The whole balance when it was made.'),
    currency: OneOf(currencies, 'ISO 4217.'),
    method: PaymentMethod,
    rail: Type.String({ description: 'What moves it.', examples: ['simulator'] }),
    source_account_id: Nullable(Type.String({ description: 'For the payer only.' })),
    destination_account_id: Nullable(Id('acct', 'For the payee only.')),
    scheduled_for: Nullable(DateOnly('When it is to be executed.')),
    settlement_reference: Nullable(Type.String({ description: "The rail's own reference." })),
    failure: Nullable(
      View(
        { code: Type.String(), message: Type.String() },
        'Why it failed or was returned; the payee reads only that it did.',
      ),
    ),
    initiated_by: View(
      {
        kind: OneOf(['api_key', 'user', 'system'], 'Who asked for it.'),
        organization_id: Nullable(Id('org', 'For which organization.')),
        key_prefix: Type.Optional(Type.String({ description: "Of the viewer's own key only." })),
        key_id: Type.Optional(Id('key', "The viewer's own key.")),
      },
      'Who asked for it.',
    ),
    triggered_by_payment_id: Nullable(Id('pay', 'The payment whose proceeds are swept.')),
    agreement_id: Nullable(Id('agr', 'The finance agreement it belongs to.')),
    created_at: Timestamp('When it was asked for.'),
    processing_at: Nullable(Timestamp('When it was handed to the rail.')),
    settled_at: Nullable(Timestamp('When it settled.')),
    failed_at: Nullable(Timestamp('When it failed.')),
    returned_at: Nullable(Timestamp('When the bank took it back.')),
    updated_at: Timestamp('When it last changed.'),
    sandbox: Type.Optional(Type.Boolean()),
  },
  'A payment as the calling organization sees it.',
)

export type Payment = Static<typeof Payment>

export const PaymentPage = Page(Payment, 'Payments, newest first.')

export const PaymentFilters = Body(
  {
    ...paging,
    document: Type.Optional(List(Id('doc', 'A document.'), 'Documents.')),
    connection: Type.Optional(List(Id('con', 'A connection.'), 'Connections.')),
    status: Type.Optional(List(OneOf(statuses, 'A status.'), 'Statuses.')),
    kind: Type.Optional(List(OneOf(kinds, 'A kind.'), 'Kinds.')),
    direction: Type.Optional(OneOf(['outgoing', 'incoming'], "The caller's side.")),
    since: Type.Optional(DateOrTimestamp('Made on this day or later.')),
    until: Type.Optional(DateOrTimestamp('Made on this day or earlier.')),
    updated_since: Type.Optional(DateOrTimestamp('Changed since, inclusive.')),
  },
  'Filters of the payment list.',
)
export type PaymentFilters = Static<typeof PaymentFilters>
