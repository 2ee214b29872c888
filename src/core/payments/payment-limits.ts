/**
 * A key's payment_limits (domain 4.3): how much one payment may be, and how much the payments of
 * one day may sum to, per currency. Usage is counted at the root of the rotation chain.
 */
import type { Currency } from '../../contract/currencies.ts'
import { addDays } from '../calendar.ts'
import { uuidOfName } from '../ids.ts'
import { fromMinor } from '../money.ts'

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
    return { limit: 'daily_volume', max: volume, used, resetsAt: endOf(day) }
  }
  return undefined
}

const endOf = (day: string): string => `${addDays(day, 1)}T00:00:00.000Z`

/** What the payments of the day may still sum to in one currency, in major units. */
export const volumeLeft = (
  { volume, day, used }: { volume: bigint; day: string; used: ReadonlyMap<string, bigint> },
  currency: Currency,
) => {
  const spent = used.get(currency) ?? 0n
  const left = spent < volume ? volume - spent : 0n
  return { currency, used: fromMinor(spent), left: fromMinor(left), resets_at: endOf(day) }
}

/** One row per chain, currency and day. */
export const usageId = (rootKey: string, currency: string, day: string): string =>
  uuidOfName(`${rootKey} ${currency} ${day}`)
