/** The caller, its writes, and what the deployment serves (contract 4 and 11). */
import { Type } from 'typebox'
import { currencies } from '../currencies.ts'
import { familyNames } from '../families.ts'
import { quotaNames } from '../quotas.ts'
import { roleNames } from '../role-names.ts'
import { scopeNames } from '../scopes.ts'
import { Id, Money, Nullable, StringEnum, Timestamp } from './field-types.ts'
import { OutputObject } from './objects.ts'

const Scopes = Type.Array(StringEnum(scopeNames, 'A scope.'))

const ResetsAt = Timestamp('When it resets.')

export const DailyVolume = OutputObject(
  {
    currency: StringEnum(currencies, 'ISO 4217.'),
    used: Money('Paid or reserved today, across all rotations of the key.'),
    left: Money('The amount that can still be paid today.'),
    resets_at: ResetsAt,
  },
  'Of daily_volume, in one currency.',
)

const Quota = OutputObject(
  {
    quota: StringEnum(quotaNames, 'The counted resource.'),
    limit: Type.Integer(),
    used: Type.Integer(),
    left: Type.Integer(),
    resets_at: Nullable(ResetsAt),
  },
  'A quota of the organization. A quota on stored records never resets.',
)

const Limits = OutputObject(
  {
    max_per_payment: Nullable(Type.Number()),
    daily_volume: Nullable(Type.Number()),
    daily_volume_left: Nullable(
      Type.Array(DailyVolume, {
        description: 'One entry per currency; null without daily_volume.',
      }),
    ),
    quotas: Type.Array(Quota, { description: 'Those that hold; a live organization has few.' }),
  },
  "The key's payment limits, in major units per currency (null means no limit), and the quotas of its organization.",
)

export const Caller = OutputObject(
  {
    organization: OutputObject(
      {
        id: Id('org', 'The calling organization.'),
        name: Type.String(),
        mode: StringEnum(['live', 'sandbox'], 'Live or sandbox.'),
        verified: Type.Boolean(),
      },
      'The calling organization.',
    ),
    key: Nullable(
      OutputObject(
        { id: Id('key', 'The key.'), prefix: Type.String(), scopes: Scopes },
        'The calling key.',
      ),
    ),
    user: Nullable(
      OutputObject(
        {
          id: Id('usr', 'The user.'),
          email: Type.String(),
          name: Type.String(),
          role: StringEnum(roleNames, 'The role of the user in the organization.'),
        },
        'The signed-in user.',
      ),
    ),
    effective_scopes: Scopes,
    limits: Limits,
    documents_on_hold: Type.Array(Id('doc', 'A document.'), {
      description: 'Up to 10 documents that failed verification, for documents:read.',
    }),
    approvals_waiting: Type.Integer({ description: 'For the user to decide, up to 100.' }),
    address: Type.String({ description: 'From where.' }),
    api_version: Type.String(),
  },
  'The caller.',
)

const FamilyState = OutputObject(
  { enabled: Type.Boolean(), since_version: Type.String() },
  'Whether this deployment serves the family, and the version that introduced it.',
)

export const Enablement = OutputObject(
  {
    api_version: Type.String(),
    mode: StringEnum(
      ['sandbox', 'live', 'both'],
      'The kinds of organizations that the deployment serves.',
    ),
    families: OutputObject(
      Object.fromEntries(familyNames.map((family) => [family, FamilyState])),
      'The families.',
    ),
  },
  'What this deployment serves.',
)

export const IdempotencyState = OutputObject(
  {
    status: StringEnum(
      ['unknown', 'in_progress', 'succeeded'],
      'The state of the write; `unknown` if no write with this key is stored.',
    ),
    resource_id: Type.Optional(
      Nullable(Type.String({ description: 'The record that the write created or changed.' })),
    ),
    request_id: Type.Optional(Id('req', 'The request that succeeded.')),
  },
  'The state of one Idempotency-Key of the organization.',
)
