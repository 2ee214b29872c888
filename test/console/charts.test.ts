/** Charts of calls, states and loans, each of which opens what it counts (console 1.9). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { accessibilityViolations, showStates, skipsLong } from '../support/console/browser.ts'
import { busyOffice } from '../support/console/busy-office.ts'
import { brokenBoxes, overflowOf } from '../support/console/looks.ts'
import { allAppearances, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, page, complaints, practice, at, get, post, openSession } = started
const { endFirstSteps } = started

/** The demo counterparty is the debtor, and lends. */
const borrow = async (): Promise<void> => {
  const key = practice.organization.api_key
  const invoice = await post(key, '/v1/documents', {
    connection_id: practice.connection_id,
    document_type: 'invoice',
    external_refs: { sandbox_scenario: 'manual' },
    line_items: [{ description: 'Oak staircase', quantity: 1, unit_price: 12_500, tax_rate: 0 }],
  })
  await post(key, `/v1/documents/${invoice.id}/issue`)
  await post(practice.demo.api_key, `/v1/documents/${invoice.id}/transition`, { to: 'approved' })
  const { id } = await post(key, '/v1/finance/listings', {
    document_id: invoice.id,
    sandbox_scenario: 'offer_and_fund',
    terms: { principal: 10_000, fee: { type: 'bps', value: 250 }, grace_days: 7 },
  })
  await post(key, '/v1/sandbox/clock', { advance_by: 'PT1H' })
  const [offer] = (await get(key, `/v1/finance/offers?listing=${id}`)).data
  const { digest } = offer.standing_authorization
  await post(key, `/v1/finance/offers/${offer.id}/accept`, { authorization_digest: digest })
  await post(key, '/v1/sandbox/clock', { advance_by: 'PT1H' })
}

describe('charts', { skip: skipsLong ?? false }, async () => {
  if (skipsLong === undefined) {
    await endFirstSteps()
    await busyOffice(started)
    await borrow()
    const session = await openSession(practice.organization.admin)
    await until('the calls are in the log', async () => {
      const path = '/v1/statistics?metric=requests'
      const { body } = await callApi({ baseUrl }, 'GET', path, { key: session })
      return body.counts.some(({ bucket }: { bucket: string }) => bucket === 'invalid_request')
    })
  }
  const open = async (path: string, region: string) => {
    await page.goto(at(path))
    if (region === 'Documents by state') await showStates(page)
    await page.getByRole('region', { name: region }).getByRole('link').first().waitFor()
  }

  test('an error code opens as many requests as it counts, and a day opens its calls', async () => {
    await open('/requests', 'Why calls were refused')
    const code = page.getByRole('link', { name: /^invalid_request/ })
    const counted = Number(/\d+$/.exec((await code.innerText()).trim())![0])
    await code.click()
    await page.waitForURL(/\/requests\?error_code=invalid_request&since=[\d-]+$/)
    await page.locator('tbody tr[data-row]', { hasText: 'invalid_request' }).first().waitFor()
    await until('the list is that of the mark', async () => {
      const all = await page.locator('tbody tr[data-row]').count()
      return all === counted
    })
    assert.equal(await page.getByLabel('Error').inputValue(), 'invalid_request')
    await open('/requests', 'Calls by day')
    await page
      .getByRole('link', { name: /: [\d,]+ calls, .* 95% within/ })
      .last()
      .click()
    await page.waitForURL(/\/requests\?since=([\d-]+)&until=\1$/)
  })

  test('the share of replays opens the replays', async () => {
    const headers = { 'idempotency-key': 'one-comment' }
    const key = practice.organization.api_key
    const [document] = (await get(key, '/v1/documents?limit=1')).data
    const path = `/v1/documents/${document.id}/comments`
    for (let i = 0; i < 2; i += 1)
      await callApi({ baseUrl }, 'POST', path, { key, body: { text: 'Once' }, headers })
    const session = await openSession(practice.organization.admin)
    await until('the replay is in the log', async () => {
      return (await get(session, '/v1/requests?replayed=true')).data.length === 1
    })
    await open('/requests', 'Calls by day')
    await page.getByRole('link', { name: /^Replays [\d.< ]+%$/ }).click()
    await page.waitForURL(/\/requests\?replayed=true&since=/)
    await page.locator('tbody tr[data-row]', { hasText: 'replay' }).first().waitFor()
    assert.equal(await page.locator('tbody tr[data-row]').count(), 1)
  })

  test('what is open of a loan opens its agreements', async () => {
    await open('/finance', 'Open loans')
    const loans = page.getByRole('region', { name: 'Open loans' })
    assert.match(await loans.innerText(), /10,250\.00[^]*10,000\.00[^]*250\.00[^]*Next repayments/)
    await loans.getByRole('link').first().click()
    await page.waitForURL(/\/finance\?role=borrower&status=funded%2Cflagged$/)
    await page.getByRole('link', { name: 'Show all' }).click()
    await page.waitForURL(/\/finance$/)
  })

  test('a state says how long documents stay in it', async () => {
    await open('/', 'Documents by state')
    const states = page.getByRole('region', { name: 'Documents by state' })
    await states.getByRole('button', { name: 'Show as table: Documents by state' }).click()
    await states.getByRole('columnheader', { name: 'Half left within' }).waitFor()
    await states
      .getByRole('cell', { name: /^\d+ (second|minute|hour)s?/ })
      .first()
      .waitFor()
  })

  test('they are accessible and whole in every appearance', async () => {
    for (const appearance of allAppearances)
      for (const [path, region] of [
        ['/', 'Documents by state'],
        ['/requests', 'Calls by day'],
        ['/finance', 'Open loans'],
      ] as const) {
        await showAs(page, appearance)
        await open(path, region)
        assert.deepEqual(await accessibilityViolations(page), [])
        assert.deepEqual(await brokenBoxes(page), [])
        assert.equal(await overflowOf(page), 0)
      }
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
