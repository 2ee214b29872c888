/** Decision 0075: one owner of an organization stays, whoever changes its members. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aMember } from '../support/approvals/keys-that-ask.ts'
import { callApi } from '../support/api-client.ts'
import { anOrganization } from '../support/fixtures.ts'
import { adminClient } from '../support/processes/admin-client.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { expectSuccess, expectRefused } = adminClient(running)

test('an operator takes no role from the last owner, and any from one of two', async () => {
  const organization = await anOrganization(running)
  const { id, email, session } = organization
  const roleIs = async (role: string) =>
    assert.equal((await callApi(running, 'GET', '/v1/me', { key: session })).body.user.role, role)
  const add = (role: string) => [
    'user',
    'add',
    '--email',
    email,
    '--organization',
    id,
    '--role',
    role,
  ]
  await expectRefused(add('viewer'), /This is the last owner: make another member an owner first/)
  await roleIs('owner')
  await expectSuccess(add('owner'))
  await aMember(running, organization, 'owner')
  await expectSuccess(add('viewer'))
  await roleIs('viewer')
  await expectSuccess(add('finance'))
})
