/** The totals of a document, below its lines at the right. */
import type { DocumentContent } from '../core/documents/content.ts'
import { type TaxGroup, exemptions, taxGroupsOf } from '../core/interop/exported-document.ts'
import { majorText } from '../core/money.ts'
import { type Words, numberText, percentText } from './languages.ts'
import type { Sheet } from './sheet.ts'
import { colors } from './text-style.ts'

const rowHeight = 17
const blockWidth = 250

export const drawTotals = (sheet: Sheet, content: DocumentContent, words: Words): void => {
  const { right, root } = sheet
  const left = right - blockWidth
  const rows = taxGroupsOf(content).map((group): [string, string] => [
    taxLabel(group, words),
    numberText(group.tax, words),
  ])
  const all: [string, string][] = [
    [words.subtotal, numberText(majorText(content.subtotal), words)],
    ...rows,
  ]
  // Together on one page, since a total without its parts explains nothing.
  const height = (all.length + 2) * rowHeight
  if (!sheet.hasRoomFor(height) && height < sheet.document.page.height / 2) sheet.addPage()
  sheet.y += 6
  for (const [name, amount] of all) {
    if (!sheet.hasRoomFor(2 * rowHeight)) sheet.addPage()
    const [first, ...more] = sheet.wrapped(name, blockWidth - 80, { color: colors.quiet })
    const lines = [first!, ...more]
    const { y } = sheet
    const end = sheet.block(root, 'P', [{ lines, style: { color: colors.quiet } }], [left, y])
    sheet.text(root, 'P', amount, { at: [right, y], alignRight: true })
    sheet.y = end + 5
  }
  sheet.rule(sheet.y, { color: colors.accent, width: 1, from: left })
  const total = { size: 12, font: 'strong' } as const
  const amount = `${numberText(majorText(content.total), words)} ${content.currency}`
  sheet.text(root, 'P', words.total, { ...total, at: [left, sheet.y + 8] })
  sheet.text(root, 'P', amount, { ...total, at: [right, sheet.y + 8], alignRight: true })
  sheet.y += 8 + 2 * rowHeight
}

/** "Tax 21 % of 100.00", or why there is none. */
const taxLabel = ({ category, rate, taxable }: TaxGroup, words: Words): string => {
  const base = `${words.of} ${numberText(taxable, words)}`
  const exemption = exemptions[category]
  if (exemption !== undefined) return `${words.exemptions[category] ?? exemption.reason} ${base}`
  return `${words.tax} ${percentText(rate, words)} ${base}`
}
