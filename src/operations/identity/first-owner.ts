/** `POST /auth/setup`: the first owner of a deployment. */
import { limits } from '../../contract/limits.ts'
import { InputObject } from '../../contract/shapes/objects.ts'
import { EmailAddress, NonBlankLine, Text } from '../../contract/shapes/field-types.ts'
import { OpenedSession, clientField } from '../../contract/shapes/sessions.ts'
import { checkSetupToken, setUp } from '../../changes/identity/first-owner.ts'
import { hashInTurn } from '../../changes/identity/sessions.ts'
import { seedDocuments } from '../../changes/sandbox/seed-documents.ts'
import { operation } from '../operation.ts'
import { countFailures, openedReply, sessionOriginOf, writeFor } from './sessions.ts'

const Setup = InputObject(
  {
    setup_token: Text(limits.passwordMaxLength, 'The token of the link that the start prints.', 1),
    email: EmailAddress('The e-mail address of the owner.'),
    name: NonBlankLine(limits.organizationNameMaxLength, 'The name of the owner.'),
    password: Text(
      limits.passwordMaxLength,
      'The password of the owner.',
      limits.passwordMinLength,
    ),
    organization_name: NonBlankLine(
      limits.ownOrganizationNameMaxLength,
      'The name of the live organization.',
    ),
    ...clientField,
  },
  'The first owner.',
)

export const setup = operation({
  id: 'auth.setup',
  method: 'POST',
  path: '/auth/setup',
  summary: 'Become the first owner',
  description:
    'Creates a user, who owns a new live organization and a practice pair for it, and returns a session for the live organization. Works while nobody owns a live organization of its own, with a token that the start of the service prints and that lasts an hour.',
  since: '1.16.0',
  allowed: 'public',
  body: Setup,
  response: OpenedSession,
  status: 201,
  errors: ['unauthorized', 'conflict'],
  // The response has a token, too: without this, that would be the one which nobody sends.
  unknownFieldHints: {
    token: {
      code: 'unknown_field',
      message: 'There is no such field here. Did you mean setup_token?',
      fix: 'send setup_token',
    },
  },
  showsSecret: true,
  isUnversioned: true,
}).answersPublic(async (context, { body }, from) => {
  const { setup_token: token, email, name, password, organization_name, client } = body
  const signedIn = await countFailures(context, async () => {
    await checkSetupToken(context.database.read, token)
    const passwordHash = await hashInTurn(from.requester, password)
    return writeFor(
      context,
      from,
    )((tx) =>
      setUp(tx, {
        token,
        email,
        name,
        passwordHash,
        organizationName: organization_name,
        client,
        origin: sessionOriginOf(from),
        requestId: from.requestId,
      }),
    )
  })
  if (!from.dryRun) {
    const { organization, demo, connection } = signedIn.pair
    const ids = { organization_id: organization, demo_organization_id: demo }
    await seedDocuments(context.performAsSystem, [{ ...ids, connection_id: connection }])
  }
  return openedReply(context, signedIn, from)
})
