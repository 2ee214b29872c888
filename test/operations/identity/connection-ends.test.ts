/** Ending a connection, and concurrent answers to an invitation. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openSession } from '../../../src/changes/identity/new-session.ts'
import { addMembership } from '../../../src/changes/identity/users.ts'
import { sql } from '../../../src/database/sql.ts'
import { connectionsClient } from '../../support/identity/connections-client.ts'
import { buyerProfile, setProfile, withProfiles } from '../../support/identity/profiles.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import {
  aDraft,
  exampleLine,
  aPair,
  anInvoice,
  anOrganization,
  move,
} from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'
import { openTestConnection } from '../../support/database/test-connection.ts'

const running = await startTestService()

const { invite, changeConnection, read, createInvitation } = connectionsClient(running)

describe('an ended connection', () => {
  test('an ended connection refuses new documents and issues, but issued documents continue', async () => {
    const pair = await aPair(running)
    const { issuer, counterparty, connection } = pair
    const draft = await aDraft(running, pair)
    const invoice = await anInvoice(running, pair)
    assert.equal((await changeConnection(counterparty, connection, 'end')).body.status, 'ended')

    const body = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
    const issuing = `/v1/documents/${draft.id}/issue`
    for (const [path, content] of [
      ['/v1/documents', body],
      [issuing, undefined],
    ] as const) {
      const reply = await callApi(running, 'POST', path, { key: issuer.key, body: content })
      assert.equal(assertRefused(reply, 'conflict').reason, 'connection_not_active')
    }
    assert.equal((await move(running, issuer.key, draft.id, 'cancelled')).status, 200)
    const approved = await move(running, counterparty.key, invoice.id, 'approved')
    assert.equal(approved.body.status, 'approved')
  })

  test('a draft shows nothing of the other side that is newer than the end', async () => {
    const pair = await withProfiles(running, await aPair(running))
    const { issuer, counterparty, connection } = pair
    const { id } = await aDraft(running, pair)
    const profileShown = async () => {
      const path = `/v1/documents/${id}/render?format=json`
      const { body } = await callApi(running, 'GET', path, { key: issuer.key })
      return body.counterparty.profile
    }
    assert.equal((await profileShown()).legal_name, buyerProfile.legal_name)
    await changeConnection(counterparty, connection, 'end')
    await setProfile(running, counterparty, { legal_name: 'New Name', vat_id: null })
    const { legal_name, vat_id, address, bank } = await profileShown()
    assert.deepEqual([legal_name, vat_id, address, bank], [null, null, null, null])
  })

  test('every document created concurrently with the end of its connection predates that end', async () => {
    const { issuer, counterparty, connection } = await aPair(running)
    const body = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
    const create = () => callApi(running, 'POST', '/v1/documents', { key: issuer.key, body })
    const before = await create()
    assert.equal(before.status, 201)
    const racing = Array.from({ length: 30 }, create)
    const ended = await changeConnection(counterparty, connection, 'end')
    const afterwards = await create()
    assert.equal(assertRefused(afterwards, 'conflict').reason, 'connection_not_active')
    const created = (await Promise.all(racing)).filter(({ status }) => status === 201)
    for (const { body: document } of created) {
      assert(document.created_at <= ended.body.updated_at, 'created before the end')
    }
  })
})

describe('races', () => {
  const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status).toSorted()

  test('exactly one of several concurrent accepts and declines on two processes succeeds', async () => {
    const other = await running.startAnother()
    for (let round = 0; round < 8; round += 1) {
      const { inviter, invitee, id } = await createInvitation()
      const replies = await Promise.all(
        ['accept', 'decline', 'accept', 'decline'].map((verb, i) =>
          callApi(i < 2 ? running : other, 'POST', `/v1/connections/${id}/${verb}`, {
            key: invitee.session,
          }),
        ),
      )
      assert.deepEqual(statuses(replies), [200, 409, 409, 409])
      const [winner] = replies.filter(({ status }) => status === 200)
      assert.equal((await read(inviter, id)).body.status, winner!.body.status)
    }
  })

  test('two organizations that invite each other concurrently get one connection', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [one, other] = [await anOrganization(running), await anOrganization(running)]
      const replies = await Promise.all([
        invite(one, { organization_id: other.id }),
        invite(other, { organization_id: one.id }),
      ])
      assert.deepEqual(statuses(replies), [201, 409])
    }
  })

  test('an invitation by e-mail can be accepted for one organization only', async () => {
    const inviter = await anOrganization(running)
    const person = await anOrganization(running)
    const second = await anOrganization(running)
    await addMembership(running.database, {
      user: person.userId,
      organization: second.uuid,
      role: 'owner',
    })
    const newSession = { user: person.userId, organization: second.uuid, mode: 'test' as const }
    const { token } = await openSession(running.database, newSession)
    const { id } = (await invite(inviter, { email: person.email })).body
    const replies = await Promise.all([
      changeConnection(person, id, 'accept'),
      changeConnection({ session: token }, id, 'accept'),
    ])
    assert.deepEqual(statuses(replies).slice(0, 1), [200])
    assert.notEqual(statuses(replies)[1], 200)
  })

  test('ending a connection waits for a lock on the organization’s counters', async () => {
    const { issuer, counterparty, connection } = await aPair(running)
    const holder = await openTestConnection(running.databaseUrl)
    await holder.script('begin')
    await holder.run(
      sql`select 1 from organization_counters where organization_id = ${issuer.uuid} for update`,
    )
    const ending = changeConnection(counterparty, connection, 'end')
    await until('the end waits for the counters', async () => {
      const waiting = await running.database.rows(sql`
        select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%organization_counters h%'`)
      return waiting.length > 0
    })
    await holder.script('rollback')
    await holder.close()
    assert.equal((await ending).body.status, 'ended')
  })

  test('accepting an invitation by e-mail locks the counters of both sides by their ids', async () => {
    const [invitee, inviter] = [await anOrganization(running), await anOrganization(running)]
    assert(invitee.uuid < inviter.uuid)
    const { id } = (await invite(inviter, { email: invitee.email })).body
    const holder = await openTestConnection(running.databaseUrl)
    const countersOf = (uuid: string) =>
      holder.rows(sql`
        select 1 from organization_counters where organization_id = ${uuid}
        for no key update skip locked`)
    await holder.script('begin')
    await countersOf(invitee.uuid)
    const accepting = changeConnection(invitee, id, 'accept')
    await until('the acceptance waits for the counters', async () => {
      const waiting = await running.database.rows(sql`
        select 1 from pg_stat_activity where wait_event_type = 'Lock'
          and query like '%organization_counters%' and datname = current_database()`)
      return waiting.length > 0
    })
    // A batch of the engine that has the first ones, and asks for the second ones, would never end.
    assert.equal((await countersOf(inviter.uuid)).length, 1)
    await holder.script('rollback')
    await holder.close()
    assert.equal((await accepting).body.status, 'active')
  })
})
