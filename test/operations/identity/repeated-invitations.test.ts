/** Decision 0280: who is not wanted as a connection fills nobody's list of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { connectionsClient } from '../../support/identity/connections-client.ts'
import { allPages } from '../../support/http/all-pages.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { type TestOrganization, anOrganization } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const { invite, changeConnection } = connectionsClient(running)
const { endedInvitationsMax: max } = limits

/** Invites, and withdraws or declines, as often as it is possible. */
const inviteInVain = async (
  inviter: TestOrganization,
  to: Record<string, string>,
  decliner?: TestOrganization,
): Promise<void> => {
  for (let i = 0; i < max; i += 1) {
    const { body, status, text } = await invite(inviter, to)
    assert.equal(status, 201, text)
    const isDeclined = decliner !== undefined && i % 2 === 0
    if (isDeclined) await changeConnection(decliner, body.id, 'decline')
    else await changeConnection(inviter, body.id, 'end')
  }
}

test('an organization invites the same one 40 times in vain, and is invited by it still', async () => {
  const [inviter, invitee] = [await anOrganization(running), await anOrganization(running)]
  await inviteInVain(inviter, { organization_id: invitee.id }, invitee)
  const again = await invite(inviter, { organization_id: invitee.id })
  assertRefused(again, 'conflict', 'too_many_invitations')
  const listed = await allPages(running, invitee.key, '/v1/connections?limit=100')
  assert.equal(listed.length, max)
  assert.equal((await invite(invitee, { organization_id: inviter.id })).status, 201)
  const other = await anOrganization(running)
  assert.equal((await invite(inviter, { organization_id: other.id })).status, 201)
})

test('an organization invites the same address 40 times in vain', async () => {
  const [inviter, invitee] = [await anOrganization(running), await anOrganization(running)]
  await inviteInVain(inviter, { email: invitee.email }, invitee)
  const again = await invite(inviter, { email: invitee.email.toUpperCase() })
  assertRefused(again, 'conflict', 'too_many_invitations')
  const stranger = await anOrganization(running)
  assert.equal((await invite(stranger, { email: invitee.email })).status, 201)
})
