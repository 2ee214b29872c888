/** A rail moves money. Only tasks call it, and never inside a transaction. */
import type { FailureCode } from '../core/sandbox/payment-simulator.ts'
import type { PaymentRow } from '../store/payments/payments.ts'

export type PaymentProgress =
  | { outcome: 'settled'; reference: string }
  | { outcome: 'failed'; code: FailureCode }
  /** Still running or unknown: poll again. `reference` is the rail's own, once known. */
  | { outcome: 'processing'; pollAfterMs: number; reference?: string }

/** The source and the destination of the money. */
export interface RailAccounts {
  customer: string
  paymentMethod: string
  payout: string
}

export interface Rail {
  id: string
  /**
   * Submits the payment or reports its progress. The payment's id is the idempotency key, so the
   * rail executes it once, however often this is called. `accounts` is null where no money moves,
   * or where a party has lost its account: what was submitted before goes on. `now` is the time of
   * the database, which has the times of the payment.
   */
  submitOrPoll(
    payment: PaymentRow,
    accounts: RailAccounts | null,
    now: string,
  ): Promise<PaymentProgress>
  /**
   * A page of the events of the last weeks, delivered or not, the newest first. `before` is the
   * last event of the page before; an empty page is the end.
   */
  notified(of: NotifiedOf, before?: string): Promise<RailEvent[]>
}

/** Debits that have succeeded, and what became of them afterwards. */
export type NotifiedOf = 'debits' | 'returns'

/** An unsolicited notification from a rail; `payment` is the id it was submitted with. */
export interface RailEvent {
  id: string
  payment: string | undefined
  reference: string | undefined
  /** The amount of the debit, or what was taken back of it, if the event says so. */
  money?: { amount: bigint; currency: string }
  /** Undefined when the event needs no action. */
  result:
    | { outcome: 'settled'; reference: string }
    | { outcome: 'failed' | 'returned'; code: FailureCode }
    /** What was or will be returned is the payee's again. */
    | { outcome: 'reinstated' }
    | undefined
}

/**
 * `early`: its payment is not ready for it yet. `unknown`: not about a payment of ours.
 * `contradictory`: money has moved that the payment does not show.
 */
export type RailEventResult = 'applied' | 'early' | 'unknown' | 'contradictory'

/** Reads a signed event; undefined when the signature does not hold. */
export type ReadRailEvent = (raw: Buffer, signature: string) => RailEvent | undefined
