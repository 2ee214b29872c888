/** What a person sends twice is sent once, and nothing is sent offline (console 1.2 and 5.8). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, openPayment, skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, context, complaints, practice, at, get, post, issueBill } = started
const { openSession } = started

/** A line on which the answer to the first click comes after the second. */
const withSlowLine = async (work: () => Promise<void>): Promise<void> => {
  const devTools = await context.newCDPSession(page)
  await devTools.send('Network.enable')
  const line = { offline: false, downloadThroughput: -1, uploadThroughput: -1 }
  await devTools.send('Network.emulateNetworkConditions', { ...line, latency: 500 })
  await work()
  await devTools.send('Network.emulateNetworkConditions', { ...line, latency: 0 })
}

const approvedBill = async (description: string): Promise<string> => {
  const bill = await issueBill(description)
  await post(practice.organization.api_key, `/v1/documents/${bill}/transition`, { to: 'approved' })
  return bill
}

const goToPayment = async (bill: string): Promise<void> => {
  await page.goto(at(`/documents/${bill}`))
  await (await openPayment(page)).waitFor()
}

describe('a write', { skip: skipsLong ?? false }, () => {
  const answers: string[] = []
  const statusesOf = (path: string) =>
    answers.flatMap((one) => (one.endsWith(path) ? [Number(one.split(' ')[0])] : []))
  if (skipsLong === undefined)
    page.on('response', (response) => answers.push(`${response.status()} ${response.url()}`))

  test('console 5.8: a double click pays once, and shows what came of it', async () => {
    const bill = await approvedBill('Twice boards')
    await goToPayment(bill)
    await withSlowLine(async () => {
      const pay = page.getByRole('dialog').getByRole('button', { name: /^Pay/ })
      await pay.click({ clickCount: 2 })
      await page
        .getByText(/^Bill BILL-.*: paid$/)
        .first()
        .waitFor()
    })
    assert.deepEqual(statusesOf(`${bill}/pay`), [200])
  })

  test('console 5.8: a key that is held goes on after the answer, and sends nothing more', async () => {
    const admin = await openSession(practice.organization.admin)
    const { id } = await post(admin, '/v1/webhooks', { url: 'http://localhost:9/held' })
    await page.goto(at(`/webhooks/${id}`))
    const ping = page.getByRole('button', { name: 'Ping', exact: true })
    await ping.waitFor()
    const pings = () => statusesOf(`${id}/ping`).length
    await until('it is answered while the key is held', async () => {
      await ping.press('Enter')
      return pings() > 0
    })
    for (let press = 0; press < 5; press += 1) await ping.press('Enter')
    await page.goto(at('/webhooks'))
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    assert.equal(pings(), 1)
  })

  test('console 1.2: a double click on Save draft saves one draft', async () => {
    const drafts = async () =>
      (await get(practice.organization.api_key, '/v1/documents?status=draft&limit=100')).data.length
    const before = await drafts()
    await page.goto(at('/documents/new'))
    await page.getByLabel('Description of line 1').fill('Single boards')
    await page.getByLabel(/rice of line 1$/).fill('10')
    await withSlowLine(async () => {
      await page.getByRole('button', { name: 'Save draft' }).click({ clickCount: 2 })
      await page
        .getByText(/is saved$/)
        .first()
        .waitFor()
    })
    assert.equal(await drafts(), before + 1)
  })

  test('console 5.8: a payment that waits is asked for once, however often it is sent', async () => {
    const admin = await openSession(practice.organization.admin)
    await post(admin, '/v1/approval_rules', {
      name: 'Payments',
      when: { operation: 'documents.pay' },
    })
    const bill = await approvedBill('Waiting boards')
    const pay = page.getByRole('dialog').getByRole('button', { name: /^Pay/ })
    await goToPayment(bill)
    await withSlowLine(async () => {
      await pay.click({ clickCount: 2 })
      await page.getByText('It waits for another person').waitFor()
    })
    await pay.click()
    await until('it is answered', () => statusesOf(`${bill}/pay`).length === 2)
    await goToPayment(bill)
    await pay.click()
    await until('it is answered again', () => statusesOf(`${bill}/pay`).length === 3)
    await page.getByText('It waits for another person').waitFor()
    const { data } = await get(admin, '/v1/approvals?status=pending')
    assert.equal(data.length, 1)
  })

  test('console 1.2: offline, what writes says so', async () => {
    const bill = await issueBill('Offline boards')
    await page.goto(at(`/documents/${bill}`))
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    const names = ['Dispute…', 'Attach', 'Comment']
    const isRefused = async (name: string) => {
      const button = page.getByRole('button', { name, exact: true })
      return (await button.getAttribute('aria-disabled')) === 'true'
    }
    assert.equal(await isRefused('Dispute…'), false)
    await context.setOffline(true)
    await page.getByText(/^You are offline\. What is shown/).waitFor()
    for (const name of names) assert(await isRefused(name), name)
    assert.deepEqual(await accessibilityViolations(page), [])
    await context.setOffline(false)
    await until('it can be disputed', async () => !(await isRefused('Dispute…')))
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
