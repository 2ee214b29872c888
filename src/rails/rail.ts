/** What moves money. Called by tasks only, never inside a transaction. */
import type { FailureCode } from '../core/sandbox/payment-simulator.ts'
import type { PaymentRow } from '../store/payments/payments.ts'

export type PaymentProgress =
  | { outcome: 'settled'; reference: string }
  | { outcome: 'failed'; code: FailureCode }
  /** Under way, or nobody could say: ask again. The rail's own reference, once it is known. */
  | { outcome: 'processing'; askAgainMs: number; reference?: string }

/** Where the rail takes the money from, and where it pays it out. */
export interface RailAccounts {
  customer: string
  paymentMethod: string
  payout: string
}

export interface Rail {
  id: string
  /**
   * Hands the payment over, or tells what has become of it: the payment's id is the key under which
   * the rail executes it once, however often it is asked. `ends` is null where no money moves.
   */
  submitOrPoll(payment: PaymentRow, ends: RailAccounts | null): Promise<PaymentProgress>
}

/** What a rail says of its own accord; `payment` is the id that it was handed over with. */
export interface RailEvent {
  id: string
  payment: string | undefined
  reference: string | undefined
  /** Undefined for what needs nothing done. */
  news:
    | { outcome: 'settled'; reference: string }
    | { outcome: 'failed' | 'returned'; code: FailureCode }
    | undefined
}

/** Reads a signed event; undefined when the signature does not hold. */
export type ReadRailEvent = (raw: Buffer, signature: string) => RailEvent | undefined
