/** A document by keyboard: the list beside it, and the palette (console 1.2 and 1.3). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, skipsLong, watchedPage } from '../support/console/browser.ts'
import { allAppearances, picture, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, context, page, complaints, practice, at, get, issueBill } = started

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
    await page.getByRole('button', { name: 'Hide list' }).click()
    assert.equal(await list().count(), 0)
  })

  /** As assistive technology reads them. */
  const groupNames = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('[role="listbox"] [role="group"]')].map(
      (group) => document.getElementById(group.getAttribute('aria-labelledby')).innerText)`)

  test('console 1.3: the palette acts on the document, and says why it cannot', async () => {
    const bill = await issueBill('Yew boards')
    await page.goto(at(`/documents/${bill}`))
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    const input = page.getByRole('combobox', { name: 'Search and commands' })
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: /^Approve: Bill BILL-/ }).waitFor()
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
    }
    await showAs(page, { width: 1440, colorScheme: 'light' })
    assert.deepEqual(await groupNames(), ['Actions', 'Pages', 'Tools'])
    const actions = page.getByRole('listbox').getByRole('group', { name: 'Actions' })
    await actions.getByRole('option', { name: /^Approve: Bill BILL-/ }).waitFor()
    await actions.getByRole('option', { name: /^Create a document/ }).waitFor()
    // The arrows go through all of them, as they stand.
    const walked: string[] = []
    const texts = await page.getByRole('option').allTextContents()
    for (const _ of texts) {
      walked.push((await page.locator('[data-highlighted]').allTextContents()).join())
      await page.keyboard.press('ArrowDown')
    }
    assert.deepEqual(walked, texts)
    await picture(page, 'palette-acts', allAppearances)
    await input.fill('pay: bill')
    const pay = page.getByRole('option', { name: /^Pay: .*It can be paid once it is approved/s })
    await pay.waitFor()
    assert.equal(await pay.getAttribute('aria-disabled'), 'true')
    await page.keyboard.press('Enter')
    await pay.getByText(/^Pay: /).click()
    assert.equal(await input.inputValue(), 'pay: bill')
    await input.fill('dispute: bill')
    await page.getByRole('option', { name: /^Dispute: / }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^Dispute: Bill/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.goto(at('/payments'))
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: 'Go to Home' }).waitFor()
    assert.equal(await page.getByRole('option', { name: /^Dispute: / }).count(), 0)
    await page.keyboard.press('Escape')
  })

  test('console 4: the palette shows the operators of a search, and refuses an unknown one', async () => {
    await issueBill('Larch boards')
    await page.goto(at('/'))
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    await page.keyboard.press('Control+k')
    const input = page.getByRole('combobox', { name: 'Search and commands' })
    await input.fill('larch status:submitted -slate')
    await page
      .getByRole('option', { name: /^BILL-/ })
      .first()
      .waitFor()
    const chips = page.getByRole('list', { name: 'Restrictions' }).getByRole('listitem')
    assert.deepEqual(await chips.allTextContents(), ['status:submitted', '-slate'])
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
    }
    assert.deepEqual(await groupNames(), ['Documents'])
    await picture(page, 'palette-operators', allAppearances)
    await input.fill('larch statsu:submitted')
    await page.getByText('There is no operator statsu:. The operators are status:, type:').waitFor()
    assert.equal(await page.getByRole('option').count(), 0)
    await page.keyboard.press('Escape')
  })

  test('console 1.3: one announcement in five seconds, of which the last one wins', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const bill = await issueBill('Fir boards')
    const { page: watched, complaints: own } = await watchedPage(context, baseUrl)
    await watched.clock.install()
    await watched.goto(at(`/documents/${bill}`))
    await watched.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    await watched.clock.pauseAt((await watched.evaluate<number>('Date.now()')) + 60_000)
    await watched.evaluate(`(() => {
      globalThis.announced = []
      new MutationObserver(() => {
        const text = document.querySelector('[role="status"][aria-live]').textContent
        if (text !== '') announced.push(text)
      }).observe(document.querySelector('[role="status"][aria-live]'), { childList: true })
    })()`)
    const announced = () => watched.evaluate<string[]>('announced')
    const copy = async (what: string): Promise<void> => {
      await watched.getByRole('button', { name: `Copy ${what}` }).click()
      await watched.getByText(`Copied ${what}`).first().waitFor()
    }
    await copy('the id')
    await watched.clock.runFor(10)
    assert.deepEqual(await announced(), ['Copied the id'])
    await copy('link')
    await copy('as curl')
    await watched.clock.runFor(4_900)
    assert.deepEqual(await announced(), ['Copied the id'])
    await watched.clock.runFor(100)
    assert.deepEqual(await announced(), ['Copied the id', 'Copied as curl'])
    const copied = await watched.evaluate<string>('navigator.clipboard.readText()')
    assert.equal(
      copied,
      `curl '${baseUrl}/v1/documents/${bill}' -H "Authorization: Bearer $DOCEX_API_KEY"`,
    )
    assert.deepEqual(own, [])
    await watched.close()
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
