/** Hashes of passwords, with Argon2. */
import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import test from 'node:test'
import { hashPassword, verifyPassword } from '../../src/changes/identity/passwords.ts'
import { median } from '../support/median.ts'

test('a password verifies against its own hash and no other does', async () => {
  const phc = await hashPassword('correct horse battery staple')
  assert.equal(await verifyPassword('correct horse battery staple', phc), true)
  assert.equal(await verifyPassword('correct horse battery stapl', phc), false)
  assert.equal(await verifyPassword('Correct horse battery staple', phc), false)
  assert.equal(await verifyPassword('', phc), false)
})

test('a hash is a PHC string with its cost and a fresh salt', async () => {
  const one = await hashPassword('hunter2hunter2')
  const other = await hashPassword('hunter2hunter2')
  assert.match(
    one,
    /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    'unpadded base64 of 16 and 32 bytes',
  )
  assert.notEqual(one, other)
})

test('a hash of another cost verifies, so that parameters can rise without a migration', async () => {
  const salt = Buffer.from('somesaltsomesalt')
  const hash = argon2Sync('argon2id', {
    message: 'password',
    nonce: salt,
    memory: 64,
    passes: 3,
    parallelism: 2,
    tagLength: 24,
  })
  const plain = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  const phc = `$argon2id$v=19$m=64,t=3,p=2$${plain(salt)}$${plain(hash)}`
  assert.equal(await verifyPassword('password', phc), true)
  assert.equal(await verifyPassword('passwort', phc), false)
})

test('a vector of the reference implementation phc-winner-argon2 verifies', async () => {
  const phc = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
  assert.equal(await verifyPassword('password', phc), true)
})

test('a password is the same in composed and decomposed Unicode', async () => {
  const phc = await hashPassword('Ünïcödé-Pässwörd'.normalize('NFC'))
  assert.equal(await verifyPassword('Ünïcödé-Pässwörd'.normalize('NFD'), phc), true)
})

test('no password, not even an empty one, verifies for a user without a password', async () => {
  for (const password of ['', 'password', '\0']) {
    assert.equal(await verifyPassword(password, null), false)
  }
})

test('a check for an unknown user takes as long as one for a known user', async () => {
  const phc = await hashPassword('one of us')
  const known: number[] = []
  const unknown: number[] = []
  // Time of the processor, which the other work of a busy machine does not lengthen.
  for (let round = 0; round < 9; round += 1) {
    known.push(await cpuMillisecondsOf(() => verifyPassword('a guess', phc)))
    unknown.push(await cpuMillisecondsOf(() => verifyPassword('a guess', null)))
  }
  const ratio = median(unknown) / median(known)
  assert(ratio > 0.5 && ratio < 2, `unknown takes ${ratio.toFixed(2)} times as long`)
})

test('a stored hash that is not an argon2id PHC string throws instead of counting as a mismatch', async () => {
  for (const phc of [
    '',
    'plain',
    '$2b$10$abcdefghijklmnopqrstuv',
    '$argon2i$v=19$m=1,t=1,p=1$a$b',
  ]) {
    await assert.rejects(verifyPassword('password', phc), /not an argon2id PHC string/)
  }
})

const cpuMillisecondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
