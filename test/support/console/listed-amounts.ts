/** The amounts that a list of the console shows. */
import type { Page } from './browser.ts'

/** "−1,080.00 USD" → -108000. */
export const cents = (text: string): number =>
  Math.round(Number(text.replace('−', '-').replaceAll(/[^\d.-]/g, '')) * 100)

/** Waits for a bill in the list; returns what the last column of all rows adds up to, in cents. */
export const sumOfBills = async (page: Page): Promise<number> => {
  await page
    .getByRole('link', { name: /^BILL-/ })
    .first()
    .waitFor()
  const amounts = await page.evaluate<string[]>(
    `[...document.querySelectorAll('tbody tr[data-row]')].map((row) => row.lastElementChild.innerText)`,
  )
  return amounts.map(cents).reduce((sum, one) => sum + one, 0)
}
