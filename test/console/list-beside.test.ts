/** The list beside the document, on a wide screen (console 1.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { allAppearances, picture, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, get, issueBill } = started

describe('the list beside a document', { skip: skipsLong ?? false }, () => {
  const list = () => page.getByRole('navigation', { name: 'List: To approve' })
  const isOpen = (number: string) =>
    until(`${number} is marked`, async () => {
      const heading = await page.getByRole('heading', { name: `Bill ${number}` }).count()
      const marked = list().locator('[aria-current="page"]')
      return (
        heading === 1 && (await marked.count()) === 1 && (await marked.innerText()).includes(number)
      )
    })

  test('it is shown with one key, follows next and previous, and is remembered', async () => {
    const numbers: string[] = []
    for (const wood of ['Oak', 'Ash', 'Elm']) {
      const bill = await issueBill(`${wood} boards`)
      numbers.unshift((await get(practice.organization.api_key, `/v1/documents/${bill}`)).number)
    }
    const [first = '', second = '', third = ''] = numbers
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await page.goto(at('/documents?view=approve'))
    await page.getByRole('link', { name: first }).click()
    await page.getByRole('heading', { name: `Bill ${first}` }).waitFor()
    assert.equal(await list().count(), 0)
    await page.keyboard.press('l')
    await isOpen(first)
    await page.getByRole('button', { name: 'Next' }).waitFor()
    await page.keyboard.press('j')
    await isOpen(second)
    await list().getByRole('link', { name: third }).click()
    await isOpen(third)
    await page.keyboard.press('k')
    await isOpen(second)
    await page.goto(page.url())
    await isOpen(second)
  })

  test('it is accessible, and makes room on a narrow screen', async () => {
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.equal(await list().isVisible(), appearance.width >= 1400)
      assert.deepEqual(await accessibilityViolations(page), [])
      const overflow = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      assert(overflow <= 0, `${overflow} px too wide at ${appearance.width} px`)
    }
    await picture(page, 'list-beside', [{ width: 1440, colorScheme: 'light' }])
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await page.getByRole('button', { name: 'List beside' }).click()
    assert.equal(await list().count(), 0)
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
