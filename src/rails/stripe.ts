/**
 * Stripe Connect: debits the payer's bank account and pays out to the payee's account (domain 4.5).
 * The payment's id is the Idempotency-Key, so a call whose response was lost is repeated without a
 * second debit. After the 24 hours that Stripe remembers keys, the debit is searched for first.
 */
import { Stripe } from 'stripe'
import { limits } from '../contract/limits.ts'
import { encodeId } from '../core/ids.ts'
import type { FailureCode } from '../core/sandbox/payment-simulator.ts'
import type { Reach } from '../core/webhooks/endpoint-url.ts'
import type { Outbound } from '../outbound/client.ts'
import type { PaymentRow } from '../store/payments/payments.ts'
import type {
  NotifiedOf,
  PaymentProgress,
  Rail,
  RailAccounts,
  RailEvent,
  ReadRailEvent,
} from './rail.ts'
import { GuardedHttpClient } from './stripe-http.ts'

export interface StripeSettings {
  secretKey: string
  webhookSecret: string
  /** https://api.stripe.com, or a test double. */
  apiBase: string
  /** Private when the operator chose the host. */
  reach: Reach
}

type DebitMethod = 'us_bank_account' | 'sepa_debit' | 'bacs_debit' | 'acss_debit'

/** The bank debit of each currency. */
const debitMethods: Readonly<Record<string, DebitMethod>> = {
  USD: 'us_bank_account',
  EUR: 'sepa_debit',
  GBP: 'bacs_debit',
  CAD: 'acss_debit',
}

export const openStripe = (
  settings: StripeSettings,
  outbound: Pick<Outbound, 'client'>,
): { rail: Rail; readEvent: ReadRailEvent } => {
  const { hostname, port, protocol } = new URL(settings.apiBase)
  const stripe = new Stripe(settings.secretKey, {
    httpClient: new GuardedHttpClient(outbound.client(settings.apiBase, settings)),
    host: hostname,
    protocol: protocol === 'http:' ? 'http' : 'https',
    port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
    timeout: limits.railTimeoutMs,
    // Our own retries survive a restart.
    maxNetworkRetries: 0,
    telemetry: false,
  })
  const rail: Rail = {
    id: 'stripe',
    submitOrPoll: async (payment, accounts, now) => {
      const isRepeatable = accounts !== null && isRecent(payment.created_at, now)
      try {
        const existing = await findIntent(stripe, payment, isRepeatable)
        if (existing === undefined && accounts === null)
          return progressWithoutAccounts(payment, now)
        return progressOf(existing ?? (await createIntent(stripe, payment, accounts!)))
      } catch (error) {
        return progressAfter(error, payment)
      }
    },
    notified: async (of, before) => {
      const page = { limit: limits.railEventsPerPage, ...(before && { starting_after: before }) }
      const { data } = await stripe.events.list({ types: [...eventTypes[of]], ...page })
      return data.map(railEventOf)
    },
  }
  const readEvent: ReadRailEvent = (raw, signature) => {
    const event = signedEvent(() =>
      stripe.webhooks.constructEvent(raw, signature, settings.webhookSecret),
    )
    return event && railEventOf(event)
  }
  return { rail, readEvent }
}

const eventTypes = {
  debits: ['payment_intent.succeeded'],
  returns: [
    'charge.dispute.created',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.funds_reinstated',
    'charge.refunded',
    'refund.failed',
  ],
} as const satisfies Record<NotifiedOf, Stripe.Event['type'][]>

/** Undefined when the signature does not hold. */
const signedEvent = (check: () => Stripe.Event): Stripe.Event | undefined => {
  try {
    return check()
  } catch {
    return undefined
  }
}

/** The existing debit of this payment, if any: searched for where its creation is not repeated. */
const findIntent = async (
  stripe: Stripe,
  payment: PaymentRow,
  isRepeatable: boolean,
): Promise<Stripe.PaymentIntent | undefined> => {
  if (payment.settlement_reference !== null) {
    return stripe.paymentIntents.retrieve(payment.settlement_reference)
  }
  if (isRepeatable) return undefined
  const query = `metadata['payment_id']:'${encodeId('pay', payment.id)}'`
  const { data } = await stripe.paymentIntents.search({ query })
  return data.find((intent) => isDebitOf(payment, intent))
}

/** Whoever uses the same account of Stripe may name a payment of ours in a debit of its own. */
const isDebitOf = (payment: PaymentRow, { amount, currency }: Stripe.PaymentIntent): boolean =>
  BigInt(amount) === payment.amount && currency.toUpperCase() === payment.currency

const isRecent = (time: string, now: string): boolean =>
  Date.parse(now) - Date.parse(time) < limits.railIdempotencyMs

const createIntent = async (
  stripe: Stripe,
  payment: PaymentRow,
  accounts: RailAccounts,
): Promise<Stripe.PaymentIntent> => {
  const id = encodeId('pay', payment.id)
  try {
    return await stripe.paymentIntents.create(
      {
        amount: Number(payment.amount),
        currency: payment.currency.toLowerCase(),
        customer: accounts.customer,
        payment_method: accounts.paymentMethod,
        allowed_payment_method_types: [debitMethods[payment.currency]!],
        confirm: true,
        off_session: true,
        transfer_data: { destination: accounts.payout },
        metadata: { payment_id: id, document_id: encodeId('doc', payment.document_id) },
      },
      { idempotencyKey: id },
    )
  } catch (error) {
    const code = refusalCode(error)
    throw code === undefined ? error : new DebitRefused(failureCodeOf(code))
  }
}

/** Stripe refused to create the debit. A refused look-up, by contrast, never ends a payment. */
class DebitRefused extends Error {
  readonly code: FailureCode
  constructor(code: FailureCode) {
    super(code)
    this.code = code
  }
}

/** Undefined when Stripe may have executed the call anyway, or when it may succeed later. */
const refusalCode = (error: unknown): string | undefined => {
  const { StripeCardError, StripeInvalidRequestError } = Stripe.errors
  if (error instanceof StripeCardError) return error.code ?? 'card_declined'
  const isInvalid = error instanceof StripeInvalidRequestError && error.statusCode !== 409
  return isInvalid ? (error.code ?? 'parameter_invalid') : undefined
}

const progressOf = (intent: Stripe.PaymentIntent): PaymentProgress => {
  if (intent.status === 'succeeded') return { outcome: 'settled', reference: intent.id }
  if (intent.status === 'canceled' || intent.status === 'requires_payment_method') {
    return { outcome: 'failed', code: failureCodeOf(intent.last_payment_error?.code) }
  }
  return { outcome: 'processing', pollAfterMs: limits.railPollMs, reference: intent.id }
}

/**
 * No debit was found, and none can be created any more. A new one is not searchable at once, so one
 * whose creation may have succeeded is searched for as long as a creation could be repeated.
 */
const progressWithoutAccounts = (payment: PaymentRow, now: string): PaymentProgress =>
  payment.attempts > 0 && isRecent(payment.processing_at!, now)
    ? pollLater(payment)
    : { outcome: 'failed', code: 'account_not_found' }

/** A call with an unknown outcome is polled again. */
const progressAfter = (error: unknown, payment: PaymentRow): PaymentProgress =>
  error instanceof DebitRefused ? { outcome: 'failed', code: error.code } : pollLater(payment)

/** With growing delays. */
const pollLater = ({ attempts }: PaymentRow): PaymentProgress => {
  const delayMs = limits.railRetryMs * 2 ** Math.min(attempts, 20)
  return { outcome: 'processing', pollAfterMs: Math.min(delayMs, limits.railPollMs) }
}

const failureCodes: Readonly<Record<string, FailureCode>> = {
  insufficient_funds: 'insufficient_funds',
  account_closed: 'account_closed',
  bank_account_unusable: 'account_closed',
  no_account: 'account_not_found',
  account_frozen: 'account_frozen',
  processing_error: 'processor_unavailable',
}

const failureCodeOf = (code: string | undefined): FailureCode =>
  failureCodes[code ?? ''] ?? 'processor_declined'

const returnCodes: Readonly<Record<string, FailureCode>> = {
  insufficient_funds: 'returned_insufficient_funds',
  bank_cannot_process: 'returned_no_account',
  incorrect_account_details: 'returned_no_account',
  account_closed: 'returned_account_closed',
}

/** The statuses of a dispute that has not been opened yet. */
const inquiryStatuses: ReadonlySet<string> = new Set([
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
])

const idOf = (reference: string | { id: string } | null | undefined): string | undefined =>
  typeof reference === 'string' ? reference : reference?.id

const railEventOf = (event: Stripe.Event): RailEvent => {
  const about = (payment: string | undefined, reference: string | undefined) => ({
    id: event.id,
    payment,
    reference,
  })
  const moneyOf = ({ amount, currency }: { amount: number; currency: string }) => ({
    amount: BigInt(amount),
    currency: currency.toUpperCase(),
  })
  const aboutIntent = (intent: Stripe.PaymentIntent) => ({
    ...about(intent.metadata['payment_id'], intent.id),
    money: moneyOf(intent),
  })
  const noAction = { ...about(undefined, undefined), result: undefined }
  // What an account connected to ours does by itself is no debit of ours, whatever it calls it.
  if (event.account !== undefined) return noAction
  switch (event.type) {
    case 'payment_intent.succeeded': {
      const intent = event.data.object
      return { ...aboutIntent(intent), result: { outcome: 'settled', reference: intent.id } }
    }
    case 'payment_intent.payment_failed':
    case 'payment_intent.canceled': {
      const intent = event.data.object
      const code = failureCodeOf(intent.last_payment_error?.code)
      return { ...aboutIntent(intent), result: { outcome: 'failed', code } }
    }
    case 'charge.dispute.created':
    case 'charge.dispute.funds_withdrawn': {
      const dispute = event.data.object
      const { payment_intent, reason, status } = dispute
      // A bank that only asks has taken nothing; if it does later, another event says so.
      if (event.type === 'charge.dispute.created' && inquiryStatuses.has(status)) return noAction
      const code = returnCodes[reason] ?? 'returned_unauthorized'
      const result = { outcome: 'returned', code } as const
      // A part of the debit leaves most of the debt paid, and is no return.
      return { ...about(undefined, idOf(payment_intent)), money: moneyOf(dispute), result }
    }
    case 'charge.dispute.funds_reinstated':
    case 'refund.failed': {
      const { payment_intent } = event.data.object
      return { ...about(undefined, idOf(payment_intent)), result: { outcome: 'reinstated' } }
    }
    case 'charge.refunded': {
      const { payment_intent, refunded: isWhole } = event.data.object
      // A part may be refunded as well, at the processor alone: most of the debt stays paid.
      if (!isWhole) return noAction
      const result = { outcome: 'returned', code: 'returned_unauthorized' } as const
      return { ...about(undefined, idOf(payment_intent)), result }
    }
    default:
      return noAction
  }
}
