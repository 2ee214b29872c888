/** The largest amounts and the longest words fit on the narrowest screen (WCAG 1.4.10). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { missingBrowser } from '../support/console/browser.ts'
import { busyOffice } from '../support/console/busy-office.ts'
import { brokenBoxes, overflowOf } from '../support/console/looks.ts'
import { showAs } from '../support/console/pictures.ts'
import { openPage, routesOf } from '../support/console/routes.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { inDays } from '../support/dates.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { practice, page, at, post } = started
const office = missingBrowser === undefined ? await busyOffice(started) : undefined!

const longWord = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
const largestLine = { quantity: 10, unit_price: 999_999_999.99, tax_rate: 0 }

/** A bill of nearly the largest total, which is paid. */
const largestBill = async (): Promise<string> => {
  const [ours, theirs] = [practice.organization.api_key, practice.demo.api_key]
  for (const currency of ['USD', 'EUR', 'GBP', 'CAD'])
    await post(ours, '/v1/sandbox/topup', { currency, amount: 9_999_999_999.99 })
  const { id } = await post(theirs, '/v1/documents', {
    connection_id: practice.connection_id,
    document_type: 'invoice',
    due_date: inDays(12),
    notes: longWord,
    external_refs: { sandbox_scenario: 'manual', order_ref: 'X'.repeat(120) },
    line_items: Array.from({ length: 90 }, () => ({ description: longWord, ...largestLine })),
  })
  await post(theirs, `/v1/documents/${id}/issue`)
  await post(ours, `/v1/documents/${id}/transition`, { to: 'approved' })
  return id
}

describe('the largest amounts', { skip: missingBrowser ?? false }, () => {
  test('make no page wider than 320 px', async () => {
    const bill = await largestBill()
    await showAs(page, { width: 320, colorScheme: 'light' })
    const found: string[] = []
    for (const [name, path] of Object.entries(routesOf({ ...office, bill }))) {
      await openPage(page, name, at(path))
      const overflow = await overflowOf(page)
      if (overflow > 0) found.push(`${name}: is ${overflow} px wider than the screen`)
      found.push(...(await brokenBoxes(page)).map((problem) => `${name}: ${problem}`))
    }
    assert.deepEqual(found, [])
  })
})
