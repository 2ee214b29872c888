/**
 * Decision 0062: a process follows the generations of the server key. Several requests may ask for
 * them at once, and the answers may come in any order.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Queryable } from '../../src/database/sql.ts'
import { openKeyring, serverKeyMac } from '../../src/startup/keyring.ts'
import { type ServerKeyRow, announceServerKey, serverKeys } from '../../src/store/server-keys.ts'
import { serverKey, startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const newKey = 'a second server key, of more than 32 characters'

const salt = Buffer.alloc(16, 7)
const row = (secret: string, generation: number, seals_since: string | null): ServerKeyRow => ({
  generation,
  salt,
  mac: serverKeyMac(secret, generation, salt),
  at: '2026-11-28T00:00:00Z',
  seals_since,
  missing_at: null,
  archive: null,
})
const before = [row(serverKey, 1, '2026-11-28T00:00:00Z')]
const announced = [...before, row(newKey, 2, null)]

/** A database whose answers the test gives, in the order in which it likes. */
const answeredByHand = () => {
  const questions: ((rows: readonly ServerKeyRow[]) => void)[] = []
  const rows = () => new Promise((resolve) => void questions.push(resolve))
  return { db: { rows } as unknown as Queryable, questions }
}

const bothKeys = { serverKey: newKey, previousServerKey: serverKey, dataDir: '' }

const openWith = async (config: Parameters<typeof openKeyring>[0]) => {
  const keyring = await openKeyring(config)
  const { db, questions } = answeredByHand()
  const first = keyring.renew(db)
  questions.shift()!(before)
  assert(await first)
  return { keyring, db, questions }
}

test('an older answer never replaces a newer one', async () => {
  const { keyring, db, questions } = await openWith(bothKeys)
  const [older, newer] = [keyring.renew(db), keyring.renew(db)]
  const [answerOlder, answerNewer] = questions.splice(0)
  answerNewer!(announced)
  assert(await newer)
  assert.equal(keyring.seals.count, 2)
  answerOlder!(before)
  await until('it asks again', () => questions.length > 0)
  questions.shift()!(announced)
  // Whoever asked before the change is told of it, whichever call has found it.
  assert(await older)
  assert.equal(keyring.seals.count, 2)
  assert.deepEqual(keyring.lacking, [])
})

test('what it lacks is said until it has it', async () => {
  const { keyring, db, questions } = await openWith({ serverKey, dataDir: '' })
  const renewed = keyring.renew(db)
  questions.shift()!(announced)
  assert(await renewed)
  const again = keyring.renew(db)
  questions.shift()!(announced)
  assert(!(await again))
  assert.deepEqual(
    keyring.lacking.map(({ generation }) => generation),
    [2],
  )
})

test('a process without the announced key objects, also when a request has heard of it first', async () => {
  const { database, service } = await startTestService()
  const mac = serverKeyMac(newKey, 2, salt)
  await announceServerKey(database, { generation: 2, salt, mac })
  await service.context.keyring.renew(database)
  await until('it objects', async () => (await serverKeys(database)).at(-1)!.missing_at !== null)
})
