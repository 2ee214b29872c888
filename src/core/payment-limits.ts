/**
 * A key's payment_limits (domain 4.3): how much one payment may be, and how much the payments of
 * one day may sum to, per currency. Usage is counted at the root of the rotation chain.
 */
import { addDays } from './calendar.ts'
import { uuidOfName } from './ids.ts'

export interface Limits {
  max_per_payment: bigint | null
  daily_volume: bigint | null
}

export interface Excess {
  limit: 'max_per_payment' | 'daily_volume'
  max: bigint
  /** Null for a limit that nothing uses up. */
  used: bigint | null
  /** When it is whole again. */
  resetsAt: string | null
}

/** The limit that the payment would exceed: the one per payment wins. */
export const exceededLimit = (
  limits: Limits,
  amount: bigint,
  used: bigint,
  day: string,
): Excess | undefined => {
  const { max_per_payment: most, daily_volume: volume } = limits
  if (most !== null && amount > most) {
    return { limit: 'max_per_payment', max: most, used: null, resetsAt: null }
  }
  if (volume !== null && used + amount > volume) {
    const resetsAt = `${addDays(day, 1)}T00:00:00.000Z`
    return { limit: 'daily_volume', max: volume, used, resetsAt }
  }
  return undefined
}

/** One row per chain, currency and day. */
export const usageId = (rootKey: string, currency: string, day: string): string =>
  uuidOfName(`${rootKey} ${currency} ${day}`)
