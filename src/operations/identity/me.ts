/** The caller: its organization, credential, scopes, and remaining limits and quotas. */
import { sandboxOwnerOf } from '../../changes/sandbox/practice-pairs.ts'
import { countWaitingFor } from '../../changes/approvals/decide-approval.ts'
import { quotasHeldBy, quotasLeft } from '../../changes/quotas.ts'
import { currencies } from '../../contract/currencies.ts'
import { limits } from '../../contract/limits.ts'
import { mayApprove } from '../../contract/roles.ts'
import { Caller } from '../../contract/shapes/account.ts'
import { version } from '../../contract/version.ts'
import type { Call, CallingOrganization } from '../../context.ts'
import { dateAt } from '../../core/dates.ts'
import { encodeId } from '../../core/ids.ts'
import { fromMinor } from '../../core/money.ts'
import { remainingVolume } from '../../core/payments/payment-limits.ts'
import type { Queryable } from '../../database/sql.ts'
import { heldDocuments } from '../../store/documents/held-documents.ts'
import { type KeyWithNow, keyById } from '../../store/identity/keys.ts'
import { dailyVolumes } from '../../store/payments/limit-usage.ts'
import { quotasUsed } from '../../store/quotas.ts'
import { operation } from '../operation.ts'

export const get = operation({
  id: 'me.get',
  method: 'GET',
  path: '/v1/me',
  summary: 'Retrieve the caller',
  since: '1.15.0',
  allowed: 'any',
  response: Caller,
}).reads(async (call) => {
  const { organization, credential, scopes, read } = call
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
      limits: {
        ...(key === undefined || !scopes.has('payments:write')
          ? unlimited
          : await paymentLimitsOf(read, key, organization)),
        quotas: await quotasOf(call),
      },
      documents_on_hold: await documentsOnHold(call),
      approvals_waiting: await approvalsWaiting(call),
      address: call.address,
      api_version: version,
    },
  }
})

/** For who may read documents. */
const documentsOnHold = async ({ read, organization, scopes }: Call): Promise<string[]> => {
  if (!scopes.has('documents:read')) return []
  const held = await heldDocuments(read, organization.id, limits.heldDocumentsShown)
  return held.map((id) => encodeId('doc', id))
}

/** For the signed-in user: keys decide on none. */
const approvalsWaiting = async ({ read, organization, credential }: Call): Promise<number> => {
  const { user } = credential
  if (user === null || !mayApprove(user.role)) return 0
  return countWaitingFor(read, { organization: organization.id, user: user.id, role: user.role })
}

const unlimited = { max_per_payment: null, daily_volume: null, daily_volume_left: null }

const paymentLimitsOf = async (
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

const quotasOf = async (call: Call) => {
  const owner = await sandboxOwnerOf(call.read, call.organization)
  const used = await quotasUsed(call.read, call.organization.id, owner.id)
  return quotasLeft(quotasHeldBy(call).quotas, used)
}
