/**
 * Texts that differ from one run to the next, shown as on one day: a picture that is made again
 * then has the same bytes unless its page looks different, as the version control shows.
 */
import type { Page } from './browser.ts'

/**
 * The day of all pictures. What is due in a week then is still due in a week. Weekdays, the grid of
 * a month, PDFs and date fields stay as they are: set it to the day on which all are made again.
 */
const steadyDay = '2026-11-28'

const steadied = `(() => {
  const months = ['Jan','Feb','Mar','Apr','May','Jun','Jul','Aug','Sep','Oct','Nov','Dec']
  const dayMs = 86_400_000
  const steadyAt = Date.parse('${steadyDay}')
  const shiftMs = steadyAt - Math.floor(Date.now() / dayMs) * dayMs
  const thisYear = new Date().getUTCFullYear()
  const date = /\\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\\d{1,2})\\b(, \\d{4})?/g
  const shifted = (_, month, day, year) => {
    const at = Date.UTC(year === undefined ? thisYear : Number(year.slice(2)),
      months.indexOf(month), Number(day))
    const to = new Date(at + shiftMs)
    const isYearSaid = year !== undefined || to.getUTCFullYear() !== thisYear
    return months[to.getUTCMonth()] + ' ' + to.getUTCDate()
      + (isYearSaid ? ', ' + to.getUTCFullYear() : '')
  }
  const steady = (text) => text
    .replace(date, shifted)
    .replace(/\\b\\d{1,2}:\\d{2} [AP]M/g, '10:24 AM')
    .replace(/\\b\\d{1,2}:\\d{2}:\\d{2} [AP]M/g, '10:24:36 AM')
    .replace(/\\b([a-z]{2,4}_)[0-9a-z]{26}\\b/g, '$101m8fq0g75eajtknax5f19cvjg')
    .replace(/\\b(rk_test_dx1_)[0-9A-Za-z]{8}/g, '$1xGgh5fGV')
    .replace(/\\b\\d{2}:\\d{2}:\\d{2} left\\b/, '23:59:30 left')
    .replace(/\\b[0-9a-f]{64}\\b/g, '8ccaa14ec099f0b27d5e'.repeat(3) + 'c1d2')
    .replace(/\\b\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z/g, '${steadyDay}T10:24:36.000Z')
    .replace(/\\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b/g, '1e2adcad-48f3-40d9-aa5a-6236766f0da6')
    .replace(/\\b(localhost|127\\.0\\.0\\.1):\\d+/g, '$1:8080')
    .replace(/\\b(\\d+ (second|minute)s? ago)\\b/g, 'just now')
    .replace(/^Good (morning|afternoon|evening)\\b/, 'Good morning')
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const changed = []
  const fields = []
  while (walker.nextNode()) {
    const node = walker.currentNode
    const [was, now] = [node.data, steady(node.data)]
    if (was === now) continue
    node.data = now
    changed.push({ node, was, now })
  }
  for (const node of document.querySelectorAll('input, textarea')) {
    if (node.type === 'date' || node.type === 'password') continue
    const [was, now] = [node.value, steady(node.value)]
    if (was === now) continue
    node.value = now
    fields.push({ node, was })
  }
  window.giveTextsBack = () => {
    for (const { node, was } of fields) node.value = was
    for (const { node, was, now } of changed) if (node.data === now) node.data = was
  }
})()`

/** The texts of one day while the picture is taken; a test goes on with those that were there. */
export const withSteadyTexts = async (page: Page, take: () => Promise<unknown>): Promise<void> => {
  await page.evaluate(steadied)
  await take()
  await page.evaluate('window.giveTextsBack()')
}
