/** What the other side, or a colleague, does to a document while a dialog about it is open. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { overflowOf } from '../support/console/looks.ts'
import { allAppearances, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, post, issueBill } = started

describe('a document that changes under a dialog', { skip: skipsLong ?? false }, () => {
  const ours = practice?.organization.api_key
  const theirs = practice?.demo.api_key
  const dialog = () => page.getByRole('dialog')

  const open = async (id: string, button: string): Promise<void> => {
    await page.goto(at(`/documents/${id}`))
    await page.getByRole('button', { name: button }).click()
    await dialog().waitFor()
  }

  test('what a colleague has paid meanwhile cannot be paid again, and says so', async () => {
    const id = await issueBill('Oak boards')
    await post(ours, `/v1/documents/${id}/transition`, { to: 'approved' })
    await open(id, 'Pay…')
    await post(ours, `/v1/documents/${id}/pay`)
    await dialog().getByText('Nothing is owed on it.').waitFor()
    const pay = dialog().getByRole('button', { name: /^Pay/ })
    assert.equal(await pay.getAttribute('aria-disabled'), 'true')
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.keyboard.press('Escape')
  })

  test('what was cancelled meanwhile cannot be approved, and says so', async () => {
    const id = await issueBill('Elm boards')
    await open(id, 'Approve')
    await post(theirs, `/v1/documents/${id}/transition`, { to: 'cancelled' })
    await dialog()
      .getByText(/^It is cancelled/)
      .waitFor()
    const approve = dialog().getByRole('button', { name: 'Approve' })
    assert.equal(await approve.getAttribute('aria-disabled'), 'true')
    assert.doesNotMatch(await dialog().innerText(), /commit to pay/)
    await page.keyboard.press('Escape')
  })

  test('a long word in the notes of the other side breaks, and does not widen the page', async () => {
    const { id } = await post(theirs, '/v1/documents', {
      connection_id: practice.connection_id,
      document_type: 'invoice',
      notes: 'x'.repeat(300),
      external_refs: { sandbox_scenario: 'manual' },
      line_items: [{ description: 'Ash boards', quantity: 1, unit_price: 10, tax_rate: 0 }],
    })
    await post(theirs, `/v1/documents/${id}/issue`)
    await page.goto(at(`/documents/${id}`))
    await page.getByText(/^x{300}$/).waitFor()
    for (const appearance of [...allAppearances, { width: 320, colorScheme: 'light' } as const]) {
      await showAs(page, appearance)
      assert.equal(await overflowOf(page), 0)
    }
    assert.deepEqual(complaints, [])
  })
})
