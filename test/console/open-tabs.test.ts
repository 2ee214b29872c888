/** Several tabs of one browser follow the changes with one stream, whatever becomes of it (1.8). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong, watchedPage } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, practice, at, get, signIn, issueBill, restart } = started

describe('the tabs of a browser', { skip: skipsLong ?? false }, () => {
  const newTab = async (context: RunningConsole['context']) => {
    const tab = await watchedPage(context, baseUrl)
    const streams: string[] = []
    tab.page.on('request', (request) => {
      if (request.url().endsWith('/v1/stream')) streams.push(request.url())
    })
    return { ...tab, streams }
  }
  const showBills = async ({ page }: Awaited<ReturnType<typeof newTab>>): Promise<void> => {
    await page.goto(at('/documents?view=received'))
    await page.getByRole('heading', { name: 'Documents' }).waitFor()
  }
  const numberOfNewBill = async (description: string): Promise<string> => {
    const id = await issueBill(description)
    return (await get(practice.organization.api_key, `/v1/documents/${id}`)).number
  }

  test('console 1.8: when the tab that reads the stream closes, another one reads it on', async () => {
    const context = await browser.newContext()
    const [leader, follower] = [await newTab(context), await newTab(context)]
    await signIn(leader.page, practice.organization.admin)
    await showBills(leader)
    await until('the first reads the stream', () => leader.streams.length > 0)
    await showBills(follower)
    const first = await numberOfNewBill('Two tabs')
    for (const { page } of [leader, follower])
      await page.getByRole('link', { name: first }).waitFor()
    assert.equal(follower.streams.length, 0)
    await leader.page.close()
    await until('the other reads it', () => follower.streams.length === 1)
    const second = await numberOfNewBill('One tab')
    await follower.page.getByRole('link', { name: second }).waitFor()
    assert.deepEqual([...leader.complaints, ...follower.complaints], [])
    await context.close()
  })

  test('console 5.18: after a restart of the service the stream is opened again, and nothing is missed', async () => {
    const context = await browser.newContext()
    const tab = await newTab(context)
    await signIn(tab.page, practice.organization.admin)
    await showBills(tab)
    const before = await numberOfNewBill('Before the restart')
    await tab.page.getByRole('link', { name: before }).waitFor()
    const opened = tab.streams.length
    await restart({})
    const meanwhile = await numberOfNewBill('While it was away')
    await tab.page.getByRole('link', { name: meanwhile }).waitFor()
    await until('the stream is open again', () => tab.streams.length > opened)
    const after = await numberOfNewBill('After the restart')
    await tab.page.getByRole('link', { name: after }).waitFor()
    assert.deepEqual(tab.complaints, [])
    await context.close()
  })

  test('console 1.8: without a stream, a tab that gets the focus reads again', async () => {
    const context = await browser.newContext()
    // As in a browser whose tabs cannot agree who reads it.
    await context.addInitScript(`delete Navigator.prototype.locks`)
    const tab = await newTab(context)
    const { page } = tab
    await page.clock.install()
    await signIn(page, practice.organization.admin)
    await showBills(tab)
    const number = await numberOfNewBill('Without a stream')
    await page
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .waitFor()
    assert.equal(await page.getByRole('link', { name: number }).count(), 0)
    // Less than the time after which it would be read again by itself.
    await page.clock.fastForward(20_000)
    await page.evaluate(
      `void document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`,
    )
    await page.getByRole('link', { name: number }).waitFor()
    assert.equal(tab.streams.length, 0)
    assert.deepEqual(tab.complaints, [])
    await context.close()
  })
})
