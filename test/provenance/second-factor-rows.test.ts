/**
 * Provenance 8: whoever writes in the database gets past no second factor, and revives no code. The
 * rows of another person, rows of before and rows that are gone are noticed.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { openRowSeals } from '../../src/database/row-seals.ts'
import { ServerKeys } from '../../src/core/server-keys.ts'
import type { Rows } from '../../src/database/rows.ts'
import { sql } from '../../src/database/sql.ts'
import { changeSealedRows } from '../../src/database/sealed-rows.ts'
import { selectList } from '../../src/database/table-writes.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { assertNoticed, copyRows } from '../support/database/old-rows.ts'
import {
  aPersonAtHome,
  aPersonWithFactor,
  codeOf,
  turnOnFactor,
} from '../support/identity/second-factor.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
const { database } = running

const assertFailsClosed = ({ status, body, text }: Reply): void => {
  assert.deepEqual([status, body.error?.code], [500, 'integrity_failure'], text)
}

const ownRow = (userId: string): string => `t.user_id = '${userId}'`

/** Puts back what was there. */
const whileChanged = async (userId: string, change: string, check: () => Promise<void>) => {
  const restores = [
    await copyRows(database, 'second_factors', ownRow(userId)),
    await copyRows(database, 'users', `t.id = '${userId}'`),
  ]
  await database.script(change)
  await check()
  for (const restore of restores) await restore()
}

test('another person’s secret, recovery codes, or whole row in the place of one’s own are refused', async () => {
  const [victim, attacker] = [await aPersonWithFactor(running), await aPersonWithFactor(running)]
  const fromAttacker = (columns: string) =>
    `update second_factors t set (${columns}) = (
      select ${columns} from second_factors where user_id = '${attacker.userId}'
    ) where ${ownRow(victim.userId)}`
  // So that what the attacker has used differs.
  assert.equal((await attacker.signIn({ totp: await attacker.code() })).status, 201)
  const columns = ['secret_sealed, created_at', 'recovery_macs, seal', 'last_step, wrong_codes']
  const all =
    'secret_sealed, recovery_macs, last_step, wrong_codes, wrong_code_at, created_at, user_version, seal'
  for (const list of [...columns, all]) {
    await whileChanged(victim.userId, fromAttacker(list), async () => {
      for (const totp of [await attacker.code(1), attacker.recoveryCodes[1]!]) {
        assertFailsClosed(await victim.signIn({ totp }))
      }
    })
  }
  assert.equal((await victim.signIn({ totp: await victim.code() })).status, 201)
})

test('with its seal made anew, another person’s secret still does not decrypt', async () => {
  const [victim, attacker] = [await aPersonWithFactor(running), await aPersonWithFactor(running)]
  const rowOf = (userId: string) =>
    database.row<Rows['second_factors']>(
      sql`select ${selectList('second_factors', 't')} from second_factors t where t.user_id = ${userId}`,
    )
  const { secret_sealed } = (await rowOf(attacker.userId))!
  const own = sql`t.user_id = ${victim.userId}`
  await changeSealedRows(database, 'second_factors', own, () => ({ secret_sealed }))
  assertFailsClosed(await victim.signIn({ totp: await attacker.code() }))
})

test('a deleted row, and a user who says there is none, are noticed', async () => {
  const person = await aPersonWithFactor(running)
  const { userId, key, signIn } = person
  const totp = await person.code()
  const gone = `delete from second_factors t where ${ownRow(userId)}`
  await whileChanged(userId, gone, async () => {
    assertFailsClosed(await signIn({ totp }))
    assertFailsClosed(await callApi(running, 'GET', '/auth/recovery-codes', { key }))
  })
  const off = `update users set second_factor_since = null where id = '${userId}'`
  await whileChanged(userId, `${gone}; ${off}`, async () => {
    assertFailsClosed(await signIn())
  })
  const { userId: other, signIn: signInOther } = await aPersonAtHome(running)
  await database.script(`update users set second_factor_since = now() where id = '${other}'`)
  assertFailsClosed(await signInOther())
})

test('neither the user nor the factor of before revives a code, a recovery code or a sign-in without', async () => {
  const person = await aPersonAtHome(running)
  const users = `t.id = '${person.userId}'`
  const withoutFactor = await copyRows(database, 'users', users)
  const { token: key } = (await person.signIn()).body
  const { secret, recoveryCodes } = await turnOnFactor(running, { key, userId: person.userId })
  const restoreFactor = await copyRows(database, 'second_factors', ownRow(person.userId))
  const restoreUser = await copyRows(database, 'users', users)
  const totp = await codeOf(database, secret)
  const [recovery] = recoveryCodes
  for (const code of [totp, recovery]) {
    assert.equal((await person.signIn({ totp: code })).status, 201)
  }
  const current = [
    await copyRows(database, 'second_factors', ownRow(person.userId)),
    await copyRows(database, 'users', users),
  ]
  await restoreFactor()
  for (const code of [totp, recovery]) {
    assertNoticed(running, await person.signIn({ totp: code }), 'second_factors')
  }
  await restoreUser()
  for (const code of [totp, recovery]) assertFailsClosed(await person.signIn({ totp: code }))
  await withoutFactor()
  await database.script(`delete from second_factors t where ${ownRow(person.userId)}`)
  assertFailsClosed(await person.signIn())
  for (const restore of current) await restore()
  const next = await codeOf(database, secret, 1)
  assert.equal((await person.signIn({ totp: next })).status, 201)
})

test('decision 0117: the seal of a user from before the column still holds, and covers it once it is set', async () => {
  const { userId } = await aPersonAtHome(running)
  const row = (await database.row<Rows['users'] & { seal: Buffer }>(
    sql`select ${selectList('users', 't')} from users t where t.id = ${userId}`,
  ))!
  assert.equal(row.second_factor_since, null)
  const { seals } = database
  assert(seals.holds('users', row))
  const set = { ...row, second_factor_since: '2026-11-21T01:40:00.000Z' }
  assert(!seals.holds('users', set))
  const sealed = seals.seal('users', set)
  assert(seals.holds('users', sealed))
  assert(!seals.holds('users', { ...sealed, second_factor_since: null }))

  const key = Buffer.alloc(32, 7)
  const older = { ...row, email_verified_at: null, password_hash: null, version: 3n }
  const at = '2026-11-21 01:40:00+00'
  const created = { ...older, created_at: '2026-11-21T01:40:00.000Z' }
  const values = [row.id, row.email, row.name, '\u001e', at, '\u001e', '3']
  const mac = createHmac('sha256', key)
    .update(['users', ...values].join('\u001f'))
    .digest()
  const seal = Buffer.concat([Buffer.of(1, 1), mac.subarray(0, 16)])
  assert(openRowSeals(ServerKeys.only(key)).holds('users', { ...created, seal }))
})
