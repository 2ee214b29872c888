/** Views of a list: its filters, saved by a name (console 5.11). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, at } = started

describe('saved views', { skip: skipsLong ?? false }, () => {
  test('every list with filters keeps views by name', async () => {
    for (const [path, name] of [
      ['/payments?direction=incoming', 'What came in'],
      ['/events?type=document.created', 'New documents'],
      ['/requests?status=404', 'Not found'],
    ] as const) {
      await page.goto(at(path))
      await page.getByRole('button', { name: 'Save this view' }).click()
      await page.getByLabel('Name').fill(name)
      await page.getByRole('button', { name: 'Save view' }).click()
      await page.getByText(`“${name}” is saved.`).first().waitFor()
      await page.goto(at(path.slice(0, path.indexOf('?'))))
      await page.getByRole('link', { name }).click()
      await page.waitForURL((url) => String(url).endsWith(path))
    }
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
