/** RFC 9745 and 8594: what is deprecated says so in every response and in the docs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deprecationMinMonths } from '../../src/contract/deprecation.ts'
import { operations } from '../../src/operations/index.ts'
import { callApi } from '../support/api-client.ts'
import { anOrganization } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const deprecated = operations.find(({ id }) => id === 'idempotency.get')!
deprecated.deprecation = {
  since: '2027-01-31',
  sunset: '2028-02-01',
  advice: 'Use `GET /v1/requests/{request_id}`.',
}

const running = await startTestService()
const { key } = await anOrganization(running)
const get = (path: string) => callApi(running, 'GET', path, { key })

test('responses name the days and the docs, refusals too; those of other operations do not', async () => {
  for (const reply of [
    await get('/v1/idempotency/key-without-a-write'),
    await callApi(running, 'GET', '/v1/idempotency/key-without-a-write'),
    await get('/v1/idempotency/key-without-a-write?x=1'),
  ]) {
    assert.equal(reply.headers.get('deprecation'), `@${Date.UTC(2027, 0, 31) / 1000}`)
    assert.equal(reply.headers.get('sunset'), 'Tue, 01 Feb 2028 00:00:00 GMT')
    const link = reply.headers.get('link')!
    const [, url = ''] = /^<([^>]+)>; rel="deprecation"; type="text\/html"/.exec(link) ?? []
    const page = await fetch(url, { headers: { accept: 'text/html' } })
    assert.equal(page.status, 200, link)
    const anchor = new URL(url).hash.slice(1)
    assert((await page.text()).includes(`id="${anchor}"`), `${url} has the anchor`)
  }
  const other = await get('/v1/me')
  for (const name of ['deprecation', 'sunset', 'link']) assert.equal(other.headers.get(name), null)
})

test('the OpenAPI document and the docs say what to use instead', async () => {
  const { paths } = (await get('/v1/openapi.json')).body
  const { get: operation } = paths['/v1/idempotency/{key}']
  assert.equal(operation.deprecated, true)
  assert.match(operation.description, /\*\*Deprecated\*\* since 2027-01-31; .* Use `GET/)
  assert.equal(paths['/v1/me'].get.deprecated, undefined)
  assert.match((await get('/v1/docs.md')).text, /Deprecated\*\* since 2027-01-31/)
})

test(`whatever is deprecated works for at least ${deprecationMinMonths} months`, () => {
  for (const { id, deprecation } of operations) {
    if (deprecation === undefined) continue
    const earliest = new Date(deprecation.since)
    earliest.setUTCMonth(earliest.getUTCMonth() + deprecationMinMonths)
    assert(new Date(deprecation.sunset) >= earliest, id)
  }
})
