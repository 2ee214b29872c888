/** The tables of the docs can be read on a phone and on a tablet. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { launchBrowser, missingBrowser } from '../support/console/browser.ts'
import { overflowOf } from '../support/console/looks.ts'
import { startTestService } from '../support/test-service.ts'

const pages = ['document-types', 'authentication']
const started =
  missingBrowser === undefined
    ? { ...(await startTestService()), browser: await launchBrowser() }
    : undefined

/** Words of code in tables that take more than one line. */
const brokenWords = `[...document.querySelectorAll('td code')]
  .filter((one) => /^[\\w.:-]{1,30}$/.test(one.innerText) && one.getClientRects().length > 1)
  .map((one) => one.innerText)`

describe('the docs on narrow screens', { skip: missingBrowser ?? false }, () => {
  for (const width of [390, 768]) {
    for (const id of pages) {
      test(`in ${id} at ${width} px, a word of code in a table is in one piece`, async () => {
        const { browser, baseUrl } = started!
        const context = await browser.newContext({ viewport: { width, height: 844 } })
        const page = await context.newPage()
        await page.goto(`${baseUrl}/v1/docs/${id}`)
        assert((await page.locator('td code').count()) > 10)
        assert.deepEqual(await page.evaluate<string[]>(brokenWords), [])
        assert.equal(await overflowOf(page), 0)
        await context.close()
      })
    }
  }
})
