/** Console 2.3: how sign-in links are delivered. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../../src/config.ts'
import { callApi } from '../../support/api-client.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { startNoticeService } from '../../support/notices/notice-service.ts'
import { startTestService } from '../../support/test-service.ts'

const { running } = await startNoticeService()
const silent = await startTestService()

const methodOf = (env: Record<string, string>) => readConfig(env).magicLink
const smtp = { SMTP_URL: 'smtp://mail.example', SMTP_FROM: 'notices@docs.example' }

test('through the mail server; on the machine of a developer it is printed; else not at all', () => {
  assert.equal(methodOf(smtp), 'smtp')
  assert.equal(methodOf({}), 'console')
  assert.equal(methodOf({ DEV_MAIL: 'off' }), null)
  assert.equal(methodOf({ BASE_URL: 'https://docs.example' }), null)
  assert.equal(methodOf({ TRUSTED_PROXIES: '10.0.0.1' }), null)
})

test('a deployment that others reach refuses to print links', () => {
  assert.throws(() => methodOf({ DEV_MAIL: 'console', BASE_URL: 'https://docs.example' }), {
    message: /^DEV_MAIL=console cannot be used: only where BASE_URL is this machine/,
  })
})

test('GET /auth/methods says which; without one, asking is refused', async () => {
  const methods = async (at: typeof silent) =>
    (await callApi(at, 'GET', '/auth/methods')).body.magic_link
  assert.deepEqual([await methods(running), await methods(silent)], ['smtp', null])
  const body = { email: 'nobody@example.com' }
  const reply = await callApi(silent, 'POST', '/auth/links', { body })
  assertRefused(reply, 'conflict', 'method_unavailable')
})
