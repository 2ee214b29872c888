/**
 * The largest amounts and the longest names fit, also on the narrowest screen (WCAG 1.4.10), on
 * most pages that show any; `LONG=1` looks at every page.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { missingBrowser } from '../support/console/browser.ts'
import { busyOffice } from '../support/console/busy-office.ts'
import { brokenBoxes, leftFrames, overflowOf } from '../support/console/looks.ts'
import { showAs } from '../support/console/pictures.ts'
import { openPage, routesOf } from '../support/console/routes.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { inDays } from '../support/dates.ts'
import { runAdmin } from '../support/processes/program.ts'

const isLong = process.env['LONG'] === '1'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { dataDir, practice, page, at, get, post } = started
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

const admin = async (...command: string[]): Promise<string> =>
  (await runAdmin(command, { DATA_DIR: dataDir })).stdout

/** A bill of somebody with a long name, which is approved. */
const billOfLongName = async (): Promise<string> => {
  const email = 'pat@example.com'
  const name = `${longWord} mbH & Co. KG, Zweigniederlassung Regensburg`
  const party = ['--name', name, '--admin-email', email, '--admin-name', 'Pat']
  const [theirs] = (await admin('organization', 'create', '--sandbox', ...party)).match(/org_\w+/)!
  await admin('connection', 'create', practice.organization.id, theirs)
  const [session] = (await admin('session', email)).match(/rs_test_\S+/)!
  const [connection] = (await get(session, '/v1/connections')).data
  const { id } = await post(session, '/v1/documents', {
    connection_id: connection.id,
    document_type: 'invoice',
    due_date: inDays(12),
    external_refs: { sandbox_scenario: 'manual' },
    line_items: [{ description: 'Turbines', ...largestLine }],
  })
  await post(session, `/v1/documents/${id}/issue`)
  await post(practice.organization.api_key, `/v1/documents/${id}/transition`, { to: 'approved' })
  return id
}

const withAmounts = [
  'home',
  'documents',
  'document',
  'payments',
  'calendar',
  'approvals',
  'treasury',
  'connections',
] as const
const routes = (bill: string): [name: string, path: string][] => {
  const all = routesOf({ ...office, bill })
  return isLong ? Object.entries(all) : withAmounts.map((name) => [name, all[name]])
}

describe('the largest amounts', { skip: missingBrowser ?? false }, () => {
  test('make no page wider than 320 px', async () => {
    const bill = await largestBill()
    await showAs(page, { width: 320, colorScheme: 'light' })
    const found: string[] = []
    for (const [name, path] of routes(bill)) {
      await openPage(page, name, at(path))
      const overflow = await overflowOf(page)
      if (overflow > 0) found.push(`${name}: is ${overflow} px wider than the screen`)
      found.push(...(await brokenBoxes(page)).map((problem) => `${name}: ${problem}`))
    }
    assert.deepEqual(found, [])
  })

  test('and the longest names stay in their frames, and hide no column of a table', async () => {
    const ours = practice.organization.api_key
    const paid = await billOfLongName()
    await post(ours, `/v1/documents/${paid}/pay`)
    const bill = await largestBill()
    const found: string[] = []
    for (const width of isLong ? [1440, 1280, 390] : [1280]) {
      await showAs(page, { width, colorScheme: 'light' })
      for (const [name, path] of routes(bill)) {
        await openPage(page, name, at(path))
        const overflow = await overflowOf(page)
        if (overflow > 0) found.push(`${name} at ${width}: is ${overflow} px too wide`)
        const left = await leftFrames(page)
        found.push(...left.map((problem) => `${name} at ${width}: ${problem}`))
      }
    }
    assert.deepEqual(found, [])
  })
})
