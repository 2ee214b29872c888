/**
 * Provenance 8: an old row with its old seal, written back by a hostile hand in the database,
 * revives nothing that was taken away (docs/decisions/0061).
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hashPassword } from '../../src/changes/identity/passwords.ts'
import { addMembership, createUser, grantMembership } from '../../src/changes/identity/users.ts'
import type { Role } from '../../src/contract/roles.ts'
import { openSession } from '../../src/changes/identity/new-session.ts'
import { decodeId } from '../../src/core/ids.ts'
import type { SealedTable } from '../../src/database/row-seals.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { changeOrganization } from '../../src/store/identity/organizations.ts'
import { setPasswordHash } from '../../src/store/identity/users.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import {
  assertNoticed as assertOldRowNoticed,
  copyRows,
  idIs,
} from '../support/database/old-rows.ts'
import {
  type TestOrganization,
  aKey,
  aPair,
  anOrganization,
  exampleLine,
} from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService()
const { database } = running
const assertNoticed = (reply: Reply, table: SealedTable) =>
  assertOldRowNoticed(running, reply, table)
const password = 'correct horse battery staple'
const passwordHash = await hashPassword(password)

const get = (path: string, key: string) => callApi(running, 'GET', path, { key })
const post = (path: string, key: string, body: object = {}) =>
  callApi(running, 'POST', path, { key, body })
const signOut = (key: string) => callApi(running, 'DELETE', '/auth/session', { key })
const signIn = (email: string) =>
  callApi(running, 'POST', '/auth/sessions', {
    body: { email, password },
    headers: { 'idempotency-key': '' },
  })

const copyKey = (keyId: string) => copyRows(database, 'keys', idIs(decodeId('key', keyId)!))

const assertWorks = async (...credentials: readonly string[]): Promise<void> => {
  for (const key of credentials) {
    const reply = await get('/v1/me', key)
    assert.equal(reply.status, 200, reply.text)
  }
}

const sessionIdOf = async (key: string): Promise<string> =>
  decodeId('ses', (await get('/auth/session', key)).body.id)!

const copySession = async (key: string) =>
  copyRows(database, 'sessions', idIs(await sessionIdOf(key)))

const openAnotherSession = async ({ userId, uuid, mode }: TestOrganization): Promise<string> =>
  (await openSession(database, { user: userId, organization: uuid, mode })).token

/** Another member of the organization, who can sign in with the password. */
const aMember = async (owner: TestOrganization, role: Role): Promise<TestOrganization> => {
  const email = `${crypto.randomUUID()}@example.com`
  const userId = await createUser(database, { email, name: 'Ada', passwordHash })
  await addMembership(database, { user: userId, organization: owner.uuid, role })
  const member = { ...owner, userId, email }
  return { ...member, session: await openAnotherSession(member) }
}

const grantRole = ({ email, uuid }: TestOrganization, role: Role) =>
  inTransaction(database, (tx) =>
    grantMembership(tx, { email, organization: uuid, role, name: undefined, passwordHash: null }),
  )

const suspend = (uuid: string) =>
  changeOrganization(database, uuid, { suspended_at: '2026-11-23T00:00:00.000Z' })

describe('an old row of a key', () => {
  test('revives no revoked key, and the other keys go on', async () => {
    const owner = await anOrganization(running)
    const other = await aKey(running, owner, ['documents:read'])
    const writeBack = await copyKey(owner.keyId)
    assert.equal((await post(`/v1/keys/${owner.keyId}/revoke`, owner.session)).status, 200)
    assert.equal((await get('/v1/me', owner.key)).status, 401)
    await assertWorks(other.secret, owner.session)

    await writeBack()
    assertNoticed(await get('/v1/me', owner.key), 'keys')
    assertNoticed(await get('/v1/documents', owner.key), 'keys')
    await assertWorks(other.secret, owner.session)
  })

  test('decides nothing about the key: it is neither shown, rotated nor revoked', async () => {
    const owner = await anOrganization(running)
    const writeBack = await copyKey(owner.keyId)
    await post(`/v1/keys/${owner.keyId}/revoke`, owner.session)
    await writeBack()
    assertNoticed(await get('/v1/keys', owner.session), 'keys')
    assertNoticed(await get(`/v1/keys/${owner.keyId}`, owner.session), 'keys')
    assertNoticed(await post(`/v1/keys/${owner.keyId}/rotate`, owner.session), 'keys')
    assertNoticed(await post(`/v1/keys/${owner.keyId}/revoke`, owner.session), 'keys')
  })

  test('is not sealed again when access is taken from another key', async () => {
    const owner = await anOrganization(running)
    const other = await aKey(running, owner, ['documents:read'])
    const writeBack = await copyKey(owner.keyId)
    await post(`/v1/keys/${owner.keyId}/revoke`, owner.session)
    await writeBack()
    assert.equal((await post(`/v1/keys/${other.keyId}/revoke`, owner.session)).status, 200)
    assertNoticed(await get('/v1/me', owner.key), 'keys')
    assert.equal((await get('/v1/me', other.secret)).status, 401)
  })

  test('takes back no rotation, with its end of the grace', async () => {
    const owner = await anOrganization(running)
    const other = await aKey(running, owner, ['documents:read'])
    const writeBack = await copyKey(owner.keyId)
    const rotated = await post(`/v1/keys/${owner.keyId}/rotate`, owner.session)
    assert.equal(rotated.status, 200, rotated.text)
    await assertWorks(owner.key, rotated.body.key, other.secret)

    await writeBack()
    assertNoticed(await get('/v1/me', owner.key), 'keys')
    await assertWorks(rotated.body.key, other.secret)
  })

  test('of an expired key that is revoked later is 401, as any expired key', async () => {
    const owner = await anOrganization(running)
    const soon = new Date(Date.now() + 300).toISOString()
    const { secret, keyId } = await aKey(running, owner, ['documents:read'], { expiresAt: soon })
    await until('the key has expired', async () => (await get('/v1/me', secret)).status === 401)
    const writeBack = await copyKey(keyId)
    await post(`/v1/keys/${keyId}/revoke`, owner.session)
    await writeBack()
    assert.equal((await get('/v1/me', secret)).status, 401)
    assert.equal((await get(`/v1/keys/${keyId}`, owner.session)).body.status, 'expired')
  })
})

describe('an old row of a session', () => {
  test('revives no session that was signed out, and the user’s other sessions go on', async () => {
    const owner = await anOrganization(running)
    const other = await openAnotherSession(owner)
    const writeBack = await copySession(owner.session)
    assert.equal((await signOut(owner.session)).status, 200)
    assert.equal((await get('/auth/session', owner.session)).status, 401)
    await assertWorks(other, owner.key)

    await writeBack()
    assertNoticed(await get('/auth/session', owner.session), 'sessions')
    assertNoticed(await post('/v1/keys', owner.session), 'sessions')
    assertNoticed(await signOut(owner.session), 'sessions')
    await assertWorks(other, owner.key)
  })

  test('is not sealed again when another session ends', async () => {
    const owner = await anOrganization(running)
    const other = await openAnotherSession(owner)
    const writeBack = await copySession(owner.session)
    await signOut(owner.session)
    await writeBack()
    assert.equal((await signOut(other)).status, 200)
    assertNoticed(await get('/auth/session', owner.session), 'sessions')
  })

  test('revives no session that was left for another organization', async () => {
    const owner = await anOrganization(running)
    const { id, uuid } = await anOrganization(running)
    await addMembership(database, { user: owner.userId, organization: uuid, role: 'admin' })
    const writeBack = await copySession(owner.session)
    const switched = await post('/auth/session/switch', owner.session, { organization_id: id })
    assert.equal(switched.status, 200, switched.text)
    await writeBack()
    assertNoticed(await get('/auth/session', owner.session), 'sessions')
    await assertWorks(switched.body.token)
  })
})

describe('an old row of a user', () => {
  test('revives no earlier password, and sessions go on after a change of it', async () => {
    const owner = await anOrganization(running)
    const admin = await aMember(owner, 'admin')
    const writeBack = await copyRows(database, 'users', idIs(admin.userId))
    assert.equal((await signIn(admin.email)).status, 201)
    const changed = await hashPassword('another battery staple horse')
    await inTransaction(database, (tx) => setPasswordHash(tx, admin.userId, changed))
    assert.equal((await signIn(admin.email)).status, 401)
    await assertWorks(admin.session, owner.session)

    await writeBack()
    assertNoticed(await signIn(admin.email), 'users')
    assertNoticed(await get('/v1/me', admin.session), 'users')
    await assertWorks(owner.session)
  })
})

describe('an old row of a membership', () => {
  test('takes back no demotion, neither in a session nor at a new sign-in', async () => {
    const owner = await anOrganization(running)
    const member = await aMember(owner, 'admin')
    const writeBack = await copyRows(database, 'memberships', `t.user_id = '${member.userId}'`)
    await grantRole(member, 'member')
    assert.equal((await get('/auth/session', member.session)).body.role, 'member')
    await assertWorks(owner.key, owner.session)

    await writeBack()
    assertNoticed(await get('/auth/session', member.session), 'memberships')
    assertNoticed(await post('/v1/keys', member.session), 'memberships')
    assertNoticed(await signIn(member.email), 'memberships')
    await assertWorks(owner.key, owner.session)
  })

  test('is not sealed again when another member changes', async () => {
    const owner = await anOrganization(running)
    const member = await aMember(owner, 'admin')
    const another = await aMember(owner, 'member')
    const writeBack = await copyRows(database, 'memberships', `t.user_id = '${member.userId}'`)
    await grantRole(member, 'member')
    await writeBack()
    await grantRole(another, 'admin')
    assertNoticed(await get('/auth/session', member.session), 'memberships')
    assert.equal((await get('/auth/session', another.session)).body.role, 'admin')
  })
})

describe('an old row of an organization', () => {
  const suspendAndWriteBack = async (table: 'organizations' | 'organization_counters') => {
    const owner = await anOrganization(running)
    await setPasswordHash(database, owner.userId, passwordHash)
    const key = table === 'organizations' ? 'id' : 'organization_id'
    const writeBack = await copyRows(database, table, `t.${key} = '${owner.uuid}'`)
    await suspend(owner.uuid)
    for (const credential of [owner.key, owner.session]) {
      assert.equal((await get('/v1/me', credential)).status, 401)
    }
    assert.equal((await signIn(owner.email)).status, 403)
    await writeBack()
    return owner
  }

  test('takes back no suspension', async () => {
    const owner = await suspendAndWriteBack('organizations')
    assertNoticed(await get('/v1/me', owner.key), 'organizations')
    assertNoticed(await get('/v1/me', owner.session), 'organizations')
    assertNoticed(await signIn(owner.email), 'organizations')
  })

  test('is noticed on a connection that has sent the same key before', async () => {
    const owner = await anOrganization(running)
    assert.equal((await get('/v1/documents', owner.key)).status, 200)
    const writeBack = await copyRows(database, 'organizations', idIs(owner.uuid))
    await suspend(owner.uuid)
    await writeBack()
    assertNoticed(await get('/v1/documents', owner.key), 'organizations')
  })

  test('old counters are no proof of an organization either', async () => {
    const owner = await suspendAndWriteBack('organization_counters')
    assert.equal((await get('/v1/me', owner.key)).status, 401)
    await assert.rejects(changeOrganization(database, owner.uuid, { suspended_at: null }))
    assertNoticed(await signIn(owner.email), 'organizations')
  })

  test('is shown to no partner, and no document is drafted for it', async () => {
    const { issuer, counterparty, connection } = await aPair(running)
    const writeBack = await copyRows(database, 'organizations', idIs(counterparty.uuid))
    await changeOrganization(database, counterparty.uuid, { verified_at: null })
    await writeBack()
    assertNoticed(await get('/v1/connections', issuer.session), 'organizations')
    const draft = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
    assertNoticed(await post('/v1/documents', issuer.key, draft), 'organizations')
    await assertWorks(issuer.key)
  })
})
