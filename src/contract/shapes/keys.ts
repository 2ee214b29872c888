/** API keys (specification 2.3, contract 4). */
import { type Static, type TNumber, type TOptional, Type } from 'typebox'
import { type Currency, currencies } from '../currencies.ts'
import { limits } from '../limits.ts'
import { scopeNames } from '../scopes.ts'
import { DailyVolume } from './account.ts'
import { InputObject, PageOf, OutputObject, pageParameters } from './objects.ts'
import { NonBlankLine, Id, Nullable, StringEnum, Timestamp } from './field-types.ts'

const Scope = StringEnum(scopeNames, 'A scope.')

const PaymentLimit = (description: string) =>
  Nullable(
    Type.Number({ description: `${description} Major units, per currency; null = no limit.` }),
  )

/** Amounts by currency. */
const thresholds = Object.fromEntries(
  currencies.map((currency) => [currency, Type.Optional(Type.Number())]),
) as Record<Currency, TOptional<TNumber>>

export const KeyCreate = InputObject(
  {
    name: NonBlankLine(limits.keyNameMaxLength, 'What the key is for.'),
    scopes: Type.Array(Scope, {
      minItems: 1,
      maxItems: scopeNames.length,
      description: 'The scopes of the key.',
    }),
    expires_at: Type.Optional(Nullable(Timestamp('The key is refused after this time.'))),
    allowed_cidrs: Type.Optional(
      Nullable(
        Type.Array(Type.String({ maxLength: 64 }), {
          maxItems: limits.allowedCidrsMax,
          description: 'Allowed IPv4 or IPv6 ranges; absent, null or [] = any address.',
        }),
      ),
    ),
    payment_limits: Type.Optional(
      InputObject(
        {
          max_per_payment: Type.Optional(PaymentLimit('Maximum of a single payment.')),
          daily_volume: Type.Optional(PaymentLimit('Maximum sum of payments per UTC day.')),
        },
        'Only with payments:write.',
      ),
    ),
    requires_approval: Type.Optional(
      Type.Boolean({
        description: 'A person approves everything that pays. Only with payments:write.',
      }),
    ),
    requires_approval_above: Type.Optional(
      Nullable(
        InputObject(
          thresholds,
          'Instead: what it pays beyond these amounts per UTC day, and all in other currencies.',
        ),
      ),
    ),
    signing_key: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 44,
          description:
            'An Ed25519 public key, its 32 bytes in base64. All writes of the key must then be signed with it (RFC 9421).',
        }),
      ),
    ),
  },
  'A new key.',
)
export type KeyCreate = Static<typeof KeyCreate>

const keyFields = {
  id: Id('key', 'The key.'),
  name: Type.String(),
  prefix: Type.String({ description: 'The first characters; not secret.' }),
  scopes: Type.Array(Scope),
  status: StringEnum(['active', 'rotating', 'expired', 'revoked'], 'The current status.'),
  expires_at: Nullable(Timestamp('When it expires.')),
  allowed_cidrs: Type.Array(Type.String()),
  payment_limits: Type.Optional(
    OutputObject(
      { max_per_payment: Nullable(Type.Number()), daily_volume: Nullable(Type.Number()) },
      'Enforced before any money moves.',
    ),
  ),
  used_today: Type.Optional(
    Type.Array(DailyVolume, { description: 'Of daily_volume, if any; with payments:read.' }),
  ),
  requires_approval: Type.Optional(
    Type.Boolean({ description: 'A person approves everything that pays.' }),
  ),
  requires_approval_above: Type.Optional(
    Nullable(
      OutputObject(
        thresholds,
        'A person approves what it pays beyond these amounts per UTC day, and all in other currencies.',
      ),
    ),
  ),
  signing_key: Type.Optional(
    Type.String({ description: 'The public key with which its writes are signed.' }),
  ),
  last_used_at: Nullable(Timestamp('When it was last used; may lag by a minute.')),
  rotated_from_id: Type.Optional(Id('key', 'The key that this one replaced.')),
  rotated_to_id: Type.Optional(Id('key', 'The key that replaced this one.')),
  revoked_at: Nullable(Timestamp('When it was revoked.')),
  created_at: Timestamp('When it was created.'),
  sandbox: Type.Boolean(),
}

export const Key = OutputObject(keyFields, 'An API key, without its secret.')
export type Key = Static<typeof Key>

const Secret = Nullable(
  Type.String({ description: 'The full secret: only in this response. Null in a dry run.' }),
)

export const MintedKey = OutputObject({ ...keyFields, key: Secret }, 'A key with its secret.')

export const RotatedKey = OutputObject(
  {
    ...keyFields,
    key: Secret,
    previous: OutputObject(
      {
        id: Id('key', 'The old key.'),
        prefix: Type.String(),
        expires_at: Timestamp('When the old key expires.'),
        rotated_to_id: Id('key', 'The new key.'),
      },
      'The old key, which stays valid during its grace period.',
    ),
  },
  'The new key with its secret.',
)

export const KeyPage = PageOf(Key, 'Keys, newest first.')
export const KeyFilters = InputObject(pageParameters, 'Paging.')
