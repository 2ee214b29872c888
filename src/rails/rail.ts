/** What moves money. Called by tasks only, never inside a transaction. */
import type { FailureCode } from '../core/simulator.ts'
import type { PaymentRow } from '../store/payments.ts'

export type Progress =
  | { outcome: 'settled'; reference: string }
  | { outcome: 'failed'; code: FailureCode }
  | { outcome: 'returned'; code: FailureCode }
  /** Under way, or nobody could say: ask again. */
  | { outcome: 'processing'; askAgainMs: number }

export interface Rail {
  id: string
  /**
   * Hands the payment over, or tells what has become of it: the payment's id is the key under which
   * the rail executes it once, however often it is asked.
   */
  progress(payment: PaymentRow): Promise<Progress>
}
