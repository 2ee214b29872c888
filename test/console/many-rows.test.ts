/** Lists of more rows than one reads at a time, for whoever does not see or point at them. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, practice, complaints, at, post, issueBill, openSession } = started

/** A page has 50. */
const draftCount = 60

const addDraft = async (): Promise<void> => {
  await post(practice.organization.api_key, '/v1/documents', {
    connection_id: practice.connection_id,
    document_type: 'invoice',
    line_items: [{ description: 'Larch', quantity: 1, unit_price: 10, tax_rate: 0 }],
  })
}

describe('a list of many rows', { skip: skipsLong ?? false }, () => {
  before(async () => {
    for (let i = 0; i < draftCount; i += 20) await Promise.all(Array.from({ length: 20 }, addDraft))
  })

  test('a row is selected by what it is called, and not by its id', async () => {
    await issueBill('Oak boards')
    await page.goto(at('/documents'))
    const box = page.getByRole('checkbox', { name: /^Select Bill BILL-\d+, Demo Counterparty$/ })
    await box.first().press('Space')
    await page.getByText('1 selected').waitFor()
    const unclear = page.getByRole('checkbox', { name: /doc_/ })
    assert.equal(await unclear.count(), 0)
  })

  test('WCAG 4.1.3: that a filter finds nothing is announced, and the focus stays', async () => {
    await page.goto(at('/documents'))
    const search = page.getByLabel('Find documents')
    await search.fill('no such thing')
    await page.getByRole('status').getByText('No documents match').waitFor()
    assert.equal(await page.evaluate('document.activeElement.type'), 'search')
    await page.goto(at('/payments?status=failed'))
    await page.getByRole('status').getByText('Nothing matches').waitFor()
  })

  test('the last document of a page leads on to the first of the next one', async () => {
    await page.goto(at('/documents?view=drafts'))
    await page.getByRole('button', { name: 'Show more' }).waitFor()
    const last = page.locator('[data-row]:nth-child(50) a')
    await last.press('Enter')
    await page.getByText(/^50 of \d+$/).waitFor()
    await until('the next page is read', async () => {
      const next = page.getByRole('button', { name: 'Next' })
      return (await next.getAttribute('aria-disabled')) !== 'true'
    })
    await page.keyboard.press('j')
    await page.getByText(`51 of ${draftCount}`).waitFor()
  })

  test('a rotation is followed although a hundred keys are newer than the old one', async () => {
    const session = await openSession(practice.organization.admin)
    const scopes = ['documents:read']
    const old = await post(session, '/v1/keys', { name: 'Old till', scopes })
    for (let i = 0; i < 100; i++) {
      const { id } = await post(session, '/v1/keys', { name: `Newer ${i}`, scopes })
      await post(session, `/v1/keys/${id}/revoke`)
    }
    await post(session, `/v1/keys/${old.id}/rotate`)
    await page.goto(at('/keys'))
    const rotation = page.getByRole('region', { name: 'Rotation of Old till' })
    await rotation.getByText('Not used yet').waitFor()
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
