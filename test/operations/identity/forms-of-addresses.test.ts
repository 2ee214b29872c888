/** Contract 12: an e-mail address has several forms in Unicode, and is one in all of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKnownPlace, rememberPlace } from '../../../src/changes/identity/sign-in-failures.ts'
import { createUser } from '../../../src/changes/identity/users.ts'
import { normalizeEmail } from '../../../src/core/identity/email-addresses.ts'
import { sql } from '../../../src/database/sql.ts'
import { inRolledBackTransaction } from '../../../src/database/transactions.ts'
import { userByEmail } from '../../../src/store/identity/users.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { type TestOrganization, anOrganization } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const password = 'correct horse battery staple'

/** The accents are letters of their own in the first form, and in the last one some are. */
const formsOf = (name: string) => {
  const composed = `${name}.ệé@example.com`
  return {
    decomposed: composed.normalize('NFD'),
    composed,
    mixed: `${name}.ê\u0323e\u0301@example.com`,
  }
}

const post = (path: string, body: object, key?: string): Promise<Reply> =>
  callApi(running, 'POST', path, { body, ...(key === undefined ? {} : { key }) })

const signIn = (email: string) => post('/auth/sessions', { email, password })

const accept = (token: string) =>
  post('/auth/invitations/accept', { token, password, name: 'Grace' })

const storeAs = (email: string, { userId }: TestOrganization) =>
  runAndSeal(running.database, 'users', sql`update users set email = ${email} where id = ${userId}`)

test('a user is signed in, and known as a member, by each form of the address', async () => {
  const owner = await anOrganization(running)
  const { decomposed, composed, mixed } = formsOf(freshIdempotencyKey())
  const invited = await post(
    '/v1/invitations',
    { email: decomposed, role: 'viewer' },
    owner.session,
  )
  assert.equal(invited.body.email, composed)
  const { user } = (await accept(invited.body.token)).body
  for (const email of [decomposed, composed, mixed]) {
    const opened = await signIn(email)
    assert.deepEqual([opened.status, opened.body.user?.id], [201, user.id], opened.text)
    const again = await post('/v1/invitations', { email, role: 'viewer' }, owner.session)
    assert.equal(assertRefused(again, 'conflict').reason, 'already_member')
    await assert.rejects(
      createUser(running.database, { email, name: 'Mallory', passwordHash: null }),
    )
  }
})

test('a user whose address is stored in another form is found by all of them', async () => {
  const [owner, other] = [await anOrganization(running), await anOrganization(running)]
  for (const stored of ['decomposed', 'mixed'] as const) {
    const forms = formsOf(freshIdempotencyKey())
    const body = { email: forms.composed, role: 'viewer' }
    const { token } = (await post('/v1/invitations', body, owner.session)).body
    const { user } = (await accept(token)).body
    const row = sql`update users set email = ${forms[stored]} where email = ${forms.composed}`
    await runAndSeal(running.database, 'users', row)
    for (const email of Object.values(forms)) {
      assert.equal((await signIn(email)).body.user?.id, user.id, email)
    }
    // The password of the user is asked for: nobody opens a second account with the address.
    const elsewhere = (await post('/v1/invitations', body, other.session)).body
    assert.equal((await accept(elsewhere.token)).body.user?.id, user.id)
  }
})

test('of two older users with one address, whose address is verified is meant', async () => {
  const [claimed, verified] = [await anOrganization(running), await anOrganization(running)]
  const { decomposed, composed } = formsOf(freshIdempotencyKey())
  await storeAs(decomposed, claimed)
  await storeAs(composed, verified)
  await runAndSeal(
    running.database,
    'users',
    sql`update users set email_verified_at = null where id = ${claimed.userId}`,
  )
  assert.equal((await userByEmail(running.database, composed))?.id, verified.userId)
})

test('an address is looked up by its index, also before PostgreSQL knows anything of it', async () => {
  const { database } = running
  const read = await inRolledBackTransaction(database, async (tx) => {
    await tx.run(sql`
        insert into users (id, email, name, created_at, seal)
        select gen_random_uuid(), 'user' || n || '@example.com', 'Ada', now(), ''
        from generate_series(1, 20000) n`)
    const count = async () =>
      (await tx.row<{ read: bigint }>(sql`
          select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables
          where relname = 'users'`))!.read
    const before = await count()
    assert.equal(await userByEmail(tx, 'nobody@example.com'), undefined)
    return (await count()) - before
  })
  assert.equal(read, 0n)
})

test('a network where a link has signed in is known for each form of the address', async () => {
  const { decomposed, composed } = formsOf(freshIdempotencyKey())
  const { database } = running
  // A link signs in with the address as it is stored.
  await rememberPlace(database, { address: '192.0.2.1', email: decomposed })
  assert(await isKnownPlace(database, { address: '192.0.2.1', email: composed }))
})

test('an invitation to connect is shown to a verified user with another form of the address', async () => {
  const [inviter, invitee] = [await anOrganization(running), await anOrganization(running)]
  const { decomposed, composed } = formsOf(freshIdempotencyKey())
  await storeAs(decomposed, invitee)
  const { id } = (await post('/v1/connections', { email: composed }, inviter.session)).body
  const path = '/v1/connections?status=invited'
  const { data } = (await callApi(running, 'GET', path, { key: invitee.session })).body
  assert.deepEqual(
    data.map((one: { id: string }) => one.id),
    [id],
  )
})

test('an address has one normal form, in which nothing is lost', () => {
  const { decomposed, composed, mixed } = formsOf('Ada')
  for (const email of [decomposed, composed, mixed, ` ${composed} `]) {
    assert.equal(normalizeEmail(email), composed.toLowerCase())
  }
  // Letters that merely look alike are other letters.
  assert.notEqual(normalizeEmail('ﬁ@example.com'), 'fi@example.com')
})
