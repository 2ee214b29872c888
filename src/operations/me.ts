/** The caller: its organization, credential, scopes, and remaining limits and quotas. */
import { quotasLeft } from '../changes/sandbox/quotas.ts'
import { currencies } from '../contract/currencies.ts'
import { Caller } from '../contract/shapes/account.ts'
import { version } from '../contract/version.ts'
import type { CallingOrganization, Context } from '../context.ts'
import { dateAt } from '../core/dates.ts'
import { encodeId } from '../core/ids.ts'
import { fromMinor } from '../core/money.ts'
import { remainingVolume } from '../core/payments/payment-limits.ts'
import type { Queryable } from '../database/sql.ts'
import { type KeyWithNow, keyById } from '../store/identity/keys.ts'
import { dailyVolumes } from '../store/payments/limit-usage.ts'
import { quotasUsed } from '../store/identity/organizations.ts'
import { operation } from './operation.ts'

export const get = operation({
  id: 'me.get',
  method: 'GET',
  path: '/v1/me',
  summary: 'Retrieve the caller',
  since: '1.15.0',
  allowed: 'any',
  response: Caller,
}).reads(async ({ context, organization, credential, scopes, read }) => {
  const { user } = credential
  const key =
    credential.kind === 'key' ? await keyById(read, organization.id, credential.id) : undefined
  return {
    body: {
      organization: {
        id: encodeId('org', organization.id),
        name: organization.name,
        mode: organization.mode === 'live' ? 'live' : 'sandbox',
        verified: organization.isVerified,
      },
      key:
        key === undefined
          ? null
          : {
              id: encodeId('key', key.id),
              prefix: key.prefix,
              scopes: [...credential.grantedScopes],
            },
      user:
        user === null
          ? null
          : { id: encodeId('usr', user.id), email: user.email, name: user.name, role: user.role },
      effective_scopes: [...scopes],
      limits:
        key === undefined || !scopes.has('payments:write')
          ? null
          : await limitsOf(read, key, organization),
      quotas: await quotasOf(context, organization),
      api_version: version,
    },
  }
})

const limitsOf = async (
  read: Queryable,
  key: KeyWithNow,
  { clockOffsetSeconds }: CallingOrganization,
) => {
  const { daily_volume: volume, max_per_payment: maxPerPayment } = key
  const day = dateAt(key.now, clockOffsetSeconds)
  const used =
    volume === null ? new Map<string, bigint>() : await dailyVolumes(read, key.root_id, day)
  return {
    max_per_payment: maxPerPayment === null ? null : fromMinor(maxPerPayment),
    daily_volume: volume === null ? null : fromMinor(volume),
    daily_volume_left:
      volume === null
        ? null
        : currencies.map((currency) => remainingVolume({ volume, day, used }, currency)),
  }
}

const quotasOf = async ({ config, database }: Context, { id, mode }: CallingOrganization) => {
  if (mode === 'live' || config.quotas === null) return null
  return quotasLeft(config.quotas, await quotasUsed(database.read, id))
}
