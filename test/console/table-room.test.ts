/** A table shows what its room allows: on a tablet, beside the navigation, that is a phone's. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Page, skipsLong } from '../support/console/browser.ts'
import { busyOffice } from '../support/console/busy-office.ts'
import { showAs } from '../support/console/pictures.ts'
import { openPage, routesOf } from '../support/console/routes.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, at, complaints } = started
const office = skipsLong === undefined ? await busyOffice(started) : {}

/** A tablet upright, one across, half of a wide screen, and two laptops. */
const widths = [820, 1024, 1112, 1280, 1366]

/** How much of a table is out of sight, which begins with its amounts and actions. */
const hiddenWidth = (at: Page) =>
  at.evaluate<number>(`Math.max(0, ...[...document.querySelectorAll('main table')].map(
    ({ parentElement: one }) => one.scrollWidth - one.clientWidth))`)

/** The columns of the first table that can be seen. */
const columnsOf = (at: Page) =>
  at.evaluate<string[]>(`[...document.querySelector('main table').querySelectorAll('th')].flatMap(
    (one) => one.checkVisibility() && one.innerText !== '' ? [one.innerText] : [])`)

describe('the room of a table', { skip: skipsLong ?? false }, () => {
  test('no amount and no action is out of sight, from a tablet to a laptop', async () => {
    const found: string[] = []
    for (const [name, path] of Object.entries(routesOf(office))) {
      await openPage(page, name, at(path))
      for (const width of widths) {
        await showAs(page, { width, colorScheme: 'light' })
        const hidden = await hiddenWidth(page)
        if (hidden > 0) found.push(`${name} hides ${hidden} px of a table at ${width} px`)
      }
    }
    assert.deepEqual(found, [])
  })

  test('documents lose columns in the order of what a reader can do without', async () => {
    await openPage(page, 'documents', at('/documents'))
    const shownAt = async (width: number) => {
      await showAs(page, { width, colorScheme: 'light' })
      return columnsOf(page)
    }
    const all = ['Number', 'Kind', 'Party', 'State', 'Date', 'Due', 'Reference', 'Total', 'Open']
    assert.deepEqual(await shownAt(1440), all)
    assert.deepEqual(await shownAt(1112), ['Number', 'Party', 'State', 'Due', 'Total', 'Open'])
    assert.deepEqual(await shownAt(820), ['Number', 'Total'])
    const row = page.getByRole('row', { name: /Payment scheduled/ })
    const text = await row.innerText()
    assert.match(text, /Demo Counterparty/, 'the other side stands below the number')
    assert.match(text, /Payment scheduled/, 'and the state below the amount')
  })

  test('the largest amounts take the room of names and references, and stay in sight', async () => {
    for (const currency of ['USD', 'CAD']) {
      const { id } = await started.post(started.practice.demo.api_key, '/v1/documents', {
        connection_id: started.practice.connection_id,
        document_type: 'invoice',
        currency,
        external_refs: { sandbox_scenario: 'manual', issuer_ref: 'REFERENCE-0001-2026' },
        line_items: Array.from({ length: 90 }, () => ({
          description: 'Turbine',
          quantity: 10,
          unit_price: 999_999_999.99,
          tax_rate: 0,
        })),
      })
      await started.post(started.practice.demo.api_key, `/v1/documents/${id}/issue`)
    }
    await openPage(page, 'documents', at('/documents'))
    await page.getByText('$899,999,999,991.00').first().waitFor()
    for (const width of [820, 1112, 1280, 1366, 1440]) {
      await showAs(page, { width, colorScheme: 'light' })
      assert.equal(await hiddenWidth(page), 0, `at ${width} px`)
    }
  })

  test('what a narrow table leaves out stands below its first words', async () => {
    const admin = await started.openSession(started.practice.organization.admin)
    await started.post(admin, '/v1/invitations', { email: 'grace@example.com', role: 'approver' })
    await showAs(page, { width: 1112, colorScheme: 'light' })
    await openPage(page, 'settings', at('/settings'))
    await page.getByText(/^Approver, until /).waitFor()
    await page.getByText(/^last seen /).waitFor()
    await openPage(page, 'proof', at(routesOf(office).proof))
    await page.locator('main td time').first().waitFor()
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
