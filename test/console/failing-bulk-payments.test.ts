/** Of several payments, one for which there is no money is told apart from those that are made. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong } from '../support/console/browser.ts'
import { type BulkPayments, bulkPaymentsOf } from '../support/console/bulk-payments.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { inDays } from '../support/dates.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const bulk = skipsLong === undefined ? bulkPaymentsOf(started) : ({} as BulkPayments)
const { page, practice, post } = started
const { ours, dialog, approvedBills, openPayment, says } = bulk

describe('payments of more than there is', { skip: skipsLong ?? false }, () => {
  test('what is more than the account has is said before, and which payment has failed after', async () => {
    await approvedBills(2, 'Teak')
    for (let i = 0; i < 2; i += 1) {
      const { id } = await post(practice.demo.api_key, '/v1/documents', {
        connection_id: practice.connection_id,
        document_type: 'invoice',
        external_refs: { sandbox_scenario: 'manual' },
        line_items: [{ description: 'Teak', quantity: 1, unit_price: 600_000, tax_rate: 0 }],
      })
      await post(practice.demo.api_key, `/v1/documents/${id}/issue`)
      await post(ours, `/v1/documents/${id}/transition`, { to: 'approved' })
    }
    await openPayment('Teak', 4)
    await says(/^Only \$[\d,.]+ available: not all will be paid$/)
    await dialog().getByLabel('Pay on').fill(inDays(20))
    await says(/^Only \$[\d,.]+ available today$/)
    await dialog().getByLabel('Pay on').fill('')
    await dialog()
      .getByRole('button', { name: /^Pay 4 / })
      .focus()
    await says('Each of them can be paid.')
    await page.keyboard.press('Enter')
    await says(/^Done: .* Together \$/)
    // The simulator lets it fail two seconds later.
    await says('The account has insufficient funds.')
    await says(
      /^Done: (3 paid, 1 failed|1 failed, 3 paid)\. Without what failed, together \$600,\d+\.\d\d\.$/,
    )
    const first = dialog().getByRole('list', { name: 'Documents' }).locator('li').first()
    assert.match(await first.innerText(), /insufficient funds/)
    await page.keyboard.press('Escape')
  })
})
