/** The quotas of an organization, and a sandbox that begins again (console 1.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { allAppearances, picture, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, get, issueBill } = started
const ours = practice?.organization.api_key

describe('a sandbox in the settings', { skip: skipsLong ?? false }, () => {
  test('each quota says how much of it is used', async () => {
    const { quotas } = (await get(ours, '/v1/me')).limits
    await page.goto(at('/settings'))
    const region = page.getByRole('region', { name: 'Quotas' })
    await region.getByText('Stored documents').waitFor()
    const shown = await region.innerText()
    assert(quotas.length > 0)
    for (const { limit } of quotas) assert(shown.includes(`of ${limit.toLocaleString('en-US')}`))
  })

  test('a reset is asked about, takes the documents and keeps the session', async () => {
    const bill = await issueBill('Oak boards')
    await page.goto(at('/settings'))
    await page.getByRole('button', { name: 'Reset the sandbox…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Type “reset”').press('Enter')
    await dialog.getByText('Type reset first.').waitFor()
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
    }
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await picture(page, 'sandbox-reset')
    assert.equal((await get(ours, `/v1/documents/${bill}`)).id, bill)
    await dialog.getByLabel('Type “reset”').fill('reset')
    await page.keyboard.press('Enter')
    await page.getByText('The sandbox is reset').first().waitFor()
    assert.equal((await get(ours, `/v1/documents/${bill}`)).error.code, 'not_found')
    await page.getByRole('link', { name: 'Documents', exact: true }).click()
    await page.getByRole('link', { name: 'BILL-000001' }).waitFor()
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
