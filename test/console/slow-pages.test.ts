/** Where the service takes long, the reader sees that something is loaded (console 1.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, skipsLong, watchedPage } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, practice, at, signIn } = started

const hangsForMs = 6_000

/** A browser that has loaded nothing but Home, and a way to let every answer take long. */
const freshBrowser = async () => {
  const context = await browser.newContext()
  const { page, complaints } = await watchedPage(context, baseUrl)
  await signIn(page, practice.organization.admin)
  const devTools = await context.newCDPSession(page)
  await devTools.send('Network.enable')
  const line = { offline: false, downloadThroughput: -1, uploadThroughput: -1 }
  const setLatency = (latency: number) =>
    devTools.send('Network.emulateNetworkConditions', { ...line, latency })
  return { context, page, complaints, setLatency }
}

describe('a page of a slow service', { skip: skipsLong ?? false }, () => {
  test('says that it is loading, in the place of the one before, and then has the focus', async () => {
    const { context, page, complaints, setLatency } = await freshBrowser()
    await setLatency(hangsForMs)
    await page.getByRole('link', { name: 'Treasury', exact: true }).press('Enter')
    await page.getByRole('status').getByText('Loading…').waitFor()
    assert.equal(await page.getByRole('heading', { name: /^Good / }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Documents', exact: true }).isVisible(), true)
    assert.deepEqual(await accessibilityViolations(page), [])
    await setLatency(0)
    await page.getByRole('heading', { name: 'Treasury' }).waitFor()
    await until('it has the focus', () =>
      page.evaluate<boolean>(`document.activeElement.innerText === 'Treasury'`),
    )
    assert.deepEqual(complaints, [])
    await context.close()
  })

  test('says so too while the session is asked for, and no longer once the page is there', async () => {
    const { context, page, complaints, setLatency } = await freshBrowser()
    await setLatency(hangsForMs / 2)
    const opening = page.goto(at('/documents'))
    const note = page.locator('#opening')
    await note.waitFor({ state: 'visible' })
    await opening
    await setLatency(0)
    await page.getByRole('heading', { name: 'Documents' }).waitFor()
    assert.equal(await note.isVisible(), false)
    assert.deepEqual(complaints, [])
    await context.close()
  })
})
