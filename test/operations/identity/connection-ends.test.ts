/** Ending a connection, and answers that come at the same moment. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openSession } from '../../../src/changes/identity/sessions.ts'
import { addMembership } from '../../../src/changes/identity/users.ts'
import { Connection, sql } from '../../../src/database/sql.ts'
import { connectionsClient } from '../../support/identity/connections-client.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import {
  type Reply,
  aDraft,
  exampleLine,
  aPair,
  anInvoice,
  anOrganization,
  callApi,
  move,
  startTestService,
  until,
} from '../../support/service.ts'

const running = await startTestService()

const { invite, answer, read, invitation } = connectionsClient(running)

describe('an ended connection', () => {
  test('takes no new document, issues no draft; what both have seen runs on', async () => {
    const pair = await aPair(running)
    const { issuer, counterparty, connection } = pair
    const draft = await aDraft(running, pair)
    const invoice = await anInvoice(running, pair)
    assert.equal((await answer(counterparty, connection, 'end')).body.status, 'ended')

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

  test('nothing slips in: of documents created meanwhile, all were before the end', async () => {
    const { issuer, counterparty, connection } = await aPair(running)
    const body = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
    const create = () => callApi(running, 'POST', '/v1/documents', { key: issuer.key, body })
    const before = await create()
    assert.equal(before.status, 201)
    const racing = Array.from({ length: 30 }, create)
    const ended = await answer(counterparty, connection, 'end')
    const afterwards = await create()
    assert.equal(assertRefused(afterwards, 'conflict').reason, 'connection_not_active')
    const made = (await Promise.all(racing)).filter(({ status }) => status === 201)
    for (const { body: document } of made) {
      assert(document.created_at <= ended.body.updated_at, 'created before the end')
    }
  })
})

describe('races', () => {
  const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status).toSorted()

  test('accept and decline at once: exactly one of them happens, on two processes as well', async () => {
    const other = await running.startAnother()
    for (let round = 0; round < 8; round += 1) {
      const { inviter, invitee, id } = await invitation()
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

  test('two organizations that invite each other at once get one connection', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [one, other] = [await anOrganization(running), await anOrganization(running)]
      const replies = await Promise.all([
        invite(one, { organization_id: other.id }),
        invite(other, { organization_id: one.id }),
      ])
      assert.deepEqual(statuses(replies), [201, 409])
    }
  })

  test('an invitation by e-mail is accepted for one organization only', async () => {
    const inviter = await anOrganization(running)
    const person = await anOrganization(running)
    const second = await anOrganization(running)
    await addMembership(running.database, {
      user: person.userId,
      organization: second.uuid,
      role: 'owner',
    })
    const opened = { user: person.userId, organization: second.uuid, mode: 'test' as const }
    const { token } = await openSession(running.database, opened)
    const { id } = (await invite(inviter, { email: person.email })).body
    const replies = await Promise.all([
      answer(person, id, 'accept'),
      answer({ session: token }, id, 'accept'),
    ])
    assert.deepEqual(statuses(replies).slice(0, 1), [200])
    assert.notEqual(statuses(replies)[1], 200)
  })

  test('an end waits for whoever holds the heads, as documents do', async () => {
    const { issuer, counterparty, connection } = await aPair(running)
    const holder = await Connection.open(running.databaseUrl, 'docex test')
    await holder.script('begin')
    await holder.run(
      sql`select 1 from organization_counters where organization_id = ${issuer.uuid} for update`,
    )
    const ending = answer(counterparty, connection, 'end')
    await until('the end waits for the head', async () => {
      const waiting = await running.database.rows(sql`
        select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%organization_counters h%'`)
      return waiting.length > 0
    })
    await holder.script('rollback')
    await holder.close()
    assert.equal((await ending).body.status, 'ended')
  })
})
