/** Example calls of the operations on members, for the coverage test. */
import { createUser, addMembership } from '../../../src/changes/identity/users.ts'
import { encodeId } from '../../../src/core/ids.ts'
import { callApi, freshIdempotencyKey } from '../api-client.ts'
import type { Pair, TestOrganization } from '../fixtures.ts'
import type { ExampleCall } from '../http/example-calls.ts'
import type { TestService } from '../test-service.ts'

const onMember =
  (body?: unknown) =>
  async ({ database }: TestService, { issuer }: Pair): Promise<ExampleCall> => {
    const email = `${freshIdempotencyKey()}@example.com`
    const user = await createUser(database, { email, name: 'Grace', passwordHash: null })
    await addMembership(database, { user, organization: issuer.uuid, role: 'viewer' })
    const path = `/v1/members/${encodeId('usr', user)}`
    return { path, forOthers: 'missing', ...(body === undefined ? {} : { body }) }
  }

const anInvitation = async (
  running: TestService,
  { session }: TestOrganization,
): Promise<{ id: string; email: string }> => {
  const body = { email: `${freshIdempotencyKey()}@example.com`, role: 'viewer' }
  return (await callApi(running, 'POST', '/v1/invitations', { key: session, body })).body
}

export const memberExampleCalls = {
  'organization.get': async (_: TestService, { issuer }: Pair): Promise<ExampleCall> => ({
    path: '/v1/organization',
    forOthers: { hides: [issuer.id, issuer.name] },
  }),
  'organization.update': async (_: TestService, { issuer }: Pair): Promise<ExampleCall> => ({
    path: '/v1/organization',
    body: { profile: { legal_name: 'Corner Shop BV' } },
    forOthers: { hides: [issuer.id, issuer.name] },
  }),
  'members.list': async (_: TestService, { issuer }: Pair): Promise<ExampleCall> => ({
    path: '/v1/members',
    forOthers: { hides: [issuer.email] },
  }),
  'invitations.list': async (running: TestService, { issuer }: Pair): Promise<ExampleCall> => {
    const { email } = await anInvitation(running, issuer)
    return { path: '/v1/invitations', forOthers: { hides: [email] } }
  },
  'invitations.create': async (_: TestService, { issuer }: Pair): Promise<ExampleCall> => ({
    path: '/v1/invitations',
    body: { email: `${freshIdempotencyKey()}@example.com`, role: 'viewer' },
    forOthers: { hides: [issuer.id] },
  }),
  'invitations.revoke': async (running: TestService, { issuer }: Pair): Promise<ExampleCall> => ({
    path: `/v1/invitations/${(await anInvitation(running, issuer)).id}`,
    forOthers: 'missing',
  }),
  'members.update': onMember({ role: 'approver' }),
  'members.remove': onMember(),
}
