/** What a narrow screen shows first, and what it leaves out. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Page, accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { liveOffice } from '../support/console/live-office.ts'
import { type LiveConsole, startLiveConsole } from '../support/console/live-organizations.ts'
import { brokenBoxes } from '../support/console/looks.ts'
import { allAppearances, showAs } from '../support/console/pictures.ts'
import { hasLoaded } from '../support/console/routes.ts'
import type { RunningConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const isRun = skipsLong === undefined
const started = isRun ? await startLiveConsole() : ({} as LiveConsole)
const { console: running = {} as RunningConsole, live } = started
const { page, complaints } = running
const office = isRun ? await liveOffice(started) : undefined!
const { submitted, approved, draft } = office ?? {}

/** The buttons of the head of the page as they are seen, and which of them are refused. */
const seenActions = (at: Page) =>
  at.evaluate<{ name: string; isRefused: boolean }[]>(`[
    ...document.querySelectorAll('main header [data-print="no"] :is(a, button)')
  ].map((one) => ({ one, box: one.getBoundingClientRect() }))
    .toSorted((a, b) => a.box.top - b.box.top || a.box.left - b.box.left)
    .map(({ one }) => ({
      name: one.firstChild.data,
      isRefused: one.getAttribute('aria-disabled') === 'true',
    }))`)

describe('a narrow screen', { skip: skipsLong ?? false }, () => {
  test('the actions of a document begin with the next one, and end with what is refused', async () => {
    const next = [
      [submitted, 'Approve…'],
      [approved, 'Pay…'],
      [draft, 'Issue…'],
    ] as const
    for (const [id, name] of next) {
      await page.goto(live(`/documents/${id}`))
      await page.getByRole('main').getByRole('button', { name }).waitFor()
      await showAs(page, { width: 390, colorScheme: 'light' })
      const narrow = await seenActions(page)
      assert.equal(narrow[0]!.name, name)
      const refused = narrow.map(({ isRefused }) => isRefused)
      assert.deepEqual(refused, refused.toSorted(), JSON.stringify(narrow))
      await showAs(page, { width: 1440, colorScheme: 'light' })
      const possible = (await seenActions(page)).filter(({ isRefused }) => !isRefused)
      assert.equal(possible.at(-1)!.name, name, 'where one line is enough, it stands at its end')
    }
  })

  test('the actions of loans are in sight beside their principal', async () => {
    await page.goto(live('/finance'))
    await page.getByRole('button', { name: 'Withdraw' }).waitFor()
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
      const hidden = await page.evaluate<number>(
        `Math.max(...[...document.querySelectorAll('.overflow-x-auto')].map(
          (one) => one.scrollWidth - one.clientWidth))`,
      )
      assert.equal(hidden, 0, 'no table is wider than its panel')
    }
  })

  test('the icon of a state is as large beside a text of two lines', async () => {
    await showAs(page, { width: 390, colorScheme: 'light' })
    await page.goto(live('/documents'))
    await page.getByRole('row', { name: /Payment scheduled/ }).waitFor()
    const widths = await page.evaluate<number[]>(
      `[...document.querySelectorAll('td svg')].map((one) => one.getBoundingClientRect().width)
        .filter((width) => width > 0)`,
    )
    assert.deepEqual([...new Set(widths)], [16])
  })

  test('each field of a line of a draft has its name beside it, also once it is filled', async () => {
    await showAs(page, { width: 390, colorScheme: 'light' })
    await page.goto(live(`/documents/${draft}/edit`))
    const quantity = page.getByLabel('Quantity of line 1')
    await quantity.waitFor()
    const shown = await page.locator('main li').first().innerText()
    const names = ['Description', 'Quantity', 'Unit price', 'Tax %', 'SKU', 'Discount']
    assert.deepEqual(shown.split('\n').filter(Boolean), names)
    assert.deepEqual(await accessibilityViolations(page), [])
    await showAs(page, { width: 1440, colorScheme: 'light' })
    assert.equal(await page.locator('main li').first().innerText(), '', 'a wide one has a head')
  })

  test('what stands at the foot of the navigation says in words what it is', async () => {
    await page.goto(live('/documents'))
    await page.getByRole('heading', { name: 'Documents' }).waitFor()
    const tools = {
      Workbench: 'Workbench',
      'API calls': 'API calls of this page',
      Shortcuts: 'Keyboard shortcuts',
      Theme: /^Theme: \w+\. Change to \w+$/,
      'Sign out': 'Sign out',
    }
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      if (appearance.width === 390) await page.getByRole('button', { name: 'Menu' }).click()
      const navigation = page.getByRole('navigation', { name: 'Main' })
      for (const [text, name] of Object.entries(tools)) {
        const tool = navigation.getByRole('button', { name })
        assert.equal((await tool.innerText()).trim(), text)
      }
      assert.deepEqual(await accessibilityViolations(page), [])
      assert.deepEqual(await brokenBoxes(page), [])
      if (appearance.width === 390) await page.getByRole('button', { name: 'Menu' }).click()
    }
  })

  test('a result of the search shows its name whole, and its amount as everywhere', async () => {
    await showAs(page, { width: 390, colorScheme: 'light' })
    await page.goto(live('/connections'))
    await page.getByRole('button', { name: 'Search and commands' }).first().click()
    await page.getByRole('combobox').fill('BILL-0')
    const results = page.getByRole('option', { name: /^BILL-/ })
    await results.first().waitFor()
    const cut = await page.evaluate<string[]>(`[
      ...document.querySelectorAll('[role="option"] .truncate')
    ].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)`)
    assert.deepEqual(cut, [])
    assert.match(await results.first().innerText(), /\$1,234\.50$/)
  })

  test('what is below the quotas keeps its place when they come, to a line or two', async () => {
    await showAs(page, { width: 390, colorScheme: 'light' })
    const isFirstThere = () =>
      page.evaluate<boolean>(`document.querySelector('[aria-label="Organization"]') !== null &&
        document.querySelector('main .animate-pulse:not([data-later] *)') === null`)
    const topOfNext = () =>
      page.evaluate<number>(`scrollY +
        document.querySelector('[aria-label="Organization"]').getBoundingClientRect().top`)
    for (const address of [live('/settings'), running.at('/settings')]) {
      await page.goto(address)
      await until('the first of it is there', isFirstThere)
      assert.equal(await page.getByRole('region', { name: 'Quotas' }).count(), 0)
      const before = await topOfNext()
      await hasLoaded(page, 'settings')
      const moved = (await topOfNext()) - before
      assert(Math.abs(moved) < 40, `${address}: ${moved} px`)
    }
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
