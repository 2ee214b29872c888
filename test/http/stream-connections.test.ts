/** Changes of connections in GET /v1/stream: both sides are told, by name alone (console 1.8). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { connectionChannel } from '../../src/store/identity/connection-changes.ts'
import { callApi } from '../support/api-client.ts'
import { aDraft, aPair, anOrganization } from '../support/fixtures.ts'
import { type OpenStream, openStream } from '../support/http/change-stream.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService()

const post = async (session: string, path: string, body: object = {}) => {
  const reply = await callApi(running, 'POST', path, { key: session, body })
  assert(reply.status < 300, reply.text)
  return reply.body
}

const isTold = (stream: OpenStream, type: string, id: string): Promise<void> =>
  until(type, () => stream.changes().some((one) => one.type === type && one.record === id))

test('an invitation and each move of it reach both sides, on every process, and nobody else', async () => {
  const writing = await running.startAnother()
  const [inviter, invitee, stranger] = [
    await anOrganization(running),
    await anOrganization(running),
    await anOrganization(running),
  ]
  const theirs = await openStream(running, invitee.key)
  const own = await openStream(writing, inviter.session)
  const other = await openStream(running, stranger.session)
  const { id } = await post(inviter.session, '/v1/connections', { organization_id: invitee.id })
  for (const each of [own, theirs]) await isTold(each, 'connection.invited', id)
  await post(invitee.session, `/v1/connections/${id}/accept`)
  for (const each of [own, theirs]) await isTold(each, 'connection.active', id)
  await post(inviter.session, `/v1/connections/${id}/end`)
  for (const each of [own, theirs]) await isTold(each, 'connection.ended', id)
  const again = await post(inviter.session, '/v1/connections', { organization_id: invitee.id })
  await post(invitee.session, `/v1/connections/${again.id}/decline`)
  for (const each of [own, theirs]) await isTold(each, 'connection.declined', again.id)
  assert(own.changes().every(({ object }) => object === 'connection'))
  assert.deepEqual(other.changes(), [])
  for (const each of [own, theirs, other]) each.close()
})

test('an invitation by e-mail reaches the person, and no key of the organization', async () => {
  const [inviter, invitee] = [await anOrganization(running), await anOrganization(running)]
  const person = await openStream(running, invitee.session)
  const program = await openStream(running, invitee.key)
  const { id } = await post(inviter.session, '/v1/connections', { email: invitee.email })
  await isTold(person, 'connection.invited', id)
  await post(inviter.session, `/v1/connections/${id}/end`)
  await isTold(person, 'connection.ended', id)
  assert.deepEqual(program.changes(), [])
  const second = await post(inviter.session, '/v1/connections', { email: invitee.email })
  await post(invitee.session, `/v1/connections/${second.id}/accept`)
  for (const each of [person, program]) await isTold(each, 'connection.active', second.id)
  for (const each of [person, program]) each.close()
})

test('an invitation to a sandbox is not told to the same person in a live organization', async () => {
  const [inviter, live] = [
    await anOrganization(running),
    await anOrganization(running, { mode: 'live' }),
  ]
  const stream = await openStream(running, live.session)
  await post(inviter.session, '/v1/connections', { email: live.email })
  const partner = await anOrganization(running, { mode: 'live' })
  const { id } = await post(live.session, '/v1/connections', { organization_id: partner.id })
  await isTold(stream, 'connection.invited', id)
  assert.equal(stream.changes().length, 1)
  stream.close()
})

test('a move that is refused tells nothing', async () => {
  const { issuer, counterparty, connection } = await aPair(running)
  const stream = await openStream(running, counterparty.key)
  const end = `/v1/connections/${connection}/end`
  const accept = `/v1/connections/${connection}/accept`
  const refused = await callApi(running, 'POST', accept, { key: issuer.session, body: {} })
  assert.equal(refused.status, 409, refused.text)
  await post(issuer.session, end)
  await isTold(stream, 'connection.ended', connection)
  assert.equal(stream.changes().length, 1)
  stream.close()
})

test('the id to resume from is that of the newest change of a document', async () => {
  const pair = await aPair(running)
  const first = await openStream(running, pair.issuer.key)
  await aDraft(running, pair)
  await until('the draft', () => first.changes().length > 0)
  await post(pair.issuer.session, `/v1/connections/${pair.connection}/end`)
  await isTold(first, 'connection.ended', pair.connection)
  const [created, ended] = [first.changes().at(-2)!, first.changes().at(-1)!]
  assert.equal(ended.id, created.id)
  first.close()
  const second = await openStream(running, pair.issuer.key, ended.id)
  const { id } = await post(pair.issuer.session, '/v1/connections', {
    organization_id: pair.counterparty.id,
  })
  await isTold(second, 'connection.invited', id)
  assert.equal(second.changes().length, 1, 'nothing is repeated')
  second.close()
})

test('a notification that makes no sense, from a hand in the database, ends no stream', async () => {
  const { issuer, connection } = await aPair(running)
  const stream = await openStream(running, issuer.key)
  for (const payload of ['null', '{}', '{"organizations":[1]}', '{"organizations":{}}'])
    await running.database.run(sql`select pg_notify(${connectionChannel}, ${payload})`)
  await post(issuer.session, `/v1/connections/${connection}/end`)
  await isTold(stream, 'connection.ended', connection)
  assert.equal(stream.changes().length, 1)
  stream.close()
})

test('when the connection that listens is lost, every reader is told to load everything again', async () => {
  const { issuer, connection } = await aPair(running)
  const stream = await openStream(running, issuer.key)
  await running.database.run(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = ${`docex listen ${connectionChannel}`}`)
  await until('it is told', () => stream.changes().some(({ type }) => type === 'resync'))
  await post(issuer.session, `/v1/connections/${connection}/end`)
  await isTold(stream, 'connection.ended', connection)
  stream.close()
})
