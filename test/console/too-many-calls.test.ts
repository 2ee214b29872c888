/** A service that refuses too many calls more than once (console 5.18). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { skipsLong, watchedPage } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, practice, at, signIn, restart } = started

describe('too many calls', { skip: skipsLong ?? false }, () => {
  test('console 5.18: a second refusal is counted down as the first, and then it is read', async () => {
    const { page, complaints } = await watchedPage(await browser.newContext(), baseUrl)
    await page.clock.install()
    await signIn(page, practice.organization.admin)
    await page.goto(at('/keys'))
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    await restart({ RATE_LIMITS: 'sec=1000,min=10000,org_sec=1000,org_min=1' })
    const key = practice.organization.api_key
    await until('there is no room', async () => {
      return (await callApi({ baseUrl }, 'GET', '/v1/me', { key })).status === 429
    })
    let refusals = 0
    page.on('response', (response) => {
      const isList = new URL(response.url()).pathname === '/v1/webhooks'
      if (isList && response.status() === 429) refusals += 1
    })
    await page.getByRole('link', { name: 'Webhooks' }).click()
    const countdown = page.getByRole('main').getByText(/^The service takes more in \d+ seconds\.$/)
    await countdown.first().waitFor()
    // The minute of the browser is over before that of the service.
    const before = refusals
    await page.clock.runFor(65_000)
    await until('it is refused again', () => refusals > before)
    await countdown.first().waitFor()
    await restart({})
    await page.clock.runFor(65_000)
    await page.getByText('No endpoints').first().waitFor()
    assert.deepEqual(complaints, [])
  })
})
