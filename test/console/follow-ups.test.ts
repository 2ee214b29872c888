/** A dispute says why, and a document leads to others: an order, an invoice, a credit note. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, missingBrowser } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { inDays } from '../support/dates.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, get, post } = started
const ours = practice?.organization.api_key
const theirs = practice?.demo.api_key

const issued = async (key: string, document_type: string, more: object = {}): Promise<string> => {
  const { id } = await post(key, '/v1/documents', {
    connection_id: practice.connection_id,
    document_type,
    ...more,
    external_refs: { sandbox_scenario: 'manual' },
    line_items: [100, 200, 300, 400, 500].map((unit_price) => ({
      description: `Chair for ${unit_price}`,
      quantity: 1,
      unit_price,
      tax_rate: 0,
    })),
  })
  await post(key, `/v1/documents/${id}/issue`)
  return id
}

const open = (id: string) => page.goto(at(`/documents/${id}`))

/** Makes the draft of what follows, and returns its id. */
const follow = async (kind: string): Promise<string> => {
  await page.getByRole('button', { name: `${kind}…` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create the draft' }).click()
  await page.waitForURL(/\/edit/)
  return /doc_\w+/.exec(page.url())![0]
}

const saveAndIssue = async (): Promise<void> => {
  await page.getByText('Subtotal').waitFor()
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.getByRole('button', { name: 'Issue…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Issue' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
}

describe('what follows from a document', { skip: missingBrowser ?? false }, () => {
  test('the issuer reads why an invoice is disputed, and credits two of its five lines', async () => {
    const invoice = await issued(ours, 'invoice')
    const note = 'Two chairs arrived broken.'
    await post(theirs, `/v1/documents/${invoice}/transition`, {
      to: 'disputed',
      reason_code: 'QUA',
      note,
    })
    await open(invoice)
    const dispute = page.getByRole('region', { name: 'Dispute' })
    await dispute.getByText(note).waitFor()
    await dispute.getByText('There is a quality problem with the goods or services.').waitFor()
    await dispute.getByText('Demo Counterparty').first().waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    const credit = await follow('Credit note')
    assert.equal(await page.getByLabel('Kind').inputValue(), 'credit_note')
    for (const line of [5, 4, 1])
      await page.getByRole('button', { name: `Remove line ${line}` }).click()
    await saveAndIssue()
    const { total, references } = await get(ours, `/v1/documents/${credit}`)
    assert.equal(total, 500)
    assert.deepEqual(references, [{ rel: 'credits', document_id: invoice }])
    assert.equal((await get(theirs, `/v1/documents/${invoice}`)).balance_due, 1_000)
  })

  test('an accepted quote becomes an order', async () => {
    const quote = await issued(theirs, 'quote')
    await post(ours, `/v1/documents/${quote}/transition`, { to: 'accepted' })
    await open(quote)
    const order = await follow('Purchase order')
    await saveAndIssue()
    assert.equal((await get(theirs, `/v1/documents/${order}`)).status, 'sent')
    assert.equal((await get(ours, `/v1/documents/${quote}`)).status, 'converted')
  })

  test('and an order of the other side an invoice, which bills all of it', async () => {
    const order = await issued(theirs, 'purchase_order')
    await open(order)
    const invoice = await follow('Invoice')
    await saveAndIssue()
    assert.equal((await get(theirs, `/v1/documents/${invoice}`)).total, 1_500)
  })

  test('a credit of an invoice whose due date has passed asks for other terms', async () => {
    const invoice = await issued(ours, 'invoice', {
      document_date: inDays(-40),
      payment_terms: `Due ${inDays(-10)}`,
    })
    await open(invoice)
    await page.getByRole('button', { name: 'Credit note…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Create the draft' }).click()
    await dialog.getByLabel('Terms').fill('Net 30')
    await dialog.getByRole('button', { name: 'Create the draft' }).click()
    await page.waitForURL(/\/edit/)
    assert.equal(await page.getByLabel('Payment terms').inputValue(), 'Net 30')
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
