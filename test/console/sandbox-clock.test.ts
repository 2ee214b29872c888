/** Pages that depend on the day follow the clock of a sandbox, for every role. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { missingBrowser, watchedPage } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, page, complaints, practice, at } = started
const { get, post, issueBill, addMember, signIn } = started

const viewer = { email: 'viewer@example.com', password: 'a long enough passphrase' }

describe('a sandbox whose clock is ahead', { skip: missingBrowser ?? false }, () => {
  const key = practice?.organization.api_key ?? ''

  test('domain 6: the calendar opens on its month, and marks its day', async () => {
    await post(key, '/v1/sandbox/clock', { advance_by: 'P70D' })
    const { now } = await get(key, '/v1/sandbox/clock')
    await page.goto(at('/payments?view=calendar'))
    const marked = 'time[aria-current="date"]'
    await page.locator(`${marked}[datetime="${now.slice(0, 10)}"]`).waitFor()
    assert.equal(await page.locator(marked).count(), 1)
  })

  test('the view Overdue has its documents, also for who may not read the clock', async () => {
    const bill = await issueBill('Oak boards')
    const { number } = await get(key, `/v1/documents/${bill}`)
    await post(key, '/v1/sandbox/clock', { advance_by: 'P40D' })
    await addMember(viewer, 'viewer')
    const theirs = await watchedPage(await browser.newContext(), baseUrl)
    await signIn(theirs.page, viewer)
    for (const one of [page, theirs.page]) {
      await one.goto(at('/documents?view=overdue'))
      await one.getByRole('link', { name: number }).waitFor()
    }
    assert.deepEqual(theirs.complaints, [])
  })

  test('so has its file, without what is owed later', async () => {
    const theirs = await watchedPage(await browser.newContext(), baseUrl)
    await signIn(theirs.page, viewer)
    const owedLater = await issueBill('Beech boards')
    const { number } = await get(key, `/v1/documents/${owedLater}`)
    for (const one of [page, theirs.page]) {
      await one.goto(at('/documents?view=overdue'))
      await one
        .getByRole('link', { name: /^BILL-/ })
        .first()
        .waitFor()
      const started = one.waitForEvent('download')
      await one.getByRole('button', { name: 'Download CSV' }).click()
      const file = readFileSync(await (await started).path(), 'utf8')
      assert.equal(file.includes(number), false)
      assert.match(file, /BILL-/)
    }
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
