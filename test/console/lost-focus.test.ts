/** Whoever works by keyboard keeps the focus when what had it goes (console 5). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, get, post } = started

const aDraft = async (): Promise<string> => {
  const { id } = await post(practice.organization.api_key, '/v1/documents', {
    connection_id: practice.connection_id,
    document_type: 'invoice',
    line_items: [{ description: 'Oak', quantity: 1, unit_price: 10, tax_rate: 0 }],
  })
  return id
}

const hasFocus = (element: string) =>
  until(`the focus is on ${element}`, () =>
    page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(element)})`),
  )

describe('the focus of what goes', { skip: skipsLong ?? false }, () => {
  test('passes from a removed line to the next, and from the last to the button below', async () => {
    await page.goto(at('/documents/new'))
    await page.getByRole('button', { name: 'Add line' }).press('Enter')
    await page.getByLabel('Description of line 2').waitFor()
    await page.getByRole('button', { name: 'Remove line 1' }).press('Enter')
    await hasFocus('[aria-label="Remove line 1"]')
    await page.keyboard.press('Enter')
    await until('no line is left', async () => (await page.locator('main li input').count()) === 0)
    assert.equal(await page.evaluate('document.activeElement.innerText'), 'Add line')
  })

  test('passes from a button that a dialog takes away to the heading of the page', async () => {
    const id = await aDraft()
    await page.goto(at(`/documents/${id}`))
    await page.getByRole('main').getByRole('button', { name: 'Issue…' }).press('Enter')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Issue', exact: true })
      .press('Enter')
    await until('it is issued', async () => {
      const { status } = await get(practice.organization.api_key, `/v1/documents/${id}`)
      return status !== 'draft'
    })
    await hasFocus('main h1')
  })

  test('goes back to a button that is still there once its dialog has done its work', async () => {
    await page.goto(at('/connections'))
    await page.getByRole('button', { name: 'Invite' }).press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await until('the focus is back', () =>
      page.evaluate<boolean>(`document.activeElement.innerText === 'Invite'`),
    )
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
