/** What belongs to a person: saved views and preferences (contract 12). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openSession } from '../../../src/changes/identity/new-session.ts'
import { addMembership } from '../../../src/changes/identity/users.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { anOrganization } from '../../support/fixtures.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { aMemberSession } from '../../support/http/example-calls.ts'
import { defaultPreferences } from '../../support/identity/default-preferences.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()

const view = { name: 'To pay', list: 'documents', query: 'direction=received&status=approved' }

const send = (key: string, method: string, path: string, body?: object): Promise<Reply> =>
  callApi(running, method, `/v1${path}`, { key, ...(body === undefined ? {} : { body }) })

const namesOf = async (key: string): Promise<string[]> =>
  (await send(key, 'GET', '/saved_views')).body.data.map(({ name }: { name: string }) => name)

describe('contract 12: saved views', () => {
  test('a view is saved, changed and deleted', async () => {
    const { session } = await anOrganization(running)
    const saved = await send(session, 'POST', '/saved_views', view)
    assert.equal(saved.status, 201, saved.text)
    const { id, created_at } = saved.body
    assert.deepEqual(saved.body, { id, ...view, created_at, updated_at: created_at })
    const renamed = await send(session, 'PATCH', `/saved_views/${id}`, { name: 'Due' })
    assert.deepEqual([renamed.body.name, renamed.body.query], ['Due', view.query])
    const same = await send(session, 'PATCH', `/saved_views/${id}`, { name: 'Due' })
    assert.equal(same.body.updated_at, renamed.body.updated_at, 'nothing changed')
    const deleted = await send(session, 'DELETE', `/saved_views/${id}`)
    assert.deepEqual([deleted.status, deleted.body.name], [200, 'Due'])
    assertRefused(await send(session, 'DELETE', `/saved_views/${id}`), 'not_found')
    assert.deepEqual(await namesOf(session), [])
  })

  test('a view belongs to one person in one organization', async () => {
    const { database } = running
    const mine = await anOrganization(running)
    const other = await anOrganization(running)
    const { id } = (await send(mine.session, 'POST', '/saved_views', view)).body
    const colleague = await aMemberSession(running, mine)
    const user = mine.userId
    await addMembership(database, { user, organization: other.uuid, role: 'member' })
    const elsewhere = await openSession(database, { user, organization: other.uuid, mode: 'test' })
    for (const session of [colleague, elsewhere.token]) {
      assert.deepEqual(await namesOf(session), [])
      assertRefused(await send(session, 'PATCH', `/saved_views/${id}`, { name: 'x' }), 'not_found')
      assertRefused(await send(session, 'DELETE', `/saved_views/${id}`), 'not_found')
    }
    assert.deepEqual(await namesOf(mine.session), ['To pay'])
  })

  test('a person keeps at most 100 for an organization, even concurrently', async () => {
    const { session } = await anOrganization(running)
    const save = () => send(session, 'POST', '/saved_views', view)
    for (let i = 0; i < 98; i += 1) assert.equal((await save()).status, 201)
    const last = await Promise.all([1, 2, 3, 4, 5].map(save))
    assert.equal(last.filter(({ status }) => status === 201).length, 2)
    assertProblems(await save(), '/name out_of_range')
  })

  test('an unknown list and a name of two lines are refused', async () => {
    const { session } = await anOrganization(running)
    const invalid = { name: 'a\nb', list: 'invoices', query: 'x'.repeat(2_001) }
    assertProblems(
      await send(session, 'POST', '/saved_views', invalid),
      '/name invalid_value',
      '/list invalid_value',
      '/query too_long',
    )
  })
})

describe('contract 12: preferences', () => {
  const { first_steps, notices } = defaultPreferences

  test('they begin with the defaults, and keep what a change leaves out', async () => {
    const { session } = await anOrganization(running)
    assert.deepEqual((await send(session, 'GET', '/preferences')).body, defaultPreferences)
    await send(session, 'PATCH', '/preferences', { theme: 'dark' })
    const changed = await send(session, 'PATCH', '/preferences', { time_zone: 'Europe/Berlin' })
    const { updated_at, ...choices } = changed.body
    const expected = { theme: 'dark', density: 'comfortable', time_zone: 'Europe/Berlin' }
    assert.deepEqual(choices, { ...expected, notices, first_steps })
    assert.match(updated_at, /Z$/)
    assert.deepEqual((await send(session, 'GET', '/preferences')).body, changed.body)
    const same = await send(session, 'PATCH', '/preferences', {})
    assert.equal(same.body.updated_at, updated_at)
  })

  test('they are those of the person, in every organization', async () => {
    const { database } = running
    const first = await anOrganization(running)
    const second = await anOrganization(running)
    const user = first.userId
    await addMembership(database, { user, organization: second.uuid, role: 'member' })
    const { token } = await openSession(database, { user, organization: second.uuid, mode: 'test' })
    await send(first.session, 'PATCH', '/preferences', { density: 'compact' })
    assert.equal((await send(token, 'GET', '/preferences')).body.density, 'compact')
    assert.deepEqual((await send(second.session, 'GET', '/preferences')).body, defaultPreferences)
  })

  test('a notice that is switched off leaves the others as they are', async () => {
    const { session } = await anOrganization(running)
    const choose = (choice: object) => send(session, 'PATCH', '/preferences', { notices: choice })
    await choose({ payment_failed: false })
    const { body } = await choose({ key_expiring: false })
    assert.deepEqual(body.notices, { ...notices, payment_failed: false, key_expiring: false })
    const unknown = await choose({ newsletter: true, payment_failed: 'no' })
    assertProblems(
      unknown,
      '/notices/newsletter unknown_field',
      '/notices/payment_failed wrong_type',
    )
  })

  test('a first step that is marked leaves the other as it is', async () => {
    const { session } = await anOrganization(running)
    const mark = (choice: object) => send(session, 'PATCH', '/preferences', { first_steps: choice })
    await mark({ proof_verified: true })
    const { body } = await mark({ signature_verified: true })
    assert.deepEqual(body.first_steps, { signature_verified: true, proof_verified: true })
    const invalid = await mark({ tour: true, proof_verified: 'yes' })
    assertProblems(
      invalid,
      '/first_steps/tour unknown_field',
      '/first_steps/proof_verified wrong_type',
    )
  })

  test('a time zone that does not exist is refused', async () => {
    const { session } = await anOrganization(running)
    const refused = await send(session, 'PATCH', '/preferences', { time_zone: 'Europe/Bonn' })
    assertProblems(refused, '/time_zone invalid_value')
  })
})
