/**
 * Passkeys (WebAuthn), outside of the versioned contract. The options and the answers are those of
 * the standard, in its JSON form and with its names.
 */
import { type Static, Type } from 'typebox'
import { limits } from '../limits.ts'
import {
  Id,
  NonBlankLine,
  Nullable,
  StringEnum,
  Timestamp,
  base64UrlPattern,
} from './field-types.ts'
import { InputObject, OpenObject, OutputObject, PageOf } from './objects.ts'

const Base64Url = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: limits.passkeyAnswerMaxLength,
    pattern: base64UrlPattern,
    description: `${description} In base64url.`,
  })

const transports = Type.Array(
  Type.String({ maxLength: 40, pattern: '^[a-z-]+$', description: 'A way, such as `internal`.' }),
  { maxItems: limits.passkeyTransportsMax, description: 'How the authenticator can be reached.' },
)

const credential = {
  id: Base64Url('The id of the credential.'),
  rawId: Base64Url('The same.'),
  type: StringEnum(['public-key'], 'The only kind there is.'),
  authenticatorAttachment: Type.Optional(
    Nullable(Type.String({ maxLength: 40, description: 'Not looked at.' })),
  ),
  clientExtensionResults: Type.Optional(OpenObject('Not looked at.')),
}

const clientDataJSON = Base64Url('What the browser says about the request.')

/** What `navigator.credentials.get` answers, by its `toJSON()`. */
export const PasskeyAnswer = InputObject(
  {
    ...credential,
    response: InputObject(
      {
        clientDataJSON,
        authenticatorData: Base64Url('What the authenticator says about itself.'),
        signature: Base64Url('Of both.'),
        userHandle: Type.Optional(Nullable(Base64Url('Whose passkey it is.'))),
      },
      'The signed answer.',
    ),
  },
  'What a passkey answers to a challenge: `navigator.credentials.get(…)` as JSON.',
)
export type PasskeyAnswer = Static<typeof PasskeyAnswer>

/** What `navigator.credentials.create` answers, by its `toJSON()`. */
export const NewPasskeyAnswer = InputObject(
  {
    ...credential,
    response: InputObject(
      {
        clientDataJSON,
        attestationObject: Base64Url('The new passkey.'),
        transports: Type.Optional(transports),
        authenticatorData: Type.Optional(Base64Url('Not looked at.')),
        publicKey: Type.Optional(Nullable(Base64Url('Not looked at.'))),
        publicKeyAlgorithm: Type.Optional(Type.Integer({ description: 'Not looked at.' })),
      },
      'The answer.',
    ),
  },
  'A new passkey: `navigator.credentials.create(…)` as JSON.',
)
export type NewPasskeyAnswer = Static<typeof NewPasskeyAnswer>

export const PasskeyRegistration = InputObject(
  {
    name: NonBlankLine(limits.passkeyNameMaxLength, 'How the person calls it.'),
    passkey: NewPasskeyAnswer,
  },
  'A new passkey.',
)

const challenge = Type.String({ description: 'What the passkey signs; it works once.' })
const timeout = Type.Integer({ description: 'How many milliseconds the challenge lasts.' })
const userVerification = StringEnum(
  ['required'],
  'The authenticator checks the person, by a PIN or a fingerprint.',
)
const type = StringEnum(['public-key'], 'The only kind there is.')

export const PasskeyCreation = OutputObject(
  {
    challenge,
    rp: OutputObject(
      { id: Type.String({ description: 'The domain of the service.' }), name: Type.String() },
      'What the passkey is for.',
    ),
    user: OutputObject(
      {
        id: Type.String({ description: 'The user, in base64url.' }),
        name: Type.String(),
        displayName: Type.String(),
      },
      'Whose passkey it is.',
    ),
    pubKeyCredParams: Type.Array(
      OutputObject(
        { type, alg: Type.Integer({ description: 'COSE algorithm.' }) },
        'An algorithm.',
      ),
    ),
    timeout,
    excludeCredentials: Type.Array(
      OutputObject({ type, id: Type.String(), transports }, 'A passkey that the person has.'),
    ),
    authenticatorSelection: OutputObject(
      {
        residentKey: StringEnum(['required'], 'It is found without a name.'),
        requireResidentKey: Type.Boolean({ description: 'The same, for older browsers.' }),
        userVerification,
      },
      'What the authenticator must be able to do.',
    ),
    attestation: StringEnum(['none'], 'Its make does not matter.'),
  },
  'The options of `navigator.credentials.create`.',
)
export type PasskeyCreation = Static<typeof PasskeyCreation>

export const PasskeyRequest = OutputObject(
  {
    challenge,
    rpId: Type.String({ description: 'The domain of the service.' }),
    timeout,
    userVerification,
    allowCredentials: Type.Array(OpenObject('None: any passkey of the domain.')),
  },
  'The options of `navigator.credentials.get`.',
)
export type PasskeyRequest = Static<typeof PasskeyRequest>

export const Passkey = OutputObject(
  {
    id: Id('psk', 'The passkey.'),
    name: Type.String({ description: 'How the person calls it.' }),
    transports,
    created_at: Timestamp('When it was added.'),
    last_used_at: Nullable(Timestamp('When it was last used.')),
  },
  'A passkey of the user.',
)
export type Passkey = Static<typeof Passkey>

export const PasskeyPage = PageOf(Passkey, 'All passkeys of the user, the newest first.')
