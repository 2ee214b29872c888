/** The sessions of a person in the console: of a browser that waits, and of programs. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { accessibilityViolations, missingBrowser } from '../support/console/browser.ts'
import { picture } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { ageSignIns, expireBrowserTokens } from '../support/console/session-rows.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, get } = started

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
    await page.getByText(/^It tries again in \d+ minutes\.$/).waitFor()
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

  test('console 2.4: a token for the command line is made, shown once, used and ended', async () => {
    await ageSignIns(started)
    await page.goto(at('/sessions'))
    await page.getByRole('button', { name: 'New CLI token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Practice Organization').waitFor()
    await dialog.getByRole('button', { name: 'Create token' }).click()
    // Whoever has only found the browser open gets none.
    await dialog.getByText('Confirm that it is you').waitFor()
    assert.equal(await dialog.getByText(/rs_test_/).count(), 0)
    assert.deepEqual(await accessibilityViolations(page), [])
    await picture(page, 'cli-token-dialog')
    await dialog.getByLabel('Your password').fill(practice.organization.admin.password)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByText('Thank you. Send it again now.').waitFor()
    await dialog.getByRole('button', { name: 'Create token' }).click()
    await dialog.getByText('It is not shown again').waitFor()
    const token = (await dialog.locator('pre').first().innerText()).trim()
    assert.deepEqual(await accessibilityViolations(page), [])
    const me = await get(token, '/v1/me')
    assert.equal(me.organization.id, practice.organization.id)
    assert.equal(me.user.email, practice.organization.admin.email)
    const { client, expires_at } = await get(token, '/auth/session')
    assert.equal(client, 'cli')
    assert(Date.parse(expires_at) <= Date.now() + limits.sessionLifetimeMs)
    await dialog.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('button', { name: /^End Token made in Chrome/ }).click()
    await dialog.getByRole('button', { name: 'End session' }).click()
    await page
      .getByText(/^Token made in Chrome.* is signed out\.$/)
      .first()
      .waitFor()
    assert.equal((await get(token, '/v1/me')).error.code, 'unauthorized')
    assert.equal(await page.getByText(token).count(), 0)
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
