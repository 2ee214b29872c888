/** Keys that are pressed while a document is opened are for it, once it is there (console 1.3). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { withSlowLine } from '../support/console/slow-line.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, context, complaints, at, issueBill, statusOf, endFirstSteps } = started

/** A line on which a document comes some time after its page, and by when a key is still meant. */
describe('a key of a document that is opened', { skip: skipsLong ?? false }, () => {
  const dialog = () => page.getByRole('dialog')
  const isOpening = () => page.getByRole('heading', { name: 'Document', exact: true }).waitFor()
  const row = () => page.getByRole('link', { name: /^BILL-/ })

  /** Opens the first row, and presses a before its document is there. */
  const pressWhileOpening = async (): Promise<void> => {
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    await isOpening()
    await page.keyboard.press('a')
  }

  /** On the page of the document, which a dialog hides from whoever looks for its title. */
  const isAsked = async (): Promise<void> => {
    await page.waitForURL(/\/documents\/doc_/)
    await page.locator('main h1', { hasText: 'Bill BILL-' }).waitFor()
    await dialog().getByRole('button', { name: 'Approve' }).waitFor()
  }

  test('it asks as soon as the document is there', async () => {
    const bill = await issueBill('Alder boards')
    await page.goto(at(`/documents/${bill}`))
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await page.goto(at('/documents?view=approve'))
    await row().first().waitFor()
    await withSlowLine(context, page, async () => {
      await pressWhileOpening()
      assert.equal(await dialog().count(), 0)
      await dialog().getByRole('button', { name: 'Approve' }).waitFor()
    })
    assert.equal(await statusOf(bill), 'submitted')
  })

  test('pressed on the list right after Enter, it is for the document', async () => {
    await issueBill('Birch boards')
    await page.goto(at('/documents?view=approve'))
    await row().first().waitFor()
    for (const key of ['j', 'Enter', 'a']) await page.keyboard.press(key)
    await isAsked()
  })

  test('on Home, it is for the row that Enter has opened', async () => {
    await endFirstSteps()
    await page.goto(at('/'))
    await page.getByRole('region', { name: 'To approve' }).getByRole('link').first().waitFor()
    // The first row may be of something else that needs the person.
    await until('a bill has the focus', async () => {
      await page.keyboard.press('j')
      return page.evaluate<boolean>(`/BILL-/.test(document.activeElement.innerText)`)
    })
    for (const key of ['Enter', 'a']) await page.keyboard.press(key)
    await isAsked()
  })

  test('it is for no other page than the one on which it was pressed', async () => {
    await issueBill('Larch boards')
    await issueBill('Maple boards')
    await page.goto(at('/documents?view=approve'))
    await row().first().waitFor()
    await withSlowLine(context, page, async () => {
      await pressWhileOpening()
      await page.evaluate('history.back()')
      await page.getByRole('heading', { name: 'Documents' }).waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Approve' }).waitFor()
    })
    assert.equal(await dialog().count(), 0)
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
