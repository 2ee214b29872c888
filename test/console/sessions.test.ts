/** The sessions of a person in the console: of a browser that waits, and of programs. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { accessibilityViolations, missingBrowser } from '../support/console/browser.ts'
import { picture } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { expireBrowserTokens } from '../support/console/session-rows.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, at } = started

/** Whatever the page has got already, the service then gives it no further token. */
const takeAllTokens = `(async () => {
  const headers = { 'content-type': 'application/json' }
  const refresh = () =>
    fetch('/auth/sessions/refresh', { method: 'POST', headers, body: '{}' })
  for (let taken = 0; taken <= ${limits.browserTokensMax}; taken += 1)
    if ((await refresh()).status === 429) return 429
})()`

describe('sessions in the console', { skip: missingBrowser ?? false }, () => {
  test('console 1.2: a reload that gets no token waits with the reason, and goes on where it was', async () => {
    await page.clock.install()
    assert.equal(await page.evaluate(takeAllTokens), 429)
    const address = at('/payments?status=failed')
    await page.goto(address)
    await page.getByRole('heading', { name: 'You are still signed in' }).waitFor()
    await page.getByText(/has too many tokens at the same time/).waitFor()
    await page.getByText(/^It asks again in \d+ minutes\.$/).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await picture(page, 'session-delayed')
    const asked = page.waitForResponse((response) => response.status() === 429)
    await page.getByRole('button', { name: 'Try again' }).click()
    await asked
    await expireBrowserTokens(started)
    await page.clock.fastForward(limits.browserTokenLifetimeMs)
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
    assert.equal(page.url(), address)
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
