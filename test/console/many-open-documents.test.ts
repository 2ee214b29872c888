/** Home of an organization that has more open documents than one page of the list tells. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { missingBrowser, watchedPage } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, practice, context, page, at, get, post, issueBill, endFirstSteps } = started

describe('Home with many open documents', { skip: missingBrowser ?? false }, () => {
  test('console 5: Home of an organization with more than a page of open documents makes 12 calls', async (t) => {
    const { organization, connection_id } = practice
    const older = await Promise.all(['Fir', 'Yew'].map((name) => issueBill(name)))
    await post(organization.api_key, `/v1/documents/${older[1]}/transition`, { to: 'approved' })
    const invoice = {
      connection_id,
      document_type: 'invoice',
      external_refs: { sandbox_scenario: 'manual' },
      line_items: [{ description: 'Beams', quantity: 1, unit_price: 10, tax_rate: 0 }],
    }
    await post(organization.api_key, '/v1/documents', invoice)
    for (let round = 0; round < 13; round += 1)
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          const { id } = await post(organization.api_key, '/v1/documents', invoice)
          await post(organization.api_key, `/v1/documents/${id}/issue`)
        }),
      )
    await page.goto(at('/'))
    await endFirstSteps()
    // Only one tab of a browser follows the changes.
    await page.close()
    const { page: visit } = await watchedPage(context, baseUrl)
    await visit.setViewportSize({ width: 1440, height: 900 })
    const asked: string[] = []
    visit.on('request', (request) => asked.push(request.url()))
    await visit.goto(at('/'))
    const { data } = await get(organization.api_key, '/v1/documents?phase=draft&limit=5')
    const waitFor = (id: string) => visit.locator(`[data-document="${id}"]`).first().waitFor()
    for (const id of older) await waitFor(id)
    await visit.getByRole('button', { name: 'Show the cash flow' }).waitFor()
    await visit.getByRole('region', { name: 'What is owed' }).waitFor()
    await visit.getByRole('button', { name: 'Show disputes and drafts' }).waitFor()
    await until('the warnings are read', () => asked.some((url) => url.includes('/v1/keys')))
    await until('the changes are followed', () => asked.some((url) => url.includes('/v1/stream')))
    const callsOf = () => asked.filter((url) => !new URL(url).pathname.startsWith('/app/'))
    assert(callsOf().length <= 12, callsOf().join('\n'))
    t.diagnostic(`${callsOf().length} calls`)
    // The charts follow a first sign of the person.
    await visit.keyboard.press('Shift')
    await waitFor(data[0].id)
    await visit.getByText('Both sides agree on everything.').waitFor()
    await visit.getByText('hatched: due or scheduled').waitFor()
    await visit.getByRole('region', { name: 'Documents by state' }).waitFor()
    await visit.keyboard.press('Control+k')
    await visit.getByRole('combobox', { name: 'Search and commands' }).fill('total:<11')
    const all = visit.getByRole('option', { name: /^Search all documents/ })
    await all.waitFor()
    await all.click()
    await visit.waitForURL(/\/documents\?query=total/)
    await visit.close()
  })
})
