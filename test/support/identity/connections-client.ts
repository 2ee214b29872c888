/** Invites organizations over HTTP, and accepts, declines or ends connections. */
import assert from 'node:assert/strict'
import { type Reply, callApi } from '../api-client.ts'
import { type TestOrganization, anOrganization } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'

export const connectionsClient = (running: TestService) => {
  const invite = ({ session }: TestOrganization, body: Record<string, unknown>): Promise<Reply> =>
    callApi(running, 'POST', '/v1/connections', { key: session, body })
  return {
    invite,

    /** The verb is `accept`, `decline` or `end`. */
    changeConnection: (
      { session }: Pick<TestOrganization, 'session'>,
      id: string,
      verb: string,
    ): Promise<Reply> =>
      callApi(running, 'POST', `/v1/connections/${id}/${verb}`, { key: session }),

    read: ({ key }: Pick<TestOrganization, 'key'>, id: string): Promise<Reply> =>
      callApi(running, 'GET', `/v1/connections/${id}`, { key }),

    /** One new organization invites another by its id. */
    createInvitation: async () => {
      const [inviter, invitee] = [await anOrganization(running), await anOrganization(running)]
      const reply = await invite(inviter, { organization_id: invitee.id })
      assert.equal(reply.status, 201, reply.text)
      return { inviter, invitee, id: reply.body.id as string }
    },
  }
}
