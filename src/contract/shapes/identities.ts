/** The identities of the signed-in person at identity providers (console 2.5). */
import { type Static, Type } from 'typebox'
import { limits } from '../limits.ts'
import { Nullable, Text, Timestamp } from './field-types.ts'
import { InputObject, OutputObject } from './objects.ts'

export const ConnectedIdentity = OutputObject(
  {
    provider: OutputObject({ id: Type.String(), name: Type.String() }, 'The identity provider.'),
    email: Nullable(
      Type.String({ description: 'The address there, when the identity was connected.' }),
    ),
    connected_at: Timestamp('Since when the user signs in with it.'),
  },
  'An identity that signs the user in.',
)
export type ConnectedIdentity = Static<typeof ConnectedIdentity>

export const ConnectedIdentities = OutputObject(
  { data: Type.Array(ConnectedIdentity) },
  'One of each provider of this deployment at most, the oldest first.',
)

export const IdentityConnection = InputObject(
  {
    provider: Text(20, 'The id of the provider, as in `GET /auth/methods`.', 1),
    to: Type.Optional(
      Text(
        limits.savedViewQueryMaxLength,
        'The page of the console that follows, such as `/o/org_…/settings`.',
        1,
      ),
    ),
  },
  'The beginning of a connection.',
)

export const BegunConnection = OutputObject(
  { url: Type.String({ description: 'Where the browser goes, with the cookie of the answer.' }) },
  'A connection that the person completes at the provider.',
)
