/** The docs can be read on a phone and on a tablet; `LONG=1` opens every page on the narrowest. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { launchBrowser, missingBrowser } from '../support/console/browser.ts'
import { cutInHeader, overflowOf } from '../support/console/looks.ts'
import { startTestService } from '../support/test-service.ts'

const pages = ['document-types', 'authentication']
const isLong = process.env['LONG'] === '1'
/** A guide, wide tables, long words, a page of the reference, and a list of versions. */
const kinds = ['quickstart', ...pages, 'errors', 'reference-documents', 'changelog']
const isOfKind = (path: string): boolean => kinds.some((id) => path.endsWith(`/${id}`))
const started =
  missingBrowser === undefined
    ? { ...(await startTestService()), browser: await launchBrowser() }
    : undefined

/** Words of code in tables that take more than one line. */
const brokenWords = `[...document.querySelectorAll('td code')]
  .filter((one) => /^[\\w.:-]{1,30}$/.test(one.innerText) && one.getClientRects().length > 1)
  .map((one) => one.innerText)`

describe('the docs on narrow screens', { skip: missingBrowser ?? false }, () => {
  test('WCAG 1.4.10: no page is wider than 320 px', async () => {
    const { browser, baseUrl } = started!
    const context = await browser.newContext({ viewport: { width: 320, height: 844 } })
    const page = await context.newPage()
    await page.goto(`${baseUrl}/v1/docs`)
    const paths = await page.evaluate<string[]>(
      `[...new Set([...document.querySelectorAll('nav a')].map((one) => one.pathname))]`,
    )
    assert(paths.length > 30)
    const found: string[] = []
    const some = isLong ? paths : paths.filter(isOfKind)
    assert(some.length >= kinds.length)
    for (const path of ['/v1/docs', ...some]) {
      await page.goto(`${baseUrl}${path}`)
      const overflow = await overflowOf(page)
      if (overflow > 0) found.push(`${path}: is ${overflow} px wider than the screen`)
    }
    assert.deepEqual(found, [])
    await context.close()
  })

  test('on a phone of 360 px, the title and the search box are whole', async () => {
    const { browser, baseUrl } = started!
    const context = await browser.newContext({ viewport: { width: 360, height: 780 } })
    const page = await context.newPage()
    await page.goto(`${baseUrl}/v1/docs`)
    assert.deepEqual(await cutInHeader(page), [])
    await context.close()
  })

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
