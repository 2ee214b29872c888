/** Contract 12: a request of the log, with the reason for which it was refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loggedProblemsMax } from '../../../src/contract/shapes/request-log.ts'
import { newId } from '../../../src/database/new-ids.ts'
import { encodeId } from '../../../src/core/ids.ts'
import { callApi } from '../../support/api-client.ts'
import { anOrganization } from '../../support/fixtures.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { loggedRequestPath } from '../../support/http/logged-requests.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const [owner, stranger] = [await anOrganization(running), await anOrganization(running)]

const read = async (path: string, key = owner.session) => callApi(running, 'GET', path, { key })

test('a refused request shows its code, its message and its problems', async () => {
  const body = { connection_id: 'con_x', document_type: 'bill', line_items: [] }
  const refused = await callApi(running, 'POST', '/v1/documents', { key: owner.key, body })
  const { code, message, details, request_id } = refused.body.error
  const logged = (await read(await loggedRequestPath(running, owner, refused))).body
  assert.deepEqual(logged.error, { code, message, problems: details.errors })
  assert.deepEqual([logged.id, logged.status, logged.path], [request_id, 400, '/v1/documents'])
})

test('of very many problems the first are kept', async () => {
  const body = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`field_${i}`, i]))
  const refused = await callApi(running, 'POST', '/v1/documents', { key: owner.key, body })
  const { error } = (await read(await loggedRequestPath(running, owner, refused))).body
  const first = refused.body.error.details.errors.slice(0, loggedProblemsMax)
  assert.deepEqual(error.problems, first)
})

test('a word of a refusal that no JSON of PostgreSQL may have ends no other statement', async () => {
  const refused = await callApi(running, 'GET', '/v1/documents/doc_%00', { key: owner.key })
  assertRefused(refused, 'not_found')
  const path = await loggedRequestPath(running, owner, refused)
  assert.equal((await read(path)).body.error.code, 'not_found')
  const today = new Date().toISOString().slice(0, 10)
  const counted = await read(
    `/v1/statistics?metric=requests&interval=day&from=${today}&to=${today}`,
  )
  assert.equal(counted.status, 200, counted.text)
  const found = await read('/v1/requests?error_code=not_found&path=/v1/documents/*')
  assert(path.endsWith(found.body.data[0].id), found.text)
})

test('a filter that no text of PostgreSQL is equal to is refused by its name', async () => {
  for (const [name, text] of [
    ['path', '%00'],
    ['path', '/v1/me%00*'],
    ['error_code', 'not_found,x%00'],
  ]) {
    const refused = await read(`/v1/requests?${name}=${text}`)
    assertProblems(refused, `${name} invalid_value`)
  }
})

test('a request that succeeded has no error; a credential in an error is masked', async () => {
  const me = await callApi(running, 'GET', '/v1/me', { key: owner.key })
  assert.equal((await read(await loggedRequestPath(running, owner, me))).body.error, null)
  const query = `/v1/documents?direction=${owner.key}`
  const refused = await callApi(running, 'GET', query, { key: owner.key })
  const logged = await read(await loggedRequestPath(running, owner, refused))
  assert.equal(logged.body.error.code, 'invalid_request')
  assert(!logged.text.includes(owner.key.slice(20)))
})

test('issue 17: a refusal links to its entry; what succeeds, or is in no log, does not', async () => {
  const refused = await read('/v1/documents?status=paied', owner.key)
  const link = refused.headers.get('link')
  const path = await loggedRequestPath(running, owner, refused)
  assert.equal(link, `<${path}>; rel="about"`)
  assert.equal((await read(path)).body.error.message, refused.body.error.message)
  for (const reply of [
    await read('/v1/documents', owner.key),
    await callApi(running, 'GET', '/v1/documents'),
    await callApi(running, 'POST', '/mcp', { key: owner.key, raw: '{' }),
  ]) {
    assert.equal(reply.headers.get('link'), null, reply.text)
  }
})

test('it is 404 for another organization and for an unknown id, and only for admins', async () => {
  const me = await callApi(running, 'GET', '/v1/me', { key: owner.key })
  const path = await loggedRequestPath(running, owner, me)
  const unknown = await read(`/v1/requests/${encodeId('req', newId())}`)
  for (const reply of [await read(path, stranger.session), unknown, await read('/v1/requests/x')]) {
    assertRefused(reply, 'not_found')
  }
  assertRefused(await read(path, owner.key), 'insufficient_scope')
})

test('contract 1: a code that no error has is refused, and the one that was meant is named', async () => {
  const refused = await read('/v1/requests?error_code=conflict,not_fond')
  assertProblems(refused, 'error_code invalid_value')
  assert.match(refused.body.error.details.errors[0].fix, /^did you mean not_found\?/)
  assertProblems(await read('/v1/requests?error_code='), 'error_code invalid_value')
})
