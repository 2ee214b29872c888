/** An operator means the owner of an address, and not whoever has opened an account under it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { runAndSeal } from '../support/database/run-and-seal.ts'
import { anOrganization } from '../support/fixtures.ts'
import { adminClient, idIn } from '../support/processes/admin-client.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { expectSuccess, expectRefused } = adminClient(running)

test('what is granted to an address that nobody has verified goes to its owner', async () => {
  const created = await expectSuccess(['organization', 'create', '--name', 'Live'])
  const { email, userId, session } = await anOrganization(running)
  const unverify = sql`update users set email_verified_at = null where id = ${userId}`
  await runAndSeal(running.database, 'users', unverify)
  const to = ['--email', email, '--organization', idIn(created, 'org'), '--role', 'owner']
  await expectRefused(['user', 'add', ...to], /nobody has verified .* Set a new password/)
  const password = 'the password of its owner'
  await expectSuccess(['user', 'add', ...to, '--password-stdin'], password)
  assert.equal((await callApi(running, 'GET', '/v1/me', { key: session })).status, 401)
  const body = { email, password }
  assert.equal((await callApi(running, 'POST', '/auth/sessions', { body })).status, 201)
})
