/** Payments as callers request and read them (domain 4). */
import { type Static, Type } from 'typebox'
import { currencies } from '../currencies.ts'
import { limits } from '../limits.ts'
import { InputObject, CommaList, PageOf, OutputObject, sweepParameters } from './objects.ts'
import {
  DateOnly,
  DateOrTimestamp,
  Id,
  Money,
  Nullable,
  StringEnum,
  Text,
  Timestamp,
} from './field-types.ts'

export const paymentStatuses = [
  'created',
  'scheduled',
  'processing',
  'settled',
  'failed',
  'cancelled',
  'returned',
] as const
export const paymentKinds = [
  'document_payment',
  'refund',
  'disbursement',
  'repayment',
  'sweep',
] as const
export const paymentMethods = ['ach', 'wire', 'sepa', 'faster_payments', 'eft', 'book'] as const

export const PaymentMethod = StringEnum(
  paymentMethods,
  'ach or wire for USD, sepa for EUR, faster_payments for GBP, eft for CAD, book for any.',
)
export const SourceAccount = Text(
  limits.sourceAccountMaxLength,
  "One of the payer's treasury accounts; in the sandbox also a test account like acct_test_async.",
  1,
)

export const PayRequest = InputObject(
  { payment_method: Type.Optional(PaymentMethod), source_account_id: Type.Optional(SourceAccount) },
  'How to pay. Without it, the default method and the default account are used.',
)
export type PayRequest = Static<typeof PayRequest>

export const Payment = OutputObject(
  {
    id: Id('pay', 'The payment.'),
    kind: StringEnum(paymentKinds, 'The kind of payment.'),
    document_id: Id('doc', 'The document it pays.'),
    connection_id: Id('con', 'The connection of the document.'),
    direction: StringEnum(['outgoing', 'incoming'], "The viewer's side."),
    status: StringEnum(paymentStatuses, 'The current status.'),
    amount: Money('The whole balance when the payment was created.'),
    currency: StringEnum(currencies, 'ISO 4217.'),
    method: PaymentMethod,
    rail: Type.String({ description: 'The payment rail.', examples: ['simulator'] }),
    source_account_id: Nullable(Type.String({ description: 'For the payer only.' })),
    destination_account_id: Nullable(Id('acct', 'For the payee only.')),
    scheduled_for: Nullable(DateOnly('When it is to be executed.')),
    settlement_reference: Nullable(Type.String({ description: "The rail's own reference." })),
    failure: Nullable(
      OutputObject(
        { code: Type.String(), message: Type.String() },
        'Why it failed or was returned; the reason itself is shown to the payer only.',
      ),
    ),
    initiated_by: OutputObject(
      {
        kind: StringEnum(['api_key', 'user', 'system'], 'The kind of initiator.'),
        organization_id: Nullable(Id('org', "The initiator's organization.")),
        key_prefix: Type.Optional(Type.String({ description: "The prefix of the viewer's key." })),
        key_id: Type.Optional(Id('key', "The viewer's own key.")),
      },
      'Who initiated it.',
    ),
    triggered_by_payment_id: Nullable(Id('pay', 'The payment whose proceeds are swept.')),
    agreement_id: Nullable(Id('agr', 'The finance agreement it belongs to.')),
    created_at: Timestamp('When it was created.'),
    processing_at: Nullable(Timestamp('When it was submitted to the rail.')),
    settled_at: Nullable(Timestamp('When it settled.')),
    failed_at: Nullable(Timestamp('When it failed.')),
    returned_at: Nullable(Timestamp('When the bank returned it.')),
    updated_at: Timestamp('When it last changed.'),
    sandbox: Type.Optional(Type.Boolean()),
  },
  'A payment as the calling organization sees it.',
)

export type Payment = Static<typeof Payment>

export const PaymentPage = PageOf(Payment, 'Payments, newest first.')

const paymentFilters = {
  document: Type.Optional(CommaList(Id('doc', 'A document.'), 'Documents.')),
  connection: Type.Optional(CommaList(Id('con', 'A connection.'), 'Connections.')),
  status: Type.Optional(CommaList(StringEnum(paymentStatuses, 'A status.'), 'Statuses.')),
  kind: Type.Optional(CommaList(StringEnum(paymentKinds, 'A kind.'), 'Kinds.')),
  direction: Type.Optional(StringEnum(['outgoing', 'incoming'], "The caller's side.")),
  since: Type.Optional(DateOrTimestamp('Created on this day or later.')),
  until: Type.Optional(DateOrTimestamp('Created on this day or earlier.')),
  updated_since: Type.Optional(DateOrTimestamp('Changed at or after this time.')),
  currency: Type.Optional(CommaList(StringEnum(currencies, 'A currency.'), 'Currencies.')),
  settled_from: Type.Optional(DateOnly('Settled on this day or later.')),
  settled_to: Type.Optional(DateOnly('Settled on this day or earlier.')),
}

export const PaymentFilters = InputObject(
  { ...sweepParameters, ...paymentFilters },
  'Filters of the payment list.',
)
export type PaymentFilters = Static<typeof PaymentFilters>

export const PaymentFileFilters = InputObject(paymentFilters, 'Filters of the payment list.')

export const PaymentFile = Type.String({
  description: 'A header and one row for each payment (RFC 4180, UTF-8).',
})
