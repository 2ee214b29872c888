/** What a caller can learn of itself. */
import { Type } from 'typebox'
import { scopeNames } from '../contract/scopes.ts'
import { View } from '../contract/shapes/envelopes.ts'
import { Id, Nullable, OneOf } from '../contract/shapes/values.ts'
import { version } from '../contract/version.ts'
import { encodeId } from '../core/ids.ts'
import { fromMinor } from '../core/money.ts'
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
