/** Many bills paid at once: each by a payment of its own, exactly once, and with its outcome. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { type BulkPayments, bulkPaymentsOf } from '../support/console/bulk-payments.ts'
import { losingAnswersOf } from '../support/console/lost-answers.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, get, post, openSession } = started
const { restart } = started

/** The service takes no payment for a minute. */
const takingNone = `{
  const own = globalThis.fetch
  globalThis.sentPayments = 0
  globalThis.fetch = async (url, options) => {
    const headers = new Headers(options?.headers)
    if (!String(url).endsWith('/pay') || headers.has('svc-dry-run')) return own(url, options)
    globalThis.sentPayments += 1
    const error = { code: 'rate_limited', message: 'Later.', details: { retry_after_seconds: 60 } }
    return Response.json({ error }, { status: 429 })
  }
}`

/** A line that breaks before the request has left. */
const sendingNothing = `{
  const own = globalThis.fetch
  globalThis.fetch = async (url, options) => {
    const headers = new Headers(options?.headers)
    if (!String(url).endsWith('/pay') || headers.has('svc-dry-run')) return own(url, options)
    globalThis.unsentKey = headers.get('idempotency-key')
    throw new TypeError('the line is broken')
  }
}`

const bulk = skipsLong === undefined ? bulkPaymentsOf(started) : ({} as BulkPayments)
const { ours, dialog, approvedBills, paymentsOf, eachIsPaidOnce } = bulk
const { openList, openPayment, says, counted } = bulk

describe('bills that are paid at once', { skip: skipsLong ?? false }, () => {
  const keysOf = new Map<string, string[]>()
  if (skipsLong === undefined)
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      const headers = (request as unknown as { headers(): Record<string, string> }).headers()
      if (!pathname.endsWith('/pay') || headers['svc-dry-run'] === 'true') return
      keysOf.set(pathname, [...(keysOf.get(pathname) ?? []), headers['idempotency-key']!])
    })
  const keysFor = (bill: string) => keysOf.get(`/v1/documents/${bill}/pay`) ?? []

  test('rows are selected with Space, and all up to another one with Shift and x', async () => {
    await approvedBills(4, 'Poplar')
    await openList('Poplar')
    await page.keyboard.press('j')
    await page.keyboard.press('Space')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+X')
    await page.getByText('3 selected').waitFor()
    await page.keyboard.press('Space')
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Pay 2 bills…' }).waitFor()
  })

  test('twelve bills are paid with four keys, each once, with one total for each currency', async () => {
    const bills = await approvedBills(12, 'Willow')
    await openPayment('Willow', 12)
    await says('Each of them can be paid.')
    const sum = (await get(ours, `/v1/documents?query=Willow&limit=100`)).data.reduce(
      (cents: number, { balance_due }: { balance_due: number }) =>
        cents + Math.round(balance_due * 100),
      0,
    )
    const text = (sum / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' })
    await dialog()
      .getByRole('button', { name: `Pay 12 · ${text}` })
      .waitFor()
    await says(/available$/)
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.keyboard.press('Enter')
    await says(`Done: 12 paid. Together ${text}.`)
    assert.equal(await counted('Paid'), 12)
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.keyboard.press('Enter')
    await until('the dialog is closed', async () => (await dialog().count()) === 0)
    await eachIsPaidOnce(bills)
  })

  test('a payment whose answer is lost is sent again with its key, and is paid once', async () => {
    const bills = await approvedBills(3, 'Aspen')
    await openPayment('Aspen', 3)
    await page.evaluate(losingAnswersOf('/pay'))
    await page.keyboard.press('Enter')
    await says('3 have no answer: sending them again pays none twice.')
    assert.equal(await counted('No answer'), 3)
    // The list behind the dialog is not read anew: as it was, they can be paid again.
    await page.evaluate('globalThis.losesAnswers = false')
    await dialog()
      .getByRole('button', { name: /^Pay 3/ })
      .click()
    await says('Done: 3 paid already.')
    for (const bill of bills) {
      assert.equal(keysFor(bill).length, 2)
      assert.equal(new Set(keysFor(bill)).size, 1)
    }
    await eachIsPaidOnce(bills)
    const kept = await page.evaluate<number>(
      `Object.keys(localStorage).filter((name) => name.startsWith('sent-write')).length`,
    )
    assert.equal(kept, 0)
  })

  test('what was not answered before a reload is sent with the same key after it', async () => {
    const [bill] = await approvedBills(1, 'Medlar')
    await openPayment('Medlar', 1)
    await page.evaluate(sendingNothing)
    await page.keyboard.press('Enter')
    await says('1 has no answer')
    const first = await page.evaluate<string>('globalThis.unsentKey')
    await openPayment('Medlar', 1)
    await page.keyboard.press('Enter')
    await says('Done: 1 paid.')
    assert.deepEqual(keysFor(bill!), [first])
    await eachIsPaidOnce([bill!])
  })

  test('what somebody else has paid meanwhile says so, and is not paid again', async () => {
    const bills = await approvedBills(3, 'Linden')
    await openPayment('Linden', 3)
    await post(ours, `/v1/documents/${bills[1]}/pay`)
    await page.keyboard.press('Enter')
    await says('Done: 2 paid, 1 refused.')
    await says(/It is paid already\.|A payment is \w+ already\./)
    assert.equal(
      await dialog()
        .getByRole('button', { name: /^Check/ })
        .count(),
      0,
    )
    await page.keyboard.press('Escape')
    await eachIsPaidOnce(bills)
  })

  test('what has changed is checked again and paid, and what was paid stays so', async () => {
    const bills = await approvedBills(3, 'Hazel')
    await openPayment('Hazel', 3)
    for (const to of ['disputed', 'approved'])
      await post(ours, `/v1/documents/${bills[1]}/transition`, { to })
    await page.keyboard.press('Enter')
    await says('Done: 2 paid, 1 refused.')
    await says(/^It has changed since you chose it/)
    await dialog().getByRole('button', { name: 'Check the other again' }).click()
    await says('Each of them can be paid.')
    await dialog().getByLabel('Method').selectOption('ach')
    await until('it is checked for that', async () => {
      const button = dialog().getByRole('button', { name: /^Pay 1 / })
      return (await button.getAttribute('aria-disabled')) === 'false'
    })
    assert.equal(await counted('Paid'), 2)
    await dialog()
      .getByRole('button', { name: /^Pay 1 / })
      .click()
    await says('Done: 3 paid.')
    await page.keyboard.press('Escape')
    await eachIsPaidOnce(bills)
  })

  test('what waits for its turn is not sent any more once it is stopped', async () => {
    await approvedBills(3, 'Juniper')
    await openPayment('Juniper', 3)
    await page.evaluate(takingNone)
    await page.keyboard.press('Enter')
    const sent = () => page.evaluate<number>('globalThis.sentPayments')
    await until('each was sent', async () => (await sent()) === 3)
    await dialog().getByRole('button', { name: 'Stop' }).click()
    await says('Stopped. 3 have no answer: sending them again pays none twice.')
    assert.equal(await sent(), 3)
    await page.keyboard.press('Escape')
  })

  test('a bill that is left out is not paid, and those of a later day are scheduled', async () => {
    const bills = await approvedBills(3, 'Rowan')
    await openPayment('Rowan', 3)
    await dialog().locator('li input').first().click()
    const later = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10)
    await dialog().getByLabel('Pay on').fill(later)
    // Not before it is checked.
    await page.keyboard.press('Enter')
    await dialog()
      .getByRole('button', { name: /^Schedule 2/ })
      .waitFor()
    await until('they are checked for that day', async () => {
      const button = dialog().getByRole('button', { name: /^Schedule 2/ })
      return (await button.getAttribute('aria-disabled')) === 'false'
    })
    await dialog()
      .getByRole('button', { name: /^Schedule 2/ })
      .click()
    await says(/^Done: 2 scheduled/)
    const states = await Promise.all(bills.map((bill) => started.statusOf(bill)))
    assert.deepEqual(states.toSorted(), ['approved', 'payment_scheduled', 'payment_scheduled'])
    await page.keyboard.press('Escape')
  })

  test('what needs an approval asks for it once, and the others are paid', async () => {
    const admin = await openSession(practice.organization.admin)
    const rule = await post(admin, '/v1/approval_rules', {
      name: 'Large payments',
      when: { operation: 'documents.pay', amount_above: 150, currency: 'USD' },
    })
    const bills = await approvedBills(3, 'Sorrel')
    await openPayment('Sorrel', 3)
    assert.equal(await counted('Needs approval'), 1)
    await page.keyboard.press('Enter')
    await says('Done: 2 paid, 1 waiting for approval.')
    await dialog().getByRole('link', { name: 'Open the approval' }).waitFor()
    assert.equal((await get(admin, '/v1/approvals?status=pending')).data.length, 1)
    assert.equal((await paymentsOf(bills[2]!)).length, 0)
    await page.keyboard.press('Escape')
    const { status } = await callApi(started, 'DELETE', `/v1/approval_rules/${rule.id}`, {
      key: admin,
    })
    assert(status < 300)
  })

  test('a service that takes no more for a moment is waited for, and all are paid once', async () => {
    const bills = await approvedBills(8, 'Bramble')
    await openPayment('Bramble', 8)
    await restart({ RATE_LIMITS: 'sec=4,min=10000,org_sec=4,org_min=10000' })
    let refusals = 0
    page.on('response', (response) => (refusals += Number(response.status() === 429)))
    await dialog()
      .getByRole('button', { name: /^Pay 8/ })
      .click()
    await says('Done: 8 paid.')
    assert(refusals > 0)
    await restart({})
    await eachIsPaidOnce(bills)
  })

  test('without the payments of the service, the bar says so', async () => {
    await approvedBills(1, 'Hornbeam')
    await restart({ FAMILIES: 'documents,treasury,provenance,keys,webhooks,finance' })
    await page.goto(at('/documents?query=Hornbeam'))
    await page
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .waitFor()
    await page.keyboard.press('*')
    await page.getByRole('button', { name: 'Pay 1 bill…' }).waitFor()
    await page.getByText('This service runs without payments.').waitFor({ state: 'attached' })
    await page.keyboard.press('p')
    assert.equal(await dialog().count(), 0)
    await page.goto(at('/'))
    await page
      .getByRole('region', { name: 'To pay' })
      .getByRole('link', { name: /BILL-/ })
      .first()
      .waitFor()
  })

  test('no page has complained', () => {
    assert.deepEqual(
      complaints.filter((one) => !/429|40[39]|412/.test(one)),
      [],
    )
  })
})
