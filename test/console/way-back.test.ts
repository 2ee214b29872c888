/** Back from a document, the row that one came from has the focus, where it was (console 1.3). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, get, issueBill, endFirstSteps } = started

/** More than a screen has room for. */
const billCount = 40
/** So far down that the page has to scroll. */
const far = 30

describe('the way back to a list', { skip: skipsLong ?? false }, () => {
  /** As the list has them: the newest first. */
  const numbers: string[] = []
  const focusedText = () => page.evaluate<string>('document.activeElement.innerText')
  const hasFocus = (text: string) =>
    until(`“${text}” has the focus`, async () => (await focusedText()) === text)
  const isInView = () =>
    page.evaluate<boolean>(`(() => {
      const { top, bottom } = document.activeElement.getBoundingClientRect()
      return top >= 28 && bottom <= innerHeight
    })()`)
  const scrollY = () => page.evaluate<number>('Math.round(scrollY)')
  const press = async (key: string, times = 1): Promise<void> => {
    for (let i = 0; i < times; i++) await page.keyboard.press(key)
  }
  const openFarRow = async (): Promise<void> => {
    await page.goto(at('/documents?view=approve'))
    await page.getByRole('link', { name: numbers[0]! }).waitFor()
    await press('j', far + 1)
    await hasFocus(numbers[far]!)
    await press('Enter')
    await isShown(numbers[far]!)
  }
  const isShown = (number: string) => hasFocus(`Bill ${number}`)

  test('Esc leads to the list and the row, which is announced, and j goes on from there', async () => {
    for (let i = 0; i < billCount; i++) {
      const bill = await issueBill(`Boards ${i}`)
      numbers.unshift((await get(practice.organization.api_key, `/v1/documents/${bill}`)).number)
    }
    await page.goto(at('/documents?view=approve'))
    await page.getByRole('link', { name: numbers[0]! }).waitFor()
    await press('j', 2)
    await press('Enter')
    await isShown(numbers[1]!)
    await page.evaluate(`(() => {
      globalThis.announced = []
      const place = document.querySelector('[role="status"][aria-live]')
      new MutationObserver(() => announced.push(place.textContent)).observe(place, {
        childList: true, subtree: true, characterData: true
      })
    })()`)
    await press('Escape')
    await hasFocus(numbers[1]!)
    await until('the page is announced', () =>
      page.evaluate<boolean>(`announced.includes('Documents')`),
    )
    await press('j')
    await hasFocus(numbers[2]!)
  })

  test('Esc and Back return to a row far down, where it was on the screen', async () => {
    for (const leave of [() => press('Escape'), () => page.evaluate('history.back()')]) {
      await openFarRow()
      // The page has scrolled before the document was opened.
      await page.evaluate('history.back()')
      await hasFocus(numbers[far]!)
      const before = await scrollY()
      assert(before > 0)
      await press('Enter')
      await isShown(numbers[far]!)
      await leave()
      await hasFocus(numbers[far]!)
      await until('it is where it was', async () => (await scrollY()) === before)
      assert(await isInView())
      await press('j')
      await hasFocus(numbers[far + 1]!)
    }
  })

  test('the link to the list leads to the document that was read last', async () => {
    await openFarRow()
    await page.getByRole('button', { name: 'Next' }).waitFor()
    await press('j')
    await isShown(numbers[far + 1]!)
    await page.locator('main').getByRole('link', { name: 'Documents', exact: true }).click()
    await hasFocus(numbers[far + 1]!)
    await until('it is in view', isInView)
    await press('k')
    await hasFocus(numbers[far]!)
  })

  test('it holds without what was read before, and for the rows of Home', async () => {
    await openFarRow()
    await page.goto(page.url())
    await isShown(numbers[far]!)
    await press('Escape')
    await hasFocus(numbers[far]!)
    await until('it is in view', isInView)
    await endFirstSteps()
    await page.goto(at('/'))
    await page.getByRole('region', { name: 'To approve' }).getByRole('link').first().waitFor()
    await press('j', 2)
    const row = await focusedText()
    await press('Enter')
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    await page.evaluate('history.back()')
    await hasFocus(row)
  })

  test('Esc in a dialog, in a field and in the Workbench does not leave the page', async () => {
    await openFarRow()
    await press('a')
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).waitFor()
    await press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByLabel('New comment').press('Escape')
    await page.getByRole('heading', { name: `Bill ${numbers[far]}` }).focus()
    await press('`')
    const pane = page.getByRole('complementary', { name: 'Workbench' })
    await pane.getByRole('tab', { name: 'Requests' }).press('Escape')
    await pane.waitFor({ state: 'hidden' })
    await page.getByRole('heading', { name: `Bill ${numbers[far]}` }).waitFor()
    assert.match(page.url(), /\/documents\/doc_/)
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
