/**
 * Provenance 8: whoever writes in the database approves no program and revives no approval. Changed
 * rows, and rows of before, are noticed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Reply, callApi } from '../support/api-client.ts'
import { assertNoticed, copyRows } from '../support/database/old-rows.ts'
import { anOrganization } from '../support/fixtures.ts'
import { aDevice, anApprovedDevice, decide, pollDevice } from '../support/identity/device-codes.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { database } = running

const assertFailsClosed = ({ status, body, text }: Reply): void => {
  assert.deepEqual([status, body.error?.code], [500, 'integrity_failure'], text)
}

test('an approval that is written into the database gives no session', async () => {
  const victim = await anOrganization(running)
  const { device_code } = await aDevice(running)
  await database.script(`update device_codes set status = 'approved',
    user_id = '${victim.userId}', sign_in_id = (select id from sessions
      where user_id = '${victim.userId}' limit 1),
    organization_id = '${victim.uuid}', authenticated_at = now(),
    user_version = (select version from users where id = '${victim.userId}')
    where status = 'pending'`)
  assertFailsClosed(await pollDevice(running, device_code))
  await database.script(`delete from device_codes`)
})

test('an approved code cannot be moved to another program, user or organization', async () => {
  const [victim, attacker] = [await anOrganization(running), await anOrganization(running)]
  const own = await anApprovedDevice(running, attacker.session)
  const restore = await copyRows(database, 'device_codes', 'true')
  for (const change of [
    `organization_id = '${victim.uuid}'`,
    `user_id = '${victim.userId}'`,
    `authenticated_at = now() + interval '1 day'`,
    `expires_at = now() + interval '1 day'`,
  ]) {
    await database.script(`update device_codes set ${change}`)
    assertFailsClosed(await pollDevice(running, own.device_code))
    await restore()
  }
  await database.script(`delete from device_codes`)
  const approved = await anApprovedDevice(running, victim.session)
  const { device_code } = await aDevice(running)
  await database.script(`
    create table pending as select hash from device_codes where status = 'pending';
    delete from device_codes where status = 'pending';
    update device_codes set hash = (select hash from pending)`)
  assertFailsClosed(await pollDevice(running, device_code))
  assert.equal((await pollDevice(running, approved.device_code)).status, 409)
  await database.script(`delete from device_codes`)
})

test('a claim cannot be given to another sign-in', async () => {
  const [victim, attacker] = [await anOrganization(running), await anOrganization(running)]
  const { user_code } = await aDevice(running)
  await decide(running, victim.session, 'claim', { user_code })
  await database.script(`update device_codes set user_id = '${attacker.userId}', sign_in_id =
    (select id from sessions where user_id = '${attacker.userId}' limit 1)`)
  assertFailsClosed(await decide(running, attacker.session, 'approve', { user_code }))
  await database.script(`delete from device_codes`)
})

test('an approval that was used works no second time when its row comes back', async () => {
  const person = await anOrganization(running)
  const { device_code } = await anApprovedDevice(running, person.session)
  const restore = await copyRows(database, 'device_codes', 'true')
  const opened = await pollDevice(running, device_code)
  assert.equal(opened.status, 201, opened.text)
  const path = `/auth/sessions/${opened.body.id}`
  const ended = await callApi(running, 'DELETE', path, { key: person.session })
  assert.equal(ended.status, 200, ended.text)
  await restore()
  assertNoticed(running, await pollDevice(running, device_code), 'device_codes')
  await database.script(`delete from device_codes`)
})

test('another approval of the same person stays valid when one is used', async () => {
  const person = await anOrganization(running)
  const [one, other] = [
    await anApprovedDevice(running, person.session),
    await anApprovedDevice(running, person.session),
  ]
  for (const { device_code } of [one, other]) {
    assert.equal((await pollDevice(running, device_code)).status, 201)
  }
})
