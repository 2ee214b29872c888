/** A key as its organization reads it. */
import type { Static } from 'typebox'
import { keyStatusOf } from '../../changes/identity/keys.ts'
import type { Call } from '../../context.ts'
import { currencies } from '../../contract/currencies.ts'
import type { Key } from '../../contract/shapes/keys.ts'
import { thresholdsInMajorUnits } from '../../core/approvals/thresholds.ts'
import { dateAt } from '../../core/dates.ts'
import { encodeId } from '../../core/ids.ts'
import { fromMinor } from '../../core/money.ts'
import { remainingVolume } from '../../core/payments/payment-limits.ts'
import { timeOrNull } from '../../core/unsealed-values.ts'
import type { KeyWithNow } from '../../store/identity/keys.ts'
import { dailyVolumesOf } from '../../store/payments/limit-usage.ts'

export const toKey = (key: KeyWithNow): Static<typeof Key> => ({
  id: encodeId('key', key.id),
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes as Static<typeof Key>['scopes'],
  status: keyStatusOf(key),
  expires_at: key.expires_at,
  allowed_cidrs: key.allowed_cidrs,
  ...(key.scopes.includes('payments:write')
    ? {
        payment_limits: {
          max_per_payment: majorUnits(key.max_per_payment),
          daily_volume: majorUnits(key.daily_volume),
        },
        requires_approval: key.requires_approval,
        requires_approval_above: thresholdsInMajorUnits(key.requires_approval_above),
      }
    : {}),
  ...(key.signing_key === null ? {} : { signing_key: key.signing_key.toString('base64') }),
  last_used_at: timeOrNull(key.last_used_at),
  ...(key.rotated_from_id === null
    ? {}
    : { rotated_from_id: encodeId('key', key.rotated_from_id) }),
  ...(key.rotated_to_id === null ? {} : { rotated_to_id: encodeId('key', key.rotated_to_id) }),
  revoked_at: key.revoked_at,
  created_at: key.created_at,
  sandbox: key.mode === 'test',
})

const majorUnits = (minor: bigint | null): number | null =>
  minor === null ? null : fromMinor(minor)

/** A view with what the rotation chain has paid today, for a caller who may read payments. */
export const toKeyWithUse = async (
  call: Call,
  keys: readonly KeyWithNow[],
): Promise<(key: KeyWithNow) => Static<typeof Key>> => {
  const limited = keys.filter(({ daily_volume }) => daily_volume !== null)
  if (limited.length === 0 || !call.scopes.has('payments:read')) return toKey
  const day = dateAt(limited[0]!.now, call.organization.clockOffsetSeconds)
  const roots = [...new Set(limited.map(({ root_id }) => root_id))]
  const used = await dailyVolumesOf(call.read, roots, day)
  return (key) => {
    const { daily_volume: volume, root_id: root } = key
    const ofChain = used.get(root)
    if (volume === null || ofChain === undefined) return toKey(key)
    const used_today = currencies
      .filter((currency) => ofChain.has(currency))
      .map((currency) => remainingVolume({ volume, day, used: ofChain }, currency))
    return { ...toKey(key), used_today }
  }
}
