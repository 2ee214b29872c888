/** The charts of the overview open the lists that they count (console 1.9). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { allAppearances, picture, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, get, post, issueBill } = started

describe('the charts of the overview', { skip: skipsLong ?? false }, () => {
  const openOverview = async () => {
    await page.goto(at('/'))
    await page
      .getByRole('region', { name: 'Documents by state' })
      .getByRole('link')
      .first()
      .waitFor()
  }
  const rowCount = () => page.locator('tbody tr[data-row]').count()

  test('a bar of the documents opens as many as it counts', async () => {
    await issueBill('Oak boards')
    await issueBill('Ash boards')
    await openOverview()
    const bar = page
      .getByRole('region', { name: 'Documents by state' })
      .getByRole('link', { name: /^Submitted/ })
    const counted = Number(/\d+/.exec(await bar.last().innerText())![0])
    await bar.last().click()
    await page.waitForURL(/\/documents\?view=received&since=[\d-]+&until=[\d-]+&status=submitted$/)
    await page
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .waitFor()
    assert(counted >= 2)
    assert.equal(await rowCount(), counted)
    assert.equal(await page.getByLabel('State').inputValue(), 'submitted')
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('what you owe opens the unsettled bills, whose balances add up to it', async () => {
    await openOverview()
    const owed = page.getByRole('region', { name: 'What is owed' }).getByRole('link').last()
    const cents = (text: string) => Math.round(Number(text.replaceAll(/[^\d.]/g, '')) * 100)
    const shown = cents(await owed.innerText())
    await owed.click()
    await page.waitForURL(/\/documents\?view=payable$/)
    await page
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .waitFor()
    const { data } = await get(
      practice.organization.api_key,
      '/v1/documents?direction=received&type=invoice,disbursement,repayment&phase=pending,accepted,disputed,paying',
    )
    const sum = data.reduce(
      (total: number, { balance_due }: { balance_due: number }) => total + balance_due,
      0,
    )
    assert.equal(Math.round(sum * 100), shown)
    assert.equal(await rowCount(), data.length)
  })

  test('what has come in opens the settled payments of that direction', async () => {
    const bill = await issueBill('Beech boards')
    const { api_key } = practice.organization
    await post(api_key, `/v1/documents/${bill}/transition`, { to: 'approved' })
    await post(api_key, `/v1/documents/${bill}/pay`)
    await openOverview()
    await page.getByRole('link', { name: /^Out / }).click()
    await page.waitForURL(/\/payments\?direction=outgoing&status=settled$/)
    await page.getByRole('link', { name: /^To / }).first().waitFor()
  })

  test('the overview is accessible in every appearance', async () => {
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      await openOverview()
      assert.deepEqual(await accessibilityViolations(page), [])
    }
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await picture(page, 'overview-charts')
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
