/**
 * The payment record and its projection per party (domain 4.1). A document stores its latest
 * payment as JSON, so that reading a document needs no join.
 */
import type { Payment as PaymentView } from '../../contract/shapes/payments.ts'
import type { Rows } from '../../database/rows.ts'
import { encodeId } from '../ids.ts'
import { fromMinor } from '../money.ts'
import { documentsOfLoan, rememberingLast } from '../remembering-parser.ts'

/** The fields of a record, in stored order. */
const recordFields = [
  'id',
  'mode',
  'kind',
  'document_id',
  'connection_id',
  'payer_id',
  'status',
  'amount',
  'currency',
  'method',
  'rail',
  'payer_account',
  'payee_account',
  'source',
  'scheduled_for',
  'settlement_reference',
  'failure_code',
  'failure_message',
  'initiated_by',
  'triggered_by_payment_id',
  'agreement_id',
  'created_at',
  'processing_at',
  'settled_at',
  'failed_at',
  'returned_at',
  'updated_at',
] as const satisfies (keyof Rows['payments'])[]

export type PaymentRecord = Pick<Rows['payments'], (typeof recordFields)[number]>

/** The record as `documents.payment` stores it. */
export const serializePayment = (payment: PaymentRecord): string => {
  const stored: Record<string, unknown> = {}
  for (const field of recordFields) stored[field] = payment[field]
  stored['amount'] = String(payment.amount)
  return JSON.stringify(stored)
}

/** Where `serializePayment` writes the id and the time of the last change. */
const storedHead = (id: string): string => `{"id":"${id}"`
const storedTail = (updatedAt: string): string => `"updated_at":"${updatedAt}"}`

/**
 * Whether the row of a payment is the last one that was written, judged by what its document stores
 * about its newest payment. Every change is repeated there, with its time. Any other payment has
 * ended. Earlier versions let a document name the payment that was returned last instead.
 */
export const isCurrentPayment = (
  { id, status, created_at, updated_at }: PaymentRecord,
  stored: string | null,
): boolean => {
  if (stored === null) return false
  if (stored.startsWith(storedHead(id))) return stored.endsWith(storedTail(updated_at))
  if (!isInProgress(status)) return true
  const newest = parsePayment(stored)
  return newest.status === 'returned' && newest.created_at < created_at
}

/** Whether another payment of the document has begun since: the document stores the newest. */
export const isEarlierPayment = (
  { id, created_at }: Pick<PaymentRecord, 'id' | 'created_at'>,
  stored: string | null,
): boolean => {
  if (stored === null || stored.startsWith(storedHead(id))) return false
  return parsePayment(stored).created_at > created_at
}

/** A document has at most one payment in progress. */
export const isInProgress = (status: string): boolean =>
  status === 'scheduled' || isUnderWay(status)

/** The payment has been initiated: it settles or fails, and nobody can cancel it. */
export const isUnderWay = (status: string): boolean =>
  status === 'created' || status === 'processing'

/** What the payment of a document moves that is under way, if there is one. */
export const amountInFlight = (payment: string | null): bigint => {
  const latest = payment === null ? null : parsePayment(payment)
  return latest !== null && isUnderWay(latest.status) ? latest.amount : 0n
}

interface ParsedPayment {
  record: PaymentRecord
  /** How its viewers have read it so far. */
  shown: { viewer: string; text: string }[]
}

const parse = rememberingLast((text): ParsedPayment => {
  const stored = JSON.parse(text) as Omit<PaymentRecord, 'amount'> & { amount: string }
  return { record: { ...stored, amount: BigInt(stored.amount) }, shown: [] }
}, documentsOfLoan)

export const parsePayment = (stored: string): PaymentRecord => parse(stored).record

/** Each party sees its own account; only the payer sees why a payment failed. */
export const projectPayment = (payment: PaymentRecord, viewer: string): PaymentView => {
  const isPayer = payment.payer_id === viewer
  return {
    id: encodeId('pay', payment.id),
    kind: payment.kind as PaymentView['kind'],
    document_id: encodeId('doc', payment.document_id),
    connection_id: encodeId('con', payment.connection_id),
    direction: isPayer ? 'outgoing' : 'incoming',
    status: payment.status as PaymentView['status'],
    amount: fromMinor(payment.amount),
    currency: payment.currency as PaymentView['currency'],
    method: payment.method as PaymentView['method'],
    rail: payment.rail,
    source_account_id: isPayer ? (payment.source ?? encodeAccountId(payment.payer_account)) : null,
    destination_account_id: isPayer ? null : encodeAccountId(payment.payee_account),
    scheduled_for: payment.scheduled_for,
    settlement_reference: payment.settlement_reference,
    failure: failureFor(payment, isPayer),
    initiated_by: initiatorFor(payment, viewer),
    triggered_by_payment_id:
      payment.triggered_by_payment_id && encodeId('pay', payment.triggered_by_payment_id),
    agreement_id: payment.agreement_id && encodeId('agr', payment.agreement_id),
    created_at: payment.created_at,
    processing_at: payment.processing_at,
    settled_at: payment.settled_at,
    failed_at: payment.failed_at,
    returned_at: payment.returned_at,
    updated_at: payment.updated_at,
    ...(payment.mode === 'test' ? { sandbox: true } : {}),
  }
}

/** The same for a stored record, in JSON: its document and several events show it alike. */
export const shownPayment = (stored: string, viewer: string): string => {
  const { record, shown } = parse(stored)
  const known = shown.find((one) => one.viewer === viewer)
  if (known !== undefined) return known.text
  const text = JSON.stringify(projectPayment(record, viewer))
  shown.push({ viewer, text })
  return text
}

/** The payee learns that a payment failed, but not why. */
export const failureReasonFor = (code: string, isPayer: boolean): string =>
  isPayer ? code : 'payment_failed'

const failureFor = ({ failure_code, failure_message }: PaymentRecord, isPayer: boolean) => {
  if (failure_code === null) return null
  const message = (isPayer && failure_message) || 'The payment did not go through.'
  return { code: failureReasonFor(failure_code, isPayer), message }
}

interface Initiator {
  kind: 'api_key' | 'user' | 'system'
  organization_id: string | null
  key_prefix?: string
  key_id?: string
}

const initiatorFor = (payment: PaymentRecord, viewer: string): Initiator => {
  const initiator = JSON.parse(payment.initiated_by) as Initiator
  const { kind, organization_id } = initiator
  return organization_id === encodeId('org', viewer) ? initiator : { kind, organization_id }
}

const encodeAccountId = (uuid: string | null): string | null => uuid && encodeId('acct', uuid)
