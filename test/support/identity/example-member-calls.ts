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

const aView = { name: 'To pay this week', list: 'documents', query: 'status=approved' }

const onView =
  (body?: unknown) =>
  async (running: TestService, { issuer }: Pair): Promise<ExampleCall> => {
    const options = { key: issuer.session, body: aView }
    const view = await callApi(running, 'POST', '/v1/saved_views', options)
    const path = `/v1/saved_views/${view.body.id}`
    return { path, forOthers: 'missing', ...(body === undefined ? {} : { body }) }
  }

const onPreferences =
  (body?: unknown) =>
  async (_: TestService, { issuer }: Pair): Promise<ExampleCall> => ({
    path: '/v1/preferences',
    forOthers: { hides: [issuer.email] },
    ...(body === undefined ? {} : { body }),
  })

export const memberExampleCalls = {
  'audit.list': async (_: TestService, { issuer }: Pair): Promise<ExampleCall> => ({
    path: '/v1/audit',
    forOthers: { hides: [issuer.email] },
  }),
  'saved_views.list': async (): Promise<ExampleCall> => ({
    path: '/v1/saved_views',
    forOthers: { hides: [aView.name] },
  }),
  'saved_views.create': async (): Promise<ExampleCall> => ({
    path: '/v1/saved_views',
    body: aView,
    forOthers: { hides: [] },
  }),
  'saved_views.update': onView({ name: 'To pay' }),
  'saved_views.delete': onView(),
  'preferences.get': onPreferences(),
  'preferences.update': onPreferences({ theme: 'dark' }),
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
