/** Where the dialog that pays several bills has little room, nothing of what is paid is hidden. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong } from '../support/console/browser.ts'
import { type BulkPayments, bulkPaymentsOf } from '../support/console/bulk-payments.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const bulk = skipsLong === undefined ? bulkPaymentsOf(started) : ({} as BulkPayments)
const { page, practice, post } = started
const { ours, openPayment } = bulk

describe('the dialog of several payments', { skip: skipsLong ?? false }, () => {
  test('on a phone, the totals of three currencies are seen first, and the whole button', async () => {
    for (const currency of ['USD', 'EUR', 'GBP']) {
      const { id } = await post(practice.demo.api_key, '/v1/documents', {
        connection_id: practice.connection_id,
        document_type: 'invoice',
        currency,
        external_refs: { sandbox_scenario: 'manual' },
        line_items: [{ description: 'Cypress', quantity: 1, unit_price: 9_000_000, tax_rate: 0 }],
      })
      await post(practice.demo.api_key, `/v1/documents/${id}/issue`)
      await post(ours, `/v1/documents/${id}/transition`, { to: 'approved' })
    }
    await page.setViewportSize({ width: 390, height: 900 })
    await openPayment('Cypress', 3)
    const places = await page.evaluate<number[]>(`(() => {
      const dialog = document.querySelector('[role="dialog"]')
      const button = dialog.querySelector('[type="submit"]').getBoundingClientRect()
      const { left, right } = dialog.getBoundingClientRect()
      const { scrollTop } = dialog.querySelector('form').parentElement
      return [scrollTop, Math.min(0, button.left - left), Math.min(0, right - button.right)]
    })()`)
    assert.deepEqual(places, [0, 0, 0])
  })
})
