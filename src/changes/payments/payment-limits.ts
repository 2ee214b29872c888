/**
 * Reserves the amount that a key pays before money moves (domain 4.3), under the lock of the root
 * of its rotation chain, so neither concurrency nor rotation doubles a limit.
 */
import { refuse, unauthorized } from '../../contract/errors.ts'
import { fromMinor, minorText } from '../../core/money.ts'
import { type ExceededLimit, exceededLimit, usageId } from '../../core/payments/payment-limits.ts'
import type { Rows } from '../../database/rows.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { Actor } from '../change-context.ts'

export interface LimitReservation {
  limit_root: string | null
  limit_day: string | null
  limit_version: number | null
}

const noReservation: LimitReservation = { limit_root: null, limit_day: null, limit_version: null }

/** Counts the amount against the key's limits of that day, or refuses it. */
export const reserveLimit = (
  unit: UnitOfWork,
  actor: Actor,
  { amount, currency, day }: { amount: bigint; currency: string; day: string },
): LimitReservation => {
  if (actor.kind !== 'api_key') return noReservation
  const key = unit.get('keys', actor.key_id)
  // Revoking takes the same lock, so no payment commits after the response to a revocation.
  const isExpired = key?.expires_at != null && key.expires_at <= unit.now
  if (key === undefined || key.revoked_at !== null || isExpired) {
    throw unauthorized()
  }
  const isCounted =
    key.max_per_payment !== null ||
    key.daily_volume !== null ||
    key.requires_approval_above !== null
  if (!isCounted) return noReservation
  const usage = limitUsageOf(unit, key.root_id, currency, day)
  const { used } = usage
  const excess = exceededLimit(key, amount, used, day)
  if (excess !== undefined) {
    throw refuse('payment_limit_exceeded', excessText(excess, amount, currency), {
      limit: excess.limit,
      max: fromMinor(excess.max),
      used: excess.used === null ? null : fromMinor(excess.used),
      attempted: fromMinor(amount),
      currency,
      resets_at: excess.resetsAt,
    })
  }
  const version = changeLimitUsage(unit, usage, amount)
  return { limit_root: key.root_id, limit_day: day, limit_version: version }
}

const excessText = (
  { limit, max, used, resetsAt }: ExceededLimit,
  amount: bigint,
  currency: string,
) => {
  const allowed = `${limit} of this key, ${minorText(max)} ${currency}`
  const text = `The payment of ${minorText(amount)} ${currency} exceeds ${allowed}`
  return used === null
    ? `${text}. A payment pays the whole balance: use a key with a higher limit, or let a person pay.`
    : `${text}, of which ${minorText(used)} are used until ${resetsAt}.`
}

/** Releases the reservation of a payment that failed, was cancelled or is reserved again. */
export const releaseLimit = (
  unit: UnitOfWork,
  payment: Omit<LimitReservation, 'limit_version'> & { amount: bigint; currency: string },
): void => {
  const { limit_root: root, limit_day: day, amount, currency } = payment
  if (root === null || day === null) return
  changeLimitUsage(unit, limitUsageOf(unit, root, currency, day), -amount)
}

/** What the rotation chain has paid or reserved on a day. */
export const paidOnDay = (
  unit: UnitOfWork,
  { root_id }: Pick<Rows['keys'], 'root_id'>,
  { currency, day }: { currency: string; day: string },
): bigint => limitUsageOf(unit, root_id, currency, day).used

type LimitUsage = Rows['limit_usage']

const limitUsageOf = (
  unit: UnitOfWork,
  root: string,
  currency: string,
  day: string,
): LimitUsage => {
  const id = usageId(root, currency, day)
  const none = { id, root_key_id: root, currency, day, used: 0n, version: 0 }
  return unit.get('limit_usage', id) ?? none
}

/** Returns the new version of the usage. */
const changeLimitUsage = (unit: UnitOfWork, usage: LimitUsage, amount: bigint): number => {
  const version = usage.version + 1
  unit.save('limit_usage', { ...usage, used: usage.used + amount, version })
  return version
}
