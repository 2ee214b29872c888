/** What is found, and whom one is connected to, leads to the record itself (console 1.2 and 4). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, get, post, issueBill } = started
const ours = practice?.organization.api_key ?? ''

const find = async (text: string, group: string): Promise<void> => {
  await page.goto(at('/treasury'))
  await page.getByRole('heading', { name: 'Treasury', exact: true }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type(text)
  await page.getByRole('group', { name: group }).getByRole('option').first().click()
}

describe('what is found', { skip: skipsLong ?? false }, () => {
  const chip = () => page.getByRole('button', { name: 'Remove the filter: Demo Counterparty' })

  test('a payment that the palette finds opens the document that it pays', async () => {
    const bill = await issueBill('Elm boards', 77.13)
    await post(ours, `/v1/documents/${bill}/transition`, { to: 'approved' })
    await post(ours, `/v1/documents/${bill}/pay`)
    const { number, total } = await get(ours, `/v1/documents/${bill}`)
    await find(total.toFixed(2), 'Payments')
    await page.getByRole('heading', { name: `Bill ${number}` }).waitFor()
  })

  test('a connection that the palette finds opens the documents that both exchange', async () => {
    await find('Demo Counter', 'Connections')
    await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor()
    await chip().waitFor()
  })

  test('a connection leads to its documents, and what is owed to those that are owed', async () => {
    const bill = await issueBill('Fir boards', 12.5)
    const { number } = await get(ours, `/v1/documents/${bill}`)
    await page.goto(at('/connections'))
    const row = page.getByRole('row', { name: /^Demo Counterparty/ })
    await row.getByRole('link', { name: /^\$/ }).first().waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await row.getByRole('link', { name: /^\$/ }).last().press('Enter')
    await page.getByRole('link', { name: 'You owe' }).waitFor()
    await page.getByRole('link', { name: number }).waitFor()
    await chip().waitFor()
    assert.match(page.url(), /view=payable/)
    await page.goto(at('/connections'))
    await row.getByRole('link', { name: 'Demo Counterparty' }).press('Enter')
    await page.getByRole('link', { name: number }).waitFor()
    await chip().waitFor()
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
