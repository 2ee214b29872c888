/** What a caller can learn of itself: who it is, what the deployment serves, how a write ended. */
import { Type } from 'typebox'
import { invalid } from '../contract/errors.ts'
import { families, familyNames } from '../contract/families.ts'
import { limits } from '../contract/limits.ts'
import { scopeNames } from '../contract/scopes.ts'
import { Id, Nullable, OneOf, View } from '../contract/shapes/common.ts'
import { version } from '../contract/version.ts'
import { encodeId } from '../core/ids.ts'
import { fromMinor } from '../core/money.ts'
import { keyMac, lockNumber } from '../engine/idempotency.ts'
import { isLocked, repliesFor } from '../store/idempotency.ts'
import { keyById } from '../store/keys.ts'
import { operation } from './operation.ts'

const Scopes = Type.Array(OneOf(scopeNames, 'A scope.'))

const Limits = View(
  {
    max_per_payment: Nullable(Type.Number()),
    daily_volume: Nullable(Type.Number()),
  },
  "The key's payment limits, in major units per currency; null = no limit.",
)

export const get = operation({
  id: 'me.get',
  method: 'GET',
  path: '/v1/me',
  summary: 'Read who is calling',
  since: '1.15.0',
  allowed: 'any',
  response: View(
    {
      organization: View(
        {
          id: Id('org', 'The calling organization.'),
          name: Type.String(),
          mode: OneOf(['live', 'sandbox'], 'Live or sandbox.'),
          verified: Type.Boolean(),
        },
        'The calling organization.',
      ),
      key: Nullable(
        View(
          { id: Id('key', 'The key.'), prefix: Type.String(), scopes: Scopes },
          'The calling key.',
        ),
      ),
      user: Nullable(
        View(
          {
            id: Id('usr', 'The user.'),
            email: Type.String(),
            name: Type.String(),
            role: Type.String(),
          },
          'The signed-in user.',
        ),
      ),
      effective_scopes: Scopes,
      limits: Nullable(Limits),
      api_version: Type.String(),
    },
    'The caller.',
  ),
}).reads(async ({ organization, credential, scopes, read }) => {
  const { user } = credential
  const key =
    credential.kind === 'key' ? await keyById(read, organization.id, credential.id) : undefined
  const major = (minor: bigint | null) => (minor === null ? null : fromMinor(minor))
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
          : { id: encodeId('key', key.id), prefix: key.prefix, scopes: [...credential.granted] },
      user:
        user === null
          ? null
          : { id: encodeId('usr', user.id), email: user.email, name: user.name, role: user.role },
      effective_scopes: [...scopes],
      limits:
        key === undefined || !scopes.has('payments:write')
          ? null
          : { max_per_payment: major(key.max_per_payment), daily_volume: major(key.daily_volume) },
      api_version: version,
    },
  }
})

const FamilyState = View(
  { enabled: Type.Boolean(), since_version: Type.String() },
  'Whether this deployment serves the family, and since which version it exists.',
)

export const enablement = operation({
  id: 'enablement.get',
  method: 'GET',
  path: '/v1/enablement',
  family: 'enablement',
  summary: 'Read which families the deployment serves',
  since: '1.1.0',
  allowed: 'public',
  response: View(
    {
      api_version: Type.String(),
      mode: OneOf(['sandbox', 'live', 'both'], 'Which organizations the deployment serves.'),
      families: View(
        Object.fromEntries(familyNames.map((family) => [family, FamilyState])),
        'The families.',
      ),
    },
    'What the deployment serves.',
  ),
}).answers(async ({ config }) => ({
  body: {
    api_version: version,
    mode: 'both',
    families: Object.fromEntries(
      familyNames.map((family) => [
        family,
        {
          enabled: families[family].built && config.families.has(family),
          since_version: families[family].since,
        },
      ]),
    ),
  },
}))

export const idempotency = operation({
  id: 'idempotency.get',
  method: 'GET',
  path: '/v1/idempotency/{key}',
  summary: 'Read how a write with an Idempotency-Key ended',
  since: '1.15.0',
  allowed: 'any',
  response: View(
    {
      status: OneOf(['unknown', 'in_progress', 'succeeded'], 'How it stands.'),
      resource_id: Type.Optional(
        Nullable(Type.String({ description: 'What the write made or changed.' })),
      ),
      request_id: Type.Optional(Id('req', 'The request that succeeded.')),
    },
    'The state of one Idempotency-Key of the organization.',
  ),
}).reads(async ({ context, organization, read }, { params }) => {
  const { key } = params
  if (key.length < limits.idempotencyKeyMinLength || key.length > limits.idempotencyKeyMaxLength) {
    throw invalid([
      {
        param: 'key',
        code: 'invalid_value',
        message: 'An Idempotency-Key has 8 to 128 characters.',
        fix: 'name the key that the write was sent with',
      },
    ])
  }
  const mac = keyMac(context.keyring.replies, organization.id, key)
  if (context.engine.isRunning(mac)) return { body: { status: 'in_progress' } }
  // The lock is looked at before the reply, so that a write that ends in between is not missed.
  const isRunning = await isLocked(read, lockNumber(mac))
  const [reply] = await repliesFor(read, [mac])
  const age = reply === undefined ? 0 : Date.now() - Date.parse(reply.created_at)
  if (reply !== undefined && age < context.config.idempotencyRetentionMs) {
    const request_id = encodeId('req', reply.request_id)
    return { body: { status: 'succeeded', resource_id: reply.resource_id, request_id } }
  }
  return { body: { status: isRunning ? 'in_progress' : 'unknown' } }
})
