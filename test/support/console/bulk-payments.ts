/** Bills that wait for their payment in a list, and the dialog that pays several of them. */
import assert from 'node:assert/strict'
import type { RunningConsole } from './running-console.ts'

export const bulkPaymentsOf = ({ page, practice, at, get, post, issueBill }: RunningConsole) => {
  const ours = practice.organization.api_key
  const dialog = () => page.getByRole('dialog')
  const approvedBills = async (count: number, word: string): Promise<string[]> => {
    const bills: string[] = []
    for (let i = 0; i < count; i += 1) {
      const bill = await issueBill(word, 10 + i)
      await post(ours, `/v1/documents/${bill}/transition`, { to: 'approved' })
      bills.push(bill)
    }
    return bills
  }
  const paymentsOf = async (bill: string): Promise<{ status: string }[]> =>
    (await get(ours, '/v1/payments?limit=100')).data.filter(
      ({ document_id }: { document_id: string }) => document_id === bill,
    )
  const eachIsPaidOnce = async (bills: readonly string[]): Promise<void> => {
    for (const bill of bills)
      assert.deepEqual(
        (await paymentsOf(bill)).map(({ status }) => status),
        ['settled'],
      )
  }
  const openList = async (word: string): Promise<void> => {
    await page.goto(at(`/documents?view=pay&query=${word}`))
    await page
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .waitFor()
  }
  const openPayment = async (word: string, count: number): Promise<void> => {
    await openList(word)
    await page.keyboard.press('*')
    await page.getByText(`${count} selected`).waitFor()
    await page.keyboard.press('p')
    await dialog()
      .getByText(/can be paid/)
      .waitFor()
  }
  const says = (text: string | RegExp) => dialog().getByText(text).first().waitFor()
  const counted = (text: string) => dialog().locator('li').getByText(text).count()
  return {
    ours,
    dialog,
    approvedBills,
    paymentsOf,
    eachIsPaidOnce,
    openList,
    openPayment,
    says,
    counted,
  }
}

export type BulkPayments = ReturnType<typeof bulkPaymentsOf>
