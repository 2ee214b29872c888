/**
 * Provenance 8: whoever writes in the database signs in with no passkey of their own making, and
 * revives no passkey and no answer. Rows that were changed, and rows of before, are noticed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Reply, callApi } from '../support/api-client.ts'
import { assertNoticed, copyRows, idIs } from '../support/database/old-rows.ts'
import {
  aPersonWithPasskey,
  addPasskey,
  optionsFor,
  post,
  signInWith,
} from '../support/identity/passkeys.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { aPersonAtHome, password } from '../support/identity/second-factor.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
const { database } = running

const assertFailsClosed = ({ status, body, text }: Reply): void => {
  assert.deepEqual([status, body.error?.code], [500, 'integrity_failure'], text)
}

const ownRows = (userId: string): string => `t.user_id = '${userId}'`

test('a public key, a counter, or a user in the place of another is refused', async () => {
  const [victim, attacker] = [await aPersonWithPasskey(running), await aPersonWithPasskey(running)]
  const restore = await copyRows(database, 'passkeys', ownRows(victim.userId))
  const { credentialId, userHandle } = victim.authenticator.own
  const forged = async () => {
    const passkey = attacker.authenticator.get(await optionsFor(running), {
      credentialId,
      userHandle,
    })
    return post(running, '/auth/passkeys/sign-in/verify', { body: { passkey } })
  }
  const fromAttacker = (columns: string) =>
    `update passkeys t set (${columns}) = (
      select ${columns} from passkeys where user_id = '${attacker.userId}'
    ) where ${ownRows(victim.userId)}`
  for (const columns of ['public_key, seal', 'public_key, counter', 'public_key, user_version']) {
    await database.script(fromAttacker(columns))
    assertFailsClosed(await forged())
    await restore()
  }
  const mine = await copyRows(database, 'passkeys', ownRows(attacker.userId))
  await database.script(`update passkeys t set user_id = '${victim.userId}'
    where ${ownRows(attacker.userId)}`)
  assertFailsClosed(await signInWith(running, attacker.authenticator))
  await database.script(`delete from passkeys t where ${ownRows(victim.userId)}`)
  await restore()
  await mine()
  for (const { authenticator } of [victim, attacker]) {
    assert.equal((await signInWith(running, authenticator)).status, 201)
  }
})

test('the row of before revives no answer that was used', async () => {
  const { userId, authenticator } = await aPersonWithPasskey(running)
  const passkey = authenticator.get(await optionsFor(running))
  const verify = () => post(running, '/auth/passkeys/sign-in/verify', { body: { passkey } })
  const restorePasskey = await copyRows(database, 'passkeys', ownRows(userId))
  const restoreUser = await copyRows(database, 'users', idIs(userId))
  assert.equal((await verify()).status, 201)
  await restorePasskey()
  assertNoticed(running, await verify(), 'passkeys')
  await restoreUser()
  assertFailsClosed(await verify())
})

test('a passkey that was removed signs in no more when its row comes back', async () => {
  const { userId, key, passkey, authenticator } = await aPersonWithPasskey(running)
  const restore = await copyRows(database, 'passkeys', ownRows(userId))
  const removed = await callApi(running, 'DELETE', `/auth/passkeys/${passkey.id}`, {
    key,
    body: { password },
  })
  assert.equal(removed.status, 200, removed.text)
  await restore()
  assertNoticed(running, await signInWith(running, authenticator), 'passkeys')
  assertFailsClosed(await callApi(running, 'GET', '/auth/passkeys', { key }))
})

test('a passkey that is deleted is missed, and does not turn the second factor off', async () => {
  const { userId, key, signIn } = await aPersonWithPasskey(running)
  await addPasskey(running, key)
  await database.script(`delete from passkeys where id =
    (select id from passkeys t where ${ownRows(userId)} limit 1)`)
  assertFailsClosed(await callApi(running, 'GET', '/auth/passkeys', { key }))
  await database.script(`delete from passkeys t where ${ownRows(userId)}`)
  assertFailsClosed(await callApi(running, 'GET', '/auth/passkeys', { key }))
  assertRefused(await signIn(), 'unauthorized', 'mfa_required')
  await database.script(`delete from second_factors t where ${ownRows(userId)}`)
  assertFailsClosed(await signIn())
})

test('the user of before, from whom no second factor was asked, is noticed', async () => {
  const person = await aPersonAtHome(running)
  const restore = await copyRows(database, 'users', idIs(person.userId))
  const { token: key } = (await person.signIn()).body
  await addPasskey(running, key)
  await database.script(`delete from passkeys t where ${ownRows(person.userId)}`)
  await restore()
  assertFailsClosed(await person.signIn())
})
