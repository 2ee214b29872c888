/** The treasury shows the coming weeks, and opens what they count (console 1.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { busyOffice } from '../support/console/busy-office.ts'
import { cents, sumOfBills } from '../support/console/listed-amounts.ts'
import { brokenBoxes, overflowOf } from '../support/console/looks.ts'
import { allAppearances, picture, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { inDays } from '../support/dates.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, get } = started

describe('the projection of the treasury', { skip: skipsLong ?? false }, async () => {
  if (skipsLong === undefined) await busyOffice(started)
  const openTreasury = async () => {
    await page.goto(at('/treasury'))
    await page.getByRole('rowheader', { name: 'Now' }).waitFor()
  }
  const rowCount = () =>
    page.evaluate<number>(`document.querySelectorAll('tbody tr[data-row]').length`)

  test('above the accounts stands what those of one currency have together, to the cent', async () => {
    await openTreasury()
    const { data } = await get(practice.organization.api_key, '/v1/treasury/balances?limit=100')
    const inCents = (currency: string): number[] =>
      data.flatMap((one: { currency: string; available: number }) =>
        one.currency === currency ? [Math.round(one.available * 100)] : [],
      )
    const dollars = inCents('USD')
    assert(dollars.length > 1)
    const total = page.locator('dt', { hasText: `USD available in ${dollars.length} accounts` })
    const shown = await total.locator('xpath=following-sibling::dd').innerText()
    assert.equal(
      cents(shown),
      dollars.reduce((sum, amount) => sum + amount, 0),
    )
    const several = ['USD', 'EUR', 'GBP', 'CAD'].filter((currency) => inCents(currency).length > 1)
    assert.equal(await page.locator('dt', { hasText: 'available in' }).count(), several.length)
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
      assert.equal(await overflowOf(page), 0)
    }
    await showAs(page, { width: 1440, colorScheme: 'light' })
  })

  test('its table has the numbers of the API, and each balance follows from the one before', async () => {
    await openTreasury()
    const rows = await page.evaluate<string[][]>(
      `[...document.querySelectorAll('[aria-labelledby="projected-USD"] tbody tr')].map((row) =>
        [...row.children].map((cell) => cell.innerText))`,
    )
    const [now, ...weeks] = rows
    assert.equal(weeks.length, 8)
    let balance = cents(now!.at(-1)!)
    for (const [, into, out, after] of weeks) {
      const sum = (text: string) =>
        [...text.matchAll(/\d[\d.,]*/g)].reduce((all, [amount]) => all + cents(amount), 0)
      balance += sum(into!) - sum(out!)
      assert.equal(cents(after!), balance)
    }
    const { points } = await get(practice.organization.api_key, '/v1/statistics?metric=projection')
    const last = points
      .filter(
        ({ group, currency }: Record<string, string>) => group === 'balance' && currency === 'USD',
      )
      .toSorted((a: { start: string }, b: { start: string }) => (a.start < b.start ? -1 : 1))
      .at(-1)
    assert.equal(Math.round(last.amount * 100), balance)
    assert(weeks.some(([, , out]) => /scheduled/.test(out!)))
  })

  test('what is due in a week opens its documents', async () => {
    await openTreasury()
    const link = page
      .locator('[aria-labelledby="projected-USD"] tbody td:nth-of-type(2) a', { hasText: '.' })
      .first()
    const shown = cents((await link.innerText()).replace(/ .*/, ''))
    await link.click()
    await page.waitForURL(/\/documents\?view=due_out&currency=USD&due_to=/)
    await page.getByRole('heading', { name: 'Documents' }).waitFor()
    assert.equal(await sumOfBills(page), shown)
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('the keyboard alone narrows a list by the day it is due and by currency', async () => {
    await page.goto(at('/documents'))
    await page.getByRole('button', { name: 'More filters' }).press('Enter')
    await page.getByLabel('Due from').fill(inDays(13))
    await page.waitForURL(/\?due_from=/)
    await page.getByLabel('Due until').fill(inDays(14))
    await page.waitForURL(/due_to=/)
    await page.getByLabel('Currency').selectOption('USD')
    await page.waitForURL(/currency=USD/)
    const { data } = await get(
      practice.organization.api_key,
      `/v1/documents${new URL(page.url()).search}`,
    )
    assert(data.length > 0)
    await until('the list has what the API has', async () => (await rowCount()) === data.length)
    await page.getByRole('button', { name: 'More filters (3)' }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await picture(page, 'documents-filtered', allAppearances)
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await page.getByLabel('Currency').selectOption('EUR')
    await page.getByText('No documents match').waitFor()
    const focused = () =>
      page.evaluate<string>(`document.activeElement.getAttribute('aria-label') ?? ''`)
    await page.getByRole('button', { name: 'Remove the filter: EUR' }).press('Enter')
    await until('the list has them again', async () => (await rowCount()) === data.length)
    assert.equal(await focused(), 'Filters')
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('button', { name: 'Clear all' }).press('Enter')
    await page.waitForURL((url) => new URL(String(url)).search === '')
    assert.equal(await focused(), 'Find documents')
    await page.goto(at('/documents?due_from=tomorrow'))
    await page
      .getByRole('button', { name: 'Remove the filter: Due on or after tomorrow' })
      .press('Enter')
    await page
      .getByRole('link', { name: /^(BILL|INV)-/ })
      .first()
      .waitFor()
  })

  test('it is accessible and whole in every appearance, at 320 px too', async () => {
    for (const appearance of [...allAppearances, { width: 320, colorScheme: 'light' } as const]) {
      await showAs(page, appearance)
      await openTreasury()
      assert.deepEqual(await accessibilityViolations(page), [])
      assert.deepEqual(await brokenBoxes(page), [])
      assert.equal(await overflowOf(page), 0)
    }
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
