/** How a page learns of changes (console 1.8), where the line does not say that it is dead. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong, watchedPage } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, practice, at, signIn, issueBill } = started

/** After so long without a byte, though the service sends some every 25 seconds. */
const silenceMostMs = 60_000

describe('the stream of changes', { skip: skipsLong ?? false }, () => {
  test('console 1.8: one that is silent for a minute is opened again, and nothing is missed', async () => {
    const context = await browser.newContext()
    const { page, complaints } = await watchedPage(context, baseUrl)
    await page.clock.install()
    const streams: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/stream')) streams.push(request.url())
    })
    await signIn(page, practice.organization.admin)
    await page.goto(at('/documents?view=received'))
    await page.getByRole('heading', { name: 'Documents' }).waitFor()
    await until('it is open', () => streams.length > 0)
    const before = streams.length
    await until('it is opened again', async () => {
      await page.clock.fastForward(silenceMostMs)
      return streams.length > before
    })
    await issueBill('Silent boards')
    await page
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .waitFor()
    assert.deepEqual(complaints, [])
    await context.close()
  })
})
