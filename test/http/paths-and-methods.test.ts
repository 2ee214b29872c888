/** Paths that do not exist, and HEAD. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLive } from '../../src/docs/operation-facts.ts'
import { operations } from '../../src/operations/index.ts'
import { callApi } from '../support/api-client.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { assertRefused } from '../support/http/error-responses.ts'

const { running, issuer } = await startTradingPair()

test('an unknown path outside of /v1 is public, so it needs no credentials', async () => {
  for (const path of ['/favicon.ico', '/robots.txt', '/auth/nothing', '/v1x', '//v1/me']) {
    assertRefused(await callApi(running, 'GET', path), 'not_found')
  }
})

const pages = ['/healthz', '/readyz', '/metrics']
const reads = operations.filter((one) => one.method === 'GET' && !isLive(one))
const readPaths = reads.map(({ path }) => path.replaceAll(/\{\w+\}/g, 'doc_unknown'))

test('HEAD answers what GET does, without the body', async () => {
  const { key } = issuer
  for (const path of [...readPaths, ...pages, '/v1/documents?limit=x']) {
    const [get, head] = [
      await callApi(running, 'GET', path, { key }),
      await callApi(running, 'HEAD', path, { key }),
    ]
    assert.deepEqual([head.status, head.text], [get.status, ''], path)
    assert.equal(head.headers.get('content-type'), get.headers.get('content-type'))
    assert.equal(head.headers.get('etag'), get.headers.get('etag'))
  }
  assert.equal((await callApi(running, 'HEAD', '/v1/me')).status, 401)
})
