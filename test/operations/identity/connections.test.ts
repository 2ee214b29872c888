/** Connections over HTTP: their states and the moves that each state allows. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openSession } from '../../../src/changes/identity/new-session.ts'
import { addMembership } from '../../../src/changes/identity/users.ts'
import { encodeId } from '../../../src/core/ids.ts'
import { aMemberSession } from '../../support/http/example-calls.ts'
import { connectionsClient } from '../../support/identity/connections-client.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { allPages } from '../../support/http/all-pages.ts'
import {
  type TestOrganization,
  exampleLine,
  aPair,
  anOrganization,
} from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()

const { invite, changeConnection, read, createInvitation } = connectionsClient(running)

const assertIllegal = (reply: Reply) => {
  const { reason, from, to, side, allowed } = assertRefused(reply, 'conflict')
  assert.equal(reason, 'illegal_transition')
  return { from, to, side, allowed }
}

describe('an invitation by organization', () => {
  test('each side reads an invitation with its own moves, and documents need its acceptance', async () => {
    const { inviter, invitee, id } = await createInvitation()
    const sent = (await read(inviter, id)).body
    assert.equal(sent.status, 'invited')
    assert.equal(sent.invited_by, 'you')
    assert.deepEqual(sent.counterparty, {
      organization_id: invitee.id,
      name: invitee.name,
      verified: true,
    })
    assert.deepEqual(sent.allowed_transitions, ['ended'])
    const received = (await read(invitee, id)).body
    assert.equal(received.counterparty.organization_id, inviter.id)
    assert.equal(received.invited_by, 'counterparty')
    assert.deepEqual(received.allowed_transitions, ['active', 'declined'])

    const body = { connection_id: id, document_type: 'invoice', line_items: [exampleLine] }
    const tooEarly = await callApi(running, 'POST', '/v1/documents', { key: inviter.key, body })
    assert.equal(assertRefused(tooEarly, 'conflict').reason, 'connection_not_active')

    const accepted = await changeConnection(invitee, id, 'accept')
    assert.equal(accepted.body.status, 'active')
    assert.deepEqual(accepted.body.allowed_transitions, ['ended'])
    for (const { key } of [inviter, invitee]) {
      const created = await callApi(running, 'POST', '/v1/documents', { key, body })
      assert.equal(created.status, 201, created.text)
    }
  })

  test('the inviter can only withdraw an invitation, which then allows no move', async () => {
    const { inviter, invitee, id } = await createInvitation()
    const side = 'inviter'
    for (const [verb, to] of [
      ['accept', 'active'],
      ['decline', 'declined'],
    ] as const) {
      const refused = assertIllegal(await changeConnection(inviter, id, verb))
      assert.deepEqual(refused, { from: 'invited', to, side, allowed: ['ended'] })
    }
    const early = assertIllegal(await changeConnection(invitee, id, 'end'))
    assert.deepEqual(early.allowed, ['active', 'declined'])
    assert.equal((await changeConnection(inviter, id, 'end')).body.status, 'ended')
    for (const verb of ['accept', 'decline', 'end']) {
      assert.deepEqual(assertIllegal(await changeConnection(invitee, id, verb)).allowed, [])
    }
  })

  test('a pair has one open connection at a time and may open another once it is declined', async () => {
    const { inviter, invitee, id } = await createInvitation()
    for (const [by, other] of [
      [inviter, invitee],
      [invitee, inviter],
    ] as const) {
      const again = assertRefused(await invite(by, { organization_id: other.id }), 'conflict')
      assert.equal(again.connection_id, id)
    }
    assert.equal((await changeConnection(invitee, id, 'decline')).body.status, 'declined')
    const next = await invite(invitee, { organization_id: inviter.id })
    assert.equal(next.status, 201)
    assert.notEqual(next.body.id, id)
    assert.equal((await read(inviter, id)).body.status, 'declined')
  })

  test('terms and currency come from the invitation, else there are no terms and the inviter’s currency', async () => {
    const [one, other, third] = [
      await anOrganization(running),
      await anOrganization(running),
      await anOrganization(running),
    ]
    const chosen = { default_payment_terms: '2/10 net 30', currency: 'GBP' }
    const { body } = await invite(one, { organization_id: other.id, ...chosen })
    assert.equal(body.default_payment_terms, '2/10 net 30')
    assert.equal(body.currency, 'GBP')
    const plain = (await invite(one, { organization_id: third.id })).body
    assert.equal(plain.default_payment_terms, null)
    assert.equal(plain.currency, 'USD')
  })

  test('an invalid invitation is refused with the field at fault', async () => {
    const by = await anOrganization(running)
    const other = await anOrganization(running)
    const param = '/organization_id'
    assertProblems(await invite(by, {}), `${param} required`)
    assertProblems(await invite(by, { organization_id: by.id }), `${param} invalid_value`)
    assertProblems(await invite(by, { organization_id: 'org_1' }), `${param} invalid_value`)
    assertProblems(await invite(by, { email: 'nobody' }), '/email invalid_value')
    const both = { organization_id: other.id, email: 'a@example.com' }
    assertProblems(await invite(by, both), '/email invalid_value')
    for (const [terms, code] of [
      ['Net 400', 'out_of_range'],
      ['2027-01-31', 'invalid_value'],
    ] as const) {
      const body = { organization_id: other.id, default_payment_terms: terms }
      assertProblems(await invite(by, body), `/default_payment_terms ${code}`)
    }
    const missing = { organization_id: `org_${'0'.repeat(26)}` }
    assertRefused(await invite(by, missing), 'not_found')
  })

  test('an invitation across modes answers sandbox_isolation for an own organization, else 404', async () => {
    const live = await anOrganization(running, { mode: 'live' })
    const practice = await anOrganization(running, { sandboxOf: live.uuid })
    const stranger = await anOrganization(running)
    assertRefused(await invite(live, { organization_id: practice.id }), 'sandbox_isolation')
    assertRefused(await invite(practice, { organization_id: live.id }), 'sandbox_isolation')
    assertRefused(await invite(live, { organization_id: stranger.id }), 'not_found')
  })
})

describe('an invitation by e-mail', () => {
  /** A session of the invited person for one more organization. */
  const sessionFor = async (
    person: TestOrganization,
    { uuid, mode }: TestOrganization,
  ): Promise<string> => {
    await addMembership(running.database, {
      user: person.userId,
      organization: uuid,
      role: 'admin',
    })
    const newSession = { user: person.userId, organization: uuid, mode }
    return (await openSession(running.database, newSession)).token
  }

  test('an invitation takes no documents before it is accepted, nor after it has ended', async () => {
    const inviter = await anOrganization(running)
    const { body: invitation } = await invite(inviter, { email: 'nobody.yet@example.com' })
    const draft = {
      connection_id: invitation.id,
      document_type: 'invoice',
      line_items: [exampleLine],
    }
    const create = (key: string) => callApi(running, 'POST', '/v1/documents', { key, body: draft })
    const refused = await create(inviter.key)
    assert.equal(assertRefused(refused, 'conflict').reason, 'connection_not_active')
    assert.match(refused.body.error.message, /is invited.*accepted first/)
    assertRefused(await create((await anOrganization(running)).key), 'not_found')
    await changeConnection(inviter, invitation.id, 'end')
    assert.equal(
      assertRefused(await create(inviter.key), 'conflict').reason,
      'connection_not_active',
    )
  })

  test('an invitee signed in with the e-mail sees the invitation, and accepting it keeps its id', async () => {
    const inviter = await anOrganization(running)
    const invitee = await anOrganization(running)
    const { status, body } = await invite(inviter, { email: invitee.email.toUpperCase() })
    assert.equal(status, 201)
    assert.equal(body.counterparty, null)
    assert.equal(body.invited_email, invitee.email)
    const path = '/v1/connections?status=invited'
    const listed = await callApi(running, 'GET', path, { key: invitee.session })
    assert.equal(listed.body.data[0].id, body.id)
    assert.equal(listed.body.data[0].counterparty.organization_id, inviter.id)
    // A key has no e-mail.
    assertRefused(await read(invitee, body.id), 'not_found')

    const accepted = await changeConnection(invitee, body.id, 'accept')
    assert.equal(accepted.body.id, body.id)
    assert.equal(accepted.body.status, 'active')
    assert.equal(accepted.body.invited_email, null)
    for (const side of [inviter, invitee]) {
      assert.equal((await read(side, body.id)).body.status, 'active')
    }
    const connection = { connection_id: body.id, document_type: 'quote', line_items: [exampleLine] }
    const created = await callApi(running, 'POST', '/v1/documents', {
      key: invitee.key,
      body: connection,
    })
    assert.equal(created.status, 201, created.text)
  })

  test('an invitation by e-mail does not reveal whether the person has an account', async () => {
    const inviter = await anOrganization(running)
    const email = `${freshIdempotencyKey()}@example.com`
    const unknown = await invite(inviter, { email })
    const known = await invite(inviter, { email: (await anOrganization(running)).email })
    for (const field of ['status', 'counterparty', 'allowed_transitions']) {
      assert.deepEqual(unknown.body[field], known.body[field], field)
    }
  })

  test('any other organization of the person in the same mode may accept an invitation by e-mail', async () => {
    const inviter = await anOrganization(running)
    const person = await anOrganization(running)
    const live = await anOrganization(running, { mode: 'live' })
    const { id } = (await invite(inviter, { email: person.email })).body
    const inLive = { session: await sessionFor(person, live) }
    assertRefused(await changeConnection(inLive, id, 'accept'), 'not_found')
    const inInviter = { session: await sessionFor(person, inviter) }
    assert.equal(assertIllegal(await changeConnection(inInviter, id, 'accept')).side, 'inviter')
    const somewhere = { session: await sessionFor(person, await anOrganization(running)) }
    assert.equal((await changeConnection(somewhere, id, 'accept')).body.status, 'active')
    // One organization has accepted, so the others no longer see it.
    assertRefused(await changeConnection(person, id, 'accept'), 'not_found')
  })

  test('an invitation between connected organizations can be declined but not accepted', async () => {
    const { issuer, counterparty, connection } = await aPair(running)
    const { id } = (await invite(issuer, { email: counterparty.email })).body
    const twice = assertRefused(await changeConnection(counterparty, id, 'accept'), 'conflict')
    assert.equal(twice.connection_id, connection)
    assert.deepEqual([twice.from, twice.to, twice.side], ['active', 'invited', 'invitee'])
    assert.equal((await changeConnection(counterparty, id, 'decline')).body.status, 'declined')
  })

  test('an invitation can be withdrawn, and only one per e-mail is open at a time', async () => {
    const inviter = await anOrganization(running)
    const invitee = await anOrganization(running)
    const { id } = (await invite(inviter, { email: invitee.email })).body
    assertRefused(await invite(inviter, { email: invitee.email }), 'conflict')
    assert.equal((await changeConnection(inviter, id, 'end')).body.status, 'ended')
    assert.deepEqual(assertIllegal(await changeConnection(invitee, id, 'accept')).allowed, [])
    assert.equal((await invite(inviter, { email: invitee.email })).status, 201)
  })
})

describe('the list of connections', () => {
  test('the pages hold every connection of the caller once, newest first', async () => {
    const owner = await anOrganization(running)
    const ids: string[] = []
    for (let i = 0; i < 3; i += 1) {
      const partner = await anOrganization(running)
      ids.unshift((await invite(owner, { organization_id: partner.id })).body.id)
      ids.unshift((await invite(partner, { email: owner.email })).body.id)
      ids.unshift((await invite(owner, { email: `${freshIdempotencyKey()}@example.com` })).body.id)
    }
    const rows = await allPages(running, owner.session, '/v1/connections?limit=2')
    const listed = rows.map(({ id }) => id)
    assert.deepEqual(listed, ids)
    const active = await callApi(running, 'GET', '/v1/connections?status=active', {
      key: owner.session,
    })
    assert.deepEqual(active.body.data, [])
  })

  test('a cursor of another filter or organization is refused', async () => {
    const owner = await anOrganization(running)
    for (let i = 0; i < 2; i += 1) {
      await invite(owner, { organization_id: (await anOrganization(running)).id })
    }
    const { body } = await callApi(running, 'GET', '/v1/connections?limit=1', { key: owner.key })
    const query = `?limit=1&cursor=${body.next_cursor}`
    for (const [path, { key }] of [
      [`/v1/connections${query}&status=invited`, owner],
      [`/v1/connections${query}`, await anOrganization(running)],
    ] as const) {
      assertProblems(await callApi(running, 'GET', path, { key }), 'cursor invalid_cursor')
    }
  })

  test('a member may read a connection, but only an admin may accept it', async () => {
    const { invitee, id } = await createInvitation()
    const member = await aMemberSession(running, invitee)
    assert.equal((await read({ key: member }, id)).status, 200)
    assertRefused(await changeConnection({ session: member }, id, 'accept'), 'insufficient_scope')
  })

  test('an id that belongs to an organization instead of a connection answers 404', async () => {
    const owner = await anOrganization(running)
    assertRefused(await read(owner, encodeId('con', owner.uuid)), 'not_found')
  })
})
