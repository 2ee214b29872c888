/** Example calls of the operations on members, for the coverage test. */
import { createUser, addMembership } from '../../../src/changes/identity/users.ts'
import { encodeId } from '../../../src/core/ids.ts'
import { freshIdempotencyKey } from '../api-client.ts'
import type { Pair } from '../fixtures.ts'
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

export const memberExampleCalls = {
  'members.list': async (_: TestService, { issuer }: Pair): Promise<ExampleCall> => ({
    path: '/v1/members',
    forOthers: { hides: [issuer.email] },
  }),
  'members.update': onMember({ role: 'approver' }),
  'members.remove': onMember(),
}
