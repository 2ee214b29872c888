/** The calendar of payments. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, missingBrowser } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { inDays } from '../support/dates.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, get, post, issueBill } = started

describe('the calendar of payments', { skip: missingBrowser ?? false }, () => {
  test('console 1.2: the calendar has what is scheduled and what is due, by day', async () => {
    const key = practice.organization.api_key
    const bill = await issueBill('Elm boards', 100)
    const { due_date: due } = await get(key, `/v1/documents/${bill}`)
    const cell = (day: string) => page.locator(`td:has(time[datetime="${day}"])`)
    await page.goto(at(`/payments?view=calendar&month=${due.slice(0, 7)}`))
    await cell(due).getByText('1,296.00').waitFor()
    const paid = inDays(3)
    await post(key, `/v1/documents/${bill}/transition`, { to: 'approved' })
    await post(key, `/v1/documents/${bill}/transition`, {
      to: 'payment_scheduled',
      scheduled_for: paid,
    })
    await cell(due).getByText('1,296.00').waitFor({ state: 'hidden' })
    await page.goto(at(`/payments?view=calendar&month=${paid.slice(0, 7)}`))
    await cell(paid).getByText('Scheduled').waitFor()
    const late = inDays(60)
    const other = await issueBill('Oak boards', 100)
    await post(key, `/v1/documents/${other}/transition`, { to: 'approved' })
    await post(key, `/v1/documents/${other}/transition`, {
      to: 'payment_scheduled',
      scheduled_for: late,
    })
    await page.goto(at(`/payments?view=calendar&month=${late.slice(0, 7)}`))
    const { number } = await get(key, `/v1/documents/${other}`)
    await cell(late).getByText(number).waitFor()
    await cell(late).getByText('Scheduled late').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.setViewportSize({ width: 390, height: 900 })
    await page.locator('ol').getByText('1,296.00').waitFor()
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(at('/payments?view=calendar&month=2030-11'))
    await page.getByRole('button', { name: 'Next month' }).press('Enter')
    await page.getByText('Nothing is scheduled or due in December 2030.').first().waitFor()
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
