/** Real money in the console: confirmed, under way at the processor, and what becomes of it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, addAuthenticator, skipsLong } from '../support/console/browser.ts'
import { type LiveConsole, startLiveConsole } from '../support/console/live-organizations.ts'
import { allAppearances, showAs } from '../support/console/pictures.ts'
import type { RunningConsole } from '../support/console/running-console.ts'
import { ageSignIns } from '../support/console/session-rows.ts'
import { processorNews } from '../support/payments/processor-news.ts'

const started = skipsLong === undefined ? await startLiveConsole() : ({} as LiveConsole)
const { fakeStripe, theirs, live, their, issueLiveBill } = started
const { console: running = {} as RunningConsole } = started
const { context, page, complaints, practice, get } = running

describe('live payments in the console', { skip: skipsLong ?? false }, () => {
  const dialog = page?.getByRole('dialog')
  const ours = practice?.live.admin_session_token
  const paying = { bill: '' }
  const { settle, fail } = processorNews(running, fakeStripe)

  /** The state beside the title of both windows, neither of which is reloaded. */
  const bothShow = async (state: string): Promise<void> => {
    for (const window of [page, theirs.page])
      await window.locator('main h1 + *', { hasText: state }).waitFor()
  }
  const paymentOf = async (bill: string): Promise<string> =>
    (await get(ours, `/v1/documents/${bill}`)).payment.id
  const openPayDialog = async (): Promise<void> => {
    await page.getByRole('button', { name: /^Pay/ }).first().click()
    await page.getByRole('heading', { name: 'Pay $1,234.50' }).waitFor()
  }
  const pay = () => dialog.getByRole('button', { name: 'Pay $1,234.50' }).click()

  const approvedBill = async (): Promise<string> => {
    const id = await issueLiveBill()
    await theirs.page.goto(their(`/documents/${id}`))
    await page.goto(live(`/documents/${id}`))
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    await page.keyboard.press('a')
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await bothShow('Approved')
    return id
  }

  test('live money needs a second factor, and the dialog leads to it', async () => {
    paying.bill = await approvedBill()
    await openPayDialog()
    await pay()
    await page.getByText('Live money needs a second factor').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await addAuthenticator(context, page)
    await dialog.getByRole('link', { name: 'settings' }).click()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByLabel('Name of the passkey').fill('My laptop')
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('button', { name: 'Remove My laptop' }).waitFor()
    assert.equal(fakeStripe.intents.size, 0)
  })

  test('console 1.7: the dialog says that it is real money, how much and from where, and asks who one is', async () => {
    await page.goto(live(`/documents/${paying.bill}`))
    await openPayDialog()
    await dialog.getByText('Real money leaves your bank account.').waitFor()
    await dialog.getByText('Practice Live Counterparty').waitFor()
    assert.equal(await dialog.getByLabel('From').count(), 0)
    assert.doesNotMatch(await dialog.getByLabel('Method').innerText(), /Wire/)
    assert.equal(await page.getByText('SANDBOX – payments are simulated').count(), 0)
    await ageSignIns(running)
    await pay()
    await page.getByText('Confirm that it is you').waitFor()
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
    }
    await showAs(page, { width: 1440, colorScheme: 'light' })
    assert.equal(fakeStripe.intents.size, 0)
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('Send it again now.').waitFor()
    await pay()
    await page
      .getByText(/: processing$/)
      .first()
      .waitFor()
  })

  test('console 5.9: a payment that fails at the processor says why, and can be made again', async () => {
    await bothShow('Payment scheduled')
    await fail(await paymentOf(paying.bill))
    await page
      .getByText(/insufficient funds/i)
      .first()
      .waitFor()
    await bothShow('Approved')
    assert.deepEqual(await accessibilityViolations(page), [])
    await openPayDialog()
    await pay()
    await bothShow('Payment scheduled')
  })

  test('console 5.5: what the processor settles is paid in both windows, and was debited once', async () => {
    const payment = await paymentOf(paying.bill)
    await settle(payment)
    await bothShow('Paid')
    const [intent, ...more] = fakeStripe.intentsOfPayment(payment)
    assert.deepEqual([intent!.amount, intent!.transfer, more], [123_450, 'acct_theirs', []])
    await page.goto(live('/payments'))
    for (const state of ['Settled', 'Failed'])
      await page.getByRole('cell', { name: state }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('no page has complained', () => {
    assert.deepEqual([...complaints, ...theirs.complaints], [])
  })
})
