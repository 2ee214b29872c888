/** The docs on paper (clients.md 5). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { launchBrowser, missingBrowser } from '../support/console/browser.ts'
import { startTestService } from '../support/test-service.ts'

const started =
  missingBrowser === undefined
    ? { ...(await startTestService()), browser: await launchBrowser() }
    : undefined

describe('the docs on paper', { skip: missingBrowser ?? false }, () => {
  test('whoever reads in the dark prints dark letters', async () => {
    const { browser, baseUrl } = started!
    const context = await browser.newContext()
    const page = await context.newPage()
    const inkOf = (place: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${place}')).color`)
    await page.goto(`${baseUrl}/v1/docs/webhooks`)
    await page.emulateMedia({ colorScheme: 'light', media: 'print' })
    const expected = [await inkOf('main p'), await inkOf('pre')]
    await page.emulateMedia({ colorScheme: 'dark', media: 'screen' })
    await page.evaluate(`document.documentElement.dataset.theme = 'dark'`)
    assert.notEqual(await inkOf('pre'), expected[1])
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' })
    assert.deepEqual([await inkOf('main p'), await inkOf('pre')], expected)
    await context.close()
  })
})
