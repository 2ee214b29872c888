/** Single letters do no more than the buttons that show them, for a role that only reads. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong, watchedPage } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, practice, at, post, issueBill, addMember, signIn } = started

describe('the keys of a viewer', { skip: skipsLong ?? false }, () => {
  test('console 1.3: what the role refuses opens no dialog by its letter', async () => {
    const viewer = { email: 'viewer@example.com', password: 'a long enough passphrase' }
    await addMember(viewer, 'viewer')
    const bill = await issueBill('Oak boards')
    const draft = await post(practice.organization.api_key, '/v1/documents', {
      connection_id: practice.connection_id,
      document_type: 'invoice',
      line_items: [{ description: 'Beams', quantity: 1, unit_price: 10, tax_rate: 0 }],
    })
    const { page, complaints } = await watchedPage(await browser.newContext(), baseUrl)
    await signIn(page, viewer)
    const opensNothing = async (...keys: string[]): Promise<void> => {
      for (const key of keys) {
        const { length } = await page.url()
        await page.keyboard.press(key)
        assert.equal(await page.getByRole('dialog').count(), 0, key)
        assert.equal(page.url().length, length)
      }
      // The next key would be for a dialog that is still being loaded.
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: /^Key/ }).waitFor()
      await page.keyboard.press('Escape')
    }
    await page.goto(at(`/documents/${bill}`))
    const approve = page.getByRole('button', { name: 'Approve' })
    assert.equal(await approve.getAttribute('aria-disabled'), 'true')
    await opensNothing('a', 'd', 'p')
    await page.goto(at(`/documents/${draft.id}`))
    await page.getByRole('button', { name: 'Issue' }).waitFor()
    await opensNothing('i', 'e')
    await page.goto(at('/documents?query=Oak'))
    await page.getByRole('link', { name: /^BILL-/ }).waitFor()
    await page.keyboard.press('*')
    await page.getByText('1 selected').waitFor()
    await opensNothing('a', 'i')
    assert.deepEqual(complaints, [])
  })
})
