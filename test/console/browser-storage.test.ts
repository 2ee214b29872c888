/** A browser that is full, or that stores nothing, keeps nobody from working. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong, watchedPage } from '../support/console/browser.ts'
import { bulkPaymentsOf } from '../support/console/bulk-payments.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, practice, browser, at, get, signIn } = started

const storesNothing = `Object.defineProperty(globalThis, 'localStorage', {
  get() { throw new DOMException('Access is denied for this document.', 'SecurityError') },
})`

/** Other pages of the same origin may have taken all the room. */
const takeAllRoom = `(() => {
  for (let text = 'x'.repeat(1 << 20), i = 0; text !== ''; ) {
    try {
      localStorage.setItem('of another page ' + i++, text)
    } catch {
      text = text.slice(text.length / 2 + 0.5)
    }
  }
})()`

const signedIn = async (script?: string) => {
  const context = await browser.newContext()
  if (script !== undefined) await context.addInitScript(script)
  const { page, complaints } = await watchedPage(context, baseUrl)
  await signIn(page, practice.organization.admin)
  return { page, complaints }
}

describe('where a browser keeps nothing', { skip: skipsLong ?? false }, () => {
  test('without room, documents are opened and entered, and bills are paid', async () => {
    const { page, complaints } = await signedIn()
    const { approvedBills, openPayment, says, eachIsPaidOnce } = bulkPaymentsOf({
      ...started,
      page,
    })
    const bills = await approvedBills(2, 'Walnut')
    await page.evaluate(takeAllRoom)
    await page.goto(at(`/documents/${bills[0]}`))
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    await page.getByText('Only your organization sees it.').waitFor()
    await page.getByLabel('New comment').fill('Paid with the others.')
    await page.goto(at('/documents/new'))
    await page.getByRole('button', { name: 'Save draft' }).waitFor()
    await openPayment('Walnut', 2)
    await page.keyboard.press('Enter')
    await says('Done: 2 paid.')
    await eachIsPaidOnce(bills)
    assert.deepEqual(complaints, [])
  })

  test('where nothing may be stored, somebody signs in and pays a bill', async () => {
    const { page, complaints } = await signedIn(storesNothing)
    const { approvedBills, eachIsPaidOnce } = bulkPaymentsOf({ ...started, page })
    const bills = await approvedBills(1, 'Cherry')
    const { number } = await get(practice.organization.api_key, `/v1/documents/${bills[0]}`)
    await page.getByRole('link', { name: 'Documents' }).first().click()
    await page.getByRole('link', { name: number }).first().click()
    await page.getByRole('button', { name: 'Pay…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: /^Pay/ }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await eachIsPaidOnce(bills)
    assert.deepEqual(complaints, [])
  })
})
