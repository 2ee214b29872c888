/** Contract 12: invitations of members, and how a person accepts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grantMembership } from '../../../src/changes/identity/users.ts'
import { decodeId, encodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { inTurn } from '../../support/database/in-turn.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { type TestOrganization, anOrganization } from '../../support/fixtures.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const password = 'correct horse battery staple'

const anAddress = () => `${freshIdempotencyKey()}@example.com`

const invite = (key: string, email: string, role = 'viewer') =>
  callApi(running, 'POST', '/v1/invitations', { key, body: { email, role } })

const accept = (body: object) => callApi(running, 'POST', '/auth/invitations/accept', { body })

const expire = (id: string) =>
  runAndSeal(
    running.database,
    'member_invitations',
    sql`update member_invitations set expires_at = now() where id = ${decodeId('inv', id)!}`,
  )

const statusesOf = async ({ session: key }: TestOrganization): Promise<string[]> => {
  const { data } = (await callApi(running, 'GET', '/v1/invitations', { key })).body
  return data.map(({ status }: { status: string }) => status)
}

test('a new user chooses a name and a password, and is a member with the role at once', async () => {
  const owner = await anOrganization(running)
  const email = anAddress()
  const { status, body } = await invite(owner.session, email.toUpperCase(), 'finance')
  assert.deepEqual([status, body.email, body.role, body.status], [201, email, 'finance', 'pending'])
  assert.match(body.token, /^mi_/)
  const { token } = body
  assertProblems(
    await accept({ token, password: 'short' }),
    '/name required',
    '/password invalid_value',
  )
  const accepted = await accept({ token, password, name: 'Grace' })
  assert.equal(accepted.status, 201, accepted.text)
  assert.deepEqual([accepted.body.role, accepted.body.user.email], ['finance', email])
  const me = await callApi(running, 'GET', '/v1/me', { key: accepted.body.token })
  assert.equal(me.body.organization.id, owner.id)
  assertRefused(await accept({ token, password, name: 'Grace' }), 'unauthorized')
  assert.deepEqual(await statusesOf(owner), ['accepted'])
  const signIn = { body: { email, password } }
  assert.equal((await callApi(running, 'POST', '/auth/sessions', signIn)).status, 201)
})

test('a user of another organization needs the password, and keeps it', async () => {
  const [first, second] = [await anOrganization(running), await anOrganization(running)]
  const email = anAddress()
  const own = await invite(first.session, email)
  await accept({ token: own.body.token, password, name: 'Grace' })
  const { token } = (await invite(second.session, email, 'admin')).body
  const wrong = await accept({ token, password: 'not the password at all', name: 'Mallory' })
  assertRefused(wrong, 'unauthorized')
  const accepted = await accept({ token, password, name: 'Mallory' })
  assert.deepEqual([accepted.body.user.name, accepted.body.role], ['Grace', 'admin'])
  assert.equal(accepted.body.organization.id, second.id)
})

test('a revoked, replaced or expired invitation gives nothing, in the same words', async () => {
  const owner = await anOrganization(running)
  const [revoked, replaced, expired] = [anAddress(), anAddress(), anAddress()]
  const one = (await invite(owner.session, revoked)).body
  const path = `/v1/invitations/${one.id}`
  for (let times = 0; times < 2; times += 1) {
    const reply = await callApi(running, 'DELETE', path, { key: owner.session })
    assert.deepEqual([reply.status, reply.body.status], [200, 'revoked'])
  }
  const former = (await invite(owner.session, replaced)).body
  const current = (await invite(owner.session, replaced, 'admin')).body
  const late = (await invite(owner.session, expired)).body
  await expire(late.id)
  const messages = new Set<string>()
  for (const { token } of [one, former, late, { token: 'mi_unknown' }]) {
    const reply = await accept({ token, password, name: 'Grace' })
    assertRefused(reply, 'unauthorized')
    messages.add(reply.body.error.message)
  }
  assert.equal(messages.size, 1)
  assert.equal((await accept({ token: current.token, password, name: 'Grace' })).body.role, 'admin')
  assert.deepEqual(await statusesOf(owner), ['expired', 'accepted', 'revoked', 'revoked'])
})

test('an invitation that is accepted twice at once makes one member', async () => {
  const owner = await anOrganization(running)
  const { token } = (await invite(owner.session, anAddress())).body
  const replies = await Promise.all(
    Array.from({ length: 4 }, () => accept({ token, password, name: 'Grace' })),
  )
  assert.equal(replies.filter(({ status }) => status === 201).length, 1)
  const { data } = (await callApi(running, 'GET', '/v1/members', { key: owner.session })).body
  assert.equal(data.length, 2)
})

test('a new user who accepts two invitations at once is one user, and may accept the other again', async () => {
  const owners = await Promise.all(Array.from({ length: 3 }, () => anOrganization(running)))
  const email = anAddress()
  const tokens: string[] = []
  for (const { session } of owners) tokens.push((await invite(session, email)).body.token)
  const all = () => Promise.all(tokens.map((token) => accept({ token, password, name: 'Grace' })))
  for (const { status, body } of await all()) {
    assert(status === 201 || body.error.details.reason === 'request_in_progress', String(status))
  }
  await all()
  for (const owner of owners) assert.deepEqual(await statusesOf(owner), ['accepted'])
})

test('members are not invited again, and only owners invite owners', async () => {
  const owner = await anOrganization(running)
  const again = await invite(owner.session, owner.email)
  assert.equal(assertRefused(again, 'conflict').reason, 'already_member')
  const { token } = (await invite(owner.session, anAddress(), 'admin')).body
  const admin = (await accept({ token, password, name: 'Grace' })).body.token
  assertRefused(await invite(admin, anAddress(), 'owner'), 'insufficient_scope')
  const { id } = (await invite(owner.session, anAddress(), 'owner')).body
  const revoked = await callApi(running, 'DELETE', `/v1/invitations/${id}`, { key: admin })
  assertRefused(revoked, 'insufficient_scope')
  assert.equal((await invite(admin, anAddress(), 'admin')).status, 201)
})

/** A member by invitation, as `/auth/invitations/accept` shows them. */
const aMember = async (inviter: string, role: string) => {
  const { token } = (await invite(inviter, anAddress(), role)).body
  const { user, token: session } = (await accept({ token, password, name: 'Mallory' })).body
  return { session, path: `/v1/members/${user.id}` } as { session: string; path: string }
}

test('an invitation gives nothing while its inviter may not give the role, however they lost it', async () => {
  const owner = await anOrganization(running)
  const removed = await aMember(owner.session, 'admin')
  const demoted = await aMember(owner.session, 'owner')
  const byRemoved = (await invite(removed.session, anAddress(), 'viewer')).body
  const toOwner = (await invite(demoted.session, anAddress(), 'owner')).body
  const toAdmin = (await invite(demoted.session, anAddress(), 'admin')).body
  const change = (method: string, path: string, body?: object) =>
    callApi(running, method, path, { key: owner.session, body })
  assert.equal((await change('DELETE', removed.path)).status, 200)
  assert.equal((await change('PATCH', demoted.path, { role: 'admin' })).status, 200)
  const unknown = await accept({ token: 'mi_unknown', password, name: 'Mallory' })
  for (const { token } of [byRemoved, toOwner]) {
    const reply = await accept({ token, password, name: 'Mallory' })
    assertRefused(reply, 'unauthorized')
    assert.equal(reply.body.error.message, unknown.body.error.message)
  }
  assert.deepEqual((await statusesOf(owner)).slice(0, 3), ['pending', 'revoked', 'revoked'])
  const accepted = await accept({ token: toAdmin.token, password, name: 'Grace' })
  assert.deepEqual([accepted.status, accepted.body.role], [201, 'admin'], accepted.text)
})

test('a removal ends the open invitations to the address of whoever is removed, and no others', async () => {
  const owner = await anOrganization(running)
  const elsewhere = await anOrganization(running)
  const [email, other] = [anAddress(), anAddress()]
  const open = (await invite(owner.session, email, 'admin')).body
  await invite(elsewhere.session, email)
  await invite(owner.session, other)
  // As an operator does with `user add`, while the invitation is open.
  const { user } = await inTurn(running.database, (tx) =>
    grantMembership(tx, {
      email,
      name: 'Mallory',
      organization: owner.uuid,
      role: 'viewer',
      passwordHash: null,
    }),
  )
  assert.deepEqual(await statusesOf(owner), ['pending', 'pending'])
  const path = `/v1/members/${encodeId('usr', user.id)}`
  assert.equal((await callApi(running, 'DELETE', path, { key: owner.session })).status, 200)
  assert.deepEqual(await statusesOf(owner), ['pending', 'revoked'])
  assertRefused(await accept({ token: open.token, password }), 'unauthorized')
  assert.deepEqual(await statusesOf(elsewhere), ['pending'])
  // Whoever is invited again comes back.
  assert.equal((await invite(owner.session, email)).status, 201)
  assert.deepEqual(await statusesOf(owner), ['pending', 'pending', 'revoked'])
})

test('an old membership of the inviter, written back with its seal, gives an invitation nothing', async () => {
  const owner = await anOrganization(running)
  const { session, path } = await aMember(owner.session, 'admin')
  const { token } = (await invite(session, anAddress(), 'admin')).body
  const ofOwner = sql`organization_id = ${owner.uuid}`
  await running.database.run(sql`create temp table members_before as
    select * from memberships where ${ofOwner} and role = 'admin'`)
  await callApi(running, 'DELETE', path, { key: owner.session })
  await running.database.run(sql`insert into memberships select * from members_before`)
  assertRefused(await accept({ token, password, name: 'Mallory' }), 'integrity_failure')
  await running.database.run(sql`drop table members_before`)
})

test('an organization has at most 100 pending invitations: others do not count', async () => {
  const owner = await anOrganization(running)
  const { session, path } = await aMember(owner.session, 'admin')
  let last = { id: '', email: '' }
  for (let i = 0; i < 100; i += 1) last = (await invite(session, anAddress())).body
  const inviteAnother = () => invite(owner.session, anAddress())
  assert.equal(assertRefused(await inviteAnother(), 'conflict').reason, 'too_many_invitations')
  assert.equal((await invite(session, last.email)).status, 201, 'it takes the place of the former')
  await expire((await invite(session, last.email)).body.id)
  assert.equal((await inviteAnother()).status, 201)
  const again = await invite(session, last.email)
  assert.equal(assertRefused(again, 'conflict').reason, 'too_many_invitations')

  await callApi(running, 'DELETE', path, { key: owner.session })
  const { status, text } = await inviteAnother()
  assert.equal(status, 201, text)
})

test('whoever may not revoke an invitation does not replace it, until it has expired', async () => {
  const owner = await anOrganization(running)
  const { session: admin } = await aMember(owner.session, 'admin')
  const email = anAddress()
  const { id, token } = (await invite(owner.session, email, 'owner')).body
  assertRefused(await invite(admin, email, 'viewer'), 'insufficient_scope')
  assert.equal((await statusesOf(owner))[0], 'pending')
  await expire(id)
  assert.equal((await invite(admin, email, 'viewer')).status, 201)
  assertRefused(await accept({ token, password, name: 'Grace' }), 'unauthorized')
})

test('the address of who accepted is not verified: connection invitations to it stay unseen', async () => {
  const [owner, sender] = [await anOrganization(running), await anOrganization(running)]
  const email = anAddress()
  await callApi(running, 'POST', '/v1/connections', { key: sender.session, body: { email } })
  const { token } = (await invite(owner.session, email, 'owner')).body
  const key = (await accept({ token, password, name: 'Mallory' })).body.token
  const { data } = (await callApi(running, 'GET', '/v1/connections', { key })).body
  assert.deepEqual(data, [])
})

test('an old row of an invitation, written back with its seal, revives nothing', async () => {
  const owner = await anOrganization(running)
  const { id, token } = (await invite(owner.session, anAddress())).body
  const ofOwner = sql`organization_id = ${owner.uuid}`
  await running.database.run(sql`create temp table before_it as
    select * from member_invitations where ${ofOwner}`)
  await callApi(running, 'DELETE', `/v1/invitations/${id}`, { key: owner.session })
  await running.database.run(sql`update member_invitations i
    set ended_at = b.ended_at, accepted_by = b.accepted_by, access_version = b.access_version,
      seal = b.seal from before_it b where b.id = i.id`)
  assertRefused(await accept({ token, password, name: 'Mallory' }), 'integrity_failure')
  await running.database.run(sql`drop table before_it`)
})

test('a dry run invites nobody and shows no token', async () => {
  const owner = await anOrganization(running)
  const headers = { 'svc-dry-run': 'true' }
  const body = { email: anAddress(), role: 'viewer' }
  const reply = await callApi(running, 'POST', '/v1/invitations', {
    key: owner.session,
    body,
    headers,
  })
  assert.deepEqual([reply.status, reply.body.token], [200, null], reply.text)
  assert.deepEqual(await statusesOf(owner), [])
})
