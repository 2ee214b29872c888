/**
 * A key's payment_limits (domain 4.3), per currency: the maximum of one payment and of the sum per
 * day. Usage is counted at the root of the key's rotation chain.
 */
import type { Currency } from '../../contract/currencies.ts'
import { addDays, startOfDay } from '../dates.ts'
import { uuidFromName } from '../ids.ts'
import { fromMinor } from '../money.ts'

export interface PaymentLimits {
  max_per_payment: bigint | null
  daily_volume: bigint | null
}

export interface ExceededLimit {
  limit: 'max_per_payment' | 'daily_volume'
  max: bigint
  /** Null for max_per_payment. */
  used: bigint | null
  /** Null for max_per_payment. */
  resetsAt: string | null
}

/** The limit that the payment would exceed; max_per_payment takes precedence. */
export const exceededLimit = (
  limits: PaymentLimits,
  amount: bigint,
  used: bigint,
  day: string,
): ExceededLimit | undefined => {
  const { max_per_payment: max, daily_volume: volume } = limits
  if (max !== null && amount > max) {
    return { limit: 'max_per_payment', max, used: null, resetsAt: null }
  }
  if (volume !== null && used + amount > volume) {
    return { limit: 'daily_volume', max: volume, used, resetsAt: endOfDay(day) }
  }
  return undefined
}

const endOfDay = (day: string): string => startOfDay(addDays(day, 1))

/** The daily volume that is left in one currency, in major units. */
export const remainingVolume = (
  { volume, day, used }: { volume: bigint; day: string; used: ReadonlyMap<string, bigint> },
  currency: Currency,
) => {
  const spent = used.get(currency) ?? 0n
  const left = spent < volume ? volume - spent : 0n
  return { currency, used: fromMinor(spent), left: fromMinor(left), resets_at: endOfDay(day) }
}

/** Usage has one row per rotation chain, currency and day. */
export const usageId = (rootKey: string, currency: string, day: string): string =>
  uuidFromName(`${rootKey} ${currency} ${day}`)
