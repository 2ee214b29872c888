/** Sign-in of programs that a person approves (RFC 8628), outside of the versioned contract. */
import { type Static, Type } from 'typebox'
import { limits } from '../limits.ts'
import { Id, Nullable, StringEnum, Text, Timestamp } from './field-types.ts'
import { InputObject, OutputObject } from './objects.ts'
import { organizationFields } from './sessions.ts'

export const StartedDeviceCode = OutputObject(
  {
    device_code: Nullable(
      Type.String({ description: 'What the program polls with. Null in a dry run.' }),
    ),
    user_code: Nullable(
      Type.String({ description: 'What the person types in the browser. Null in a dry run.' }),
    ),
    verification_uri: Type.String({ description: 'Where the person types it.' }),
    verification_uri_complete: Nullable(
      Type.String({ description: 'The same with the code in it. Null in a dry run.' }),
    ),
    expires_in: Type.Integer({ description: 'How many seconds both codes last.' }),
    interval: Type.Integer({ description: 'How many seconds to wait before each poll.' }),
  },
  'The codes of a program that wants a session.',
)

const clientId = {
  client_id: Type.Optional(
    Text(
      limits.deviceParameterMaxLength,
      'As in RFC 8628; changes nothing, as no program is registered.',
    ),
  ),
}

export const DeviceStart = InputObject(
  {
    ...clientId,
    scope: Type.Optional(
      Text(
        limits.deviceParameterMaxLength,
        'As in RFC 8628; changes nothing, as the session has the scopes of the role of its user.',
      ),
    ),
  },
  'No body, {}, or what RFC 8628 has programs send.',
)

export const DeviceToken = InputObject(
  {
    device_code: Text(limits.passwordMaxLength, 'The code that the program was given.', 1),
    grant_type: Type.Optional(
      StringEnum(
        ['urn:ietf:params:oauth:grant-type:device_code'],
        'As in RFC 8628; this is the only one.',
      ),
    ),
    ...clientId,
  },
  'One poll.',
)

const userCode = {
  user_code: Text(
    limits.userCodeMaxLength,
    'The code that the program shows; the hyphen and the case do not matter.',
    1,
  ),
}

export const UserCode = InputObject(userCode, 'The code that a program shows.')

export const DeviceApproval = InputObject(
  {
    ...userCode,
    organization_id: Type.Optional(
      Id('org', 'For which organization the program gets a session; by default that of yours.'),
    ),
  },
  'The approval of a program.',
)

export const DeviceCode = OutputObject(
  {
    user_code: Type.String(),
    status: StringEnum(
      ['claimed', 'approved', 'denied'],
      '`claimed`: only the sign-in that has claimed it approves or denies it.',
    ),
    address: Type.String({ description: 'From where the program asks.' }),
    user_agent: Nullable(Type.String({ description: 'What the program says it is.' })),
    created_at: Timestamp('When the program asked.'),
    expires_at: Timestamp('Until when it can be approved and get its session.'),
    organization: Nullable(
      OutputObject(organizationFields, 'For which organization it was approved.'),
    ),
  },
  'A program that wants a session of yours.',
)
export type DeviceCode = Static<typeof DeviceCode>
