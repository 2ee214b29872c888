/** Invitations over HTTP, and the answers to them. */
import assert from 'node:assert/strict'
import {
  type TestOrganization,
  type Reply,
  type TestService,
  anOrganization,
  callApi,
} from '../service.ts'

export const connectionsClient = (running: TestService) => {
  const invite = ({ session }: TestOrganization, body: Record<string, unknown>): Promise<Reply> =>
    callApi(running, 'POST', '/v1/connections', { key: session, body })
  return {
    invite,

    /** `accept`, `decline` or `end`. */
    answer: (
      { session }: Pick<TestOrganization, 'session'>,
      id: string,
      verb: string,
    ): Promise<Reply> =>
      callApi(running, 'POST', `/v1/connections/${id}/${verb}`, { key: session }),

    read: ({ key }: Pick<TestOrganization, 'key'>, id: string): Promise<Reply> =>
      callApi(running, 'GET', `/v1/connections/${id}`, { key }),

    /** From one new organization to another, by its id. */
    invitation: async () => {
      const [inviter, invitee] = [await anOrganization(running), await anOrganization(running)]
      const reply = await invite(inviter, { organization_id: invitee.id })
      assert.equal(reply.status, 201, reply.text)
      return { inviter, invitee, id: reply.body.id as string }
    },
  }
}
