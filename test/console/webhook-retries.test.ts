/** An endpoint whose deliveries wait to be retried is shown to fail, before they fail for good. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'
import { localReceiverSettings, respondWith, startReceiver } from '../support/webhooks/receiver.ts'

const settings = { ...localReceiverSettings, WEBHOOK_RETRY_SCHEDULE: '1h,1h,1h,1h,1h' }
const started = skipsLong === undefined ? await startConsole(settings) : ({} as RunningConsole)
const { page, practice, at, get, post, issueBill, openSession } = started

describe('a failing endpoint in the console', { skip: skipsLong ?? false }, async () => {
  const receiver = await startReceiver()

  test('console 5.12: what waits to be retried is counted, in the list and on the page', async () => {
    receiver.respond = respondWith(500)
    const session = await openSession(practice.organization.admin)
    const { id } = await post(session, '/v1/webhooks', { url: receiver.url })
    await page.goto(at('/webhooks'))
    await page.getByText('No deliveries').waitFor()
    await issueBill('Oak boards')
    const retrying = `/v1/webhooks/${id}/deliveries?status=retrying`
    await until('both wait', async () => (await get(session, retrying)).data.length === 2)
    await page.goto(at('/webhooks'))
    await page.getByText('2 waiting to be retried').waitFor()
    await page.getByText('No success in 2 attempts').waitFor()
    assert.equal(await page.getByText('No deliveries').count(), 0)
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('link', { name: receiver.url }).click()
    await page.getByRole('heading', { name: receiver.url }).waitFor()
    await page.getByText('2 waiting to be retried').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
  })
})
