/** Sign-in and sessions, outside of the versioned contract (contract 3). */
import { type Static, Type } from 'typebox'
import { limits } from '../limits.ts'
import { roleNames } from '../role-names.ts'
import type { Role } from '../roles.ts'
import { scopeNames } from '../scopes.ts'
import { Id, Nullable, StringEnum, Text, Timestamp } from './field-types.ts'
import { InputObject, OutputObject, PageOf, pageParameters } from './objects.ts'
import { PasskeyAnswer } from './passkeys.ts'

const Client = StringEnum(
  ['browser', 'cli'],
  '`browser`: the token lasts 15 minutes, and a cookie gets the next one at `POST /auth/sessions/refresh`. `cli`: one token for twelve hours.',
)

/** Which kind of token a sign-in is for. */
export const clientField = { client: Type.Optional(Client) }

/** Looked at only if the user has turned a second factor on. */
export const secondFactorCode = Text(
  limits.secondFactorCodeMaxLength,
  'The second factor of the user, if it is turned on: six digits of the app, or a recovery code.',
  1,
)

export const SignIn = InputObject(
  {
    email: Type.Optional(
      Text(limits.emailMaxLength, 'The e-mail address of the user, together with password.', 1),
    ),
    password: Type.Optional(Text(limits.passwordMaxLength, 'The password of the user.', 1)),
    link: Type.Optional(
      Text(limits.passwordMaxLength, 'The token of a one-time link, instead of a password.', 1),
    ),
    mfa_token: Type.Optional(
      Text(
        limits.mfaTokenMaxLength,
        'What a sign-in without totp was answered: it stands for the password or the link, together with totp.',
        1,
      ),
    ),
    totp: Type.Optional(secondFactorCode),
    organization_id: Type.Optional(
      Id('org', 'The organization; by default the one last used, else a sandbox.'),
    ),
    ...clientField,
  },
  'An e-mail address and a password, a one-time link, or an mfa_token.',
)
export type SignIn = Static<typeof SignIn>

export const organizationFields = {
  id: Id('org', 'The organization.'),
  name: Type.String(),
  mode: StringEnum(['live', 'sandbox'], 'Live or sandbox.'),
}

const session = {
  id: Id('ses', 'The session; of a browser, the same for all of its tokens.'),
  expires_at: Timestamp('When the token ends.'),
  organization: OutputObject(organizationFields, 'The organization that the session acts for.'),
  user: OutputObject(
    { id: Id('usr', 'The user.'), email: Type.String(), name: Type.String() },
    'The user who signed in.',
  ),
  role: StringEnum(roleNames, 'The role of the user in the organization.'),
  scopes: Type.Array(StringEnum(scopeNames, 'A scope.')),
}

export const AdminSession = OutputObject(session, 'A session, without its token.')
export type AdminSession = Static<typeof AdminSession>

export const CurrentSession = OutputObject(
  {
    ...session,
    client: Client,
    authenticated_at: Timestamp('When the user last showed who it is.'),
    organizations: Type.Array(
      OutputObject(
        { ...organizationFields, role: StringEnum(roleNames, 'The role of the user there.') },
        'An organization of the user.',
      ),
      { description: 'All organizations that the user can switch to.' },
    ),
  },
  'The session of the token that was sent.',
)
export type CurrentSession = Static<typeof CurrentSession>

export const OpenedSession = OutputObject(
  {
    ...session,
    token: Nullable(Type.String({ description: 'Returned only once. Null in a dry run.' })),
    token_type: StringEnum(['Bearer'], 'The authentication scheme.'),
  },
  'A session with its token.',
)
export type OpenedSession = Omit<Static<typeof OpenedSession>, 'role'> & { role: Role }

/** Which of them is needed depends on what the user has turned on. */
export const IdentityProof = InputObject(
  {
    password: Type.Optional(Text(limits.passwordMaxLength, 'The password of the user.', 1)),
    totp: Type.Optional(secondFactorCode),
    passkey: Type.Optional(PasskeyAnswer),
  },
  'A proof of who the user is: one of the three.',
)
export type IdentityProof = Static<typeof IdentityProof>

export const SessionRefresh = InputObject(
  { organization_id: Type.Optional(Id('org', 'The organization; by default the one last used.')) },
  'The next token of a browser.',
)

export const ListedSession = OutputObject(
  {
    id: session.id,
    client: Client,
    is_current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
    organization: OutputObject(
      organizationFields,
      'The organization of the token; of a browser, the one where it signed in.',
    ),
    address: Nullable(Type.String({ description: 'From where the user signed in.' })),
    user_agent: Nullable(Type.String({ description: 'What the program said it is.' })),
    created_at: Timestamp('When the user signed in.'),
    authenticated_at: Timestamp('When the user last showed who it is.'),
    refreshed_at: Nullable(Timestamp('When the browser last got a token.')),
    expires_at: Timestamp('When it ends; of a browser, unless it gets another token before.'),
  },
  'A session of the user.',
)
export type ListedSession = Static<typeof ListedSession>

export const SessionPage = PageOf(ListedSession, 'Sessions that go on, the newest first.')

export const SessionFilters = InputObject(pageParameters, 'Paging.')

export const SignInMethods = OutputObject(
  {
    setup_required: Type.Boolean({ description: 'Nobody owns a live organization here yet.' }),
    password: Type.Boolean({ description: 'With an e-mail address and a password.' }),
    magic_link: Nullable(
      StringEnum(
        ['smtp', 'console'],
        'How a sign-in link reaches the user. Null: only an operator makes links.',
      ),
    ),
    passkey: Type.Boolean({ description: 'With a passkey.' }),
    oidc: Type.Array(
      OutputObject({ id: Type.String(), name: Type.String() }, 'An identity provider.'),
    ),
  },
  'The ways to sign in to this deployment.',
)
