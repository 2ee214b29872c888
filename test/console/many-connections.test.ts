/** A new document goes to whoever is connected, however many others are invited. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, page, complaints, practice, post } = started

/** As many as the console reads of a list. */
const readMost = 1_000
const atOnce = 5

describe('a new document among many connections', { skip: skipsLong ?? false }, () => {
  test('those who are only invited hide nobody who is connected', async () => {
    const { id, admin_session_token: session } = practice.live
    for (let i = 0; i < readMost; i += atOnce)
      await Promise.all(
        Array.from({ length: atOnce }, (_, k) =>
          post(session, '/v1/connections', { email: `partner-${i + k}@example.com` }),
        ),
      )
    await page.goto(`${baseUrl}/app/o/${id}/documents/new`)
    const chosen = () =>
      page.evaluate<string | undefined>(`[...document.querySelectorAll('label')].find(
        (label) => label.innerText === 'Connection')?.control.selectedOptions[0]?.text`)
    await until('somebody is chosen', async () => (await chosen()) !== undefined)
    assert.equal(await chosen(), 'Practice Live Counterparty')
    assert.deepEqual(complaints, [])
  })

  test('⌘K finds the oldest of them by its name, once all are asked for', async () => {
    await page.goto(`${baseUrl}/app/o/${practice.live.id}/connections`)
    await page.getByRole('heading', { name: 'Connections' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('live counterp')
    const found = page.getByRole('option', { name: 'Practice Live Counterparty' })
    await page.getByRole('option', { name: 'Search all connections' }).waitFor()
    assert.equal(await found.count(), 0)
    await page.getByRole('option', { name: 'Search all connections' }).click()
    await found.waitFor()
    await found.click()
    await page.waitForURL(new RegExp(`connection=${practice.live.connection_id}`))
  })
})
