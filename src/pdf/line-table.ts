/** The lines of a document as a table over as many pages as they need, with carried totals. */
import type { DocumentContent } from '../core/documents/content.ts'
import { type ExportedLine, exportedLinesOf } from '../core/interop/exported-document.ts'
import { minorText, parseMinor } from '../core/money.ts'
import { type Words, numberText, percentText, priceText } from './languages.ts'
import type { Sheet, Structure } from './sheet.ts'
import { colors, lineHeight } from './text-style.ts'

const numberFields = ['amount', 'taxRate', 'discount', 'unitPrice', 'quantity'] as const
type Field = 'line' | 'description' | (typeof numberFields)[number]

/** Where a column is: its left edge for texts, its right edge for numbers. */
interface Column {
  field: Field
  x: number
  alignRight: boolean
}

const lineWidth = 24
const columnGap = 16
const rowPadding = 5
const header = { size: 7.5, font: 'strong', color: colors.quiet } as const
const skuStyle = { size: 7.5, color: colors.quiet } as const

/** A longer description continues in rows without numbers. */
const linesPerRowMax = 40

interface Row {
  /** Undefined where a description continues. */
  line: ExportedLine | undefined
  description: string[]
  sku: string[]
  /** In cents, what the lines above it come to. */
  carried: bigint
}

export const drawLineTable = (
  sheet: Sheet,
  parent: Structure,
  content: DocumentContent,
  words: Words,
): void => {
  const lines = exportedLinesOf(content)
  const { columns, descriptionWidth } = columnsOf(sheet, lines, words)
  const table = sheet.group(parent, 'Table')
  drawHeader(sheet, columns, words, table)
  let carried = 0n
  lines.forEach((line, i) => {
    const description = sheet.wrapped(line.description, descriptionWidth)
    const sku = line.sku === null ? [] : sheet.wrapped(line.sku, descriptionWidth, skuStyle)
    const place = { columns, words, table }
    const first = description.splice(0, linesPerRowMax)
    drawRow(sheet, { line, description: first, sku, carried }, place)
    carried += parseMinor(content.line_items[i]!.net)!
    while (description.length > 0) {
      const next = description.splice(0, linesPerRowMax)
      drawRow(sheet, { line: undefined, description: next, sku: [], carried }, place)
    }
  })
  table.end()
}

/** Columns of numbers are as wide as what they show, and descriptions have the rest. */
const columnsOf = (sheet: Sheet, lines: readonly ExportedLine[], words: Words) => {
  const hasDiscount = lines.some(({ discount }) => discount !== undefined)
  const texts = lines.map((line) => textsOf(line, words))
  let x = sheet.right
  const numbers = numberFields
    .filter((field) => field !== 'discount' || hasDiscount)
    .map((field): Column => {
      const column = { field, x, alignRight: true }
      const title = sheet.widthOf(words[field], header)
      x -= Math.max(title, ...texts.map((text) => sheet.widthOf(text[field]))) + columnGap
      return column
    })
  const left = sheet.left + lineWidth
  const columns: Column[] = [
    { field: 'line', x: sheet.left, alignRight: false },
    { field: 'description', x: left, alignRight: false },
    ...numbers.toReversed(),
  ]
  return { columns, descriptionWidth: x - left }
}

const drawHeader = (
  sheet: Sheet,
  columns: readonly Column[],
  words: Words,
  table?: Structure,
): void => {
  const { y } = sheet
  const row = table === undefined ? undefined : sheet.group(table, 'TR')
  for (const { field, x, alignRight } of columns) {
    const title = field === 'line' ? '#' : words[field]
    const style = { ...header, alignRight }
    if (row === undefined) sheet.artifact(() => sheet.decorate(title, [x, y], style))
    else sheet.text(row, 'TH', title, { ...style, at: [x, y] })
  }
  row?.end()
  sheet.rule(y + 15, { color: colors.accent, width: 1 })
  sheet.y = y + 15 + rowPadding
}

interface Table {
  columns: readonly Column[]
  words: Words
  table: Structure
}

/** A row stays on one page. */
const drawRow = (sheet: Sheet, { line, description, sku, carried }: Row, place: Table): void => {
  const { columns, words, table } = place
  const texts = line && textsOf(line, words)
  const height = description.length * lineHeight() + sku.length * lineHeight(skuStyle)
  // The carried total below needs a line as well.
  if (!sheet.hasRoomFor(height + 2 * rowPadding + lineHeight())) {
    continueOnNextPage(sheet, place, carried)
  }
  const row = sheet.group(table, 'TR')
  const { y } = sheet
  for (const { field, x, alignRight } of columns) {
    if (field !== 'description')
      sheet.text(row, 'TD', texts?.[field] ?? '', { at: [x, y], alignRight })
    else sheet.block(row, 'TD', [{ lines: description }, { lines: sku, style: skuStyle }], [x, y])
  }
  row.end()
  sheet.y = y + height + rowPadding
  sheet.rule(sheet.y)
  sheet.y += rowPadding
}

const textsOf = (
  line: ExportedLine,
  words: Words,
): Record<Exclude<Field, 'description'>, string> => ({
  line: line.id,
  quantity: numberText(line.quantity, words),
  unitPrice: priceText(line.unitPrice, words),
  discount: discountText(line, words),
  taxRate: percentText(line.rate, words),
  amount: numberText(line.net, words),
})

const discountText = ({ discount }: ExportedLine, words: Words): string => {
  if (discount === undefined) return ''
  const { percent, amount } = discount
  return percent === undefined ? `−${numberText(amount, words)}` : percentText(percent, words)
}

const continueOnNextPage = (sheet: Sheet, { columns, words }: Table, carried: bigint): void => {
  const carry = (label: string) => {
    const amount = numberText(minorText(carried), words)
    const style = { color: colors.quiet, font: 'strong', size: 8 } as const
    sheet.artifact(() => {
      sheet.decorate(label, [sheet.left + lineWidth, sheet.y], style)
      sheet.decorate(amount, [sheet.right, sheet.y], { ...style, alignRight: true })
    })
    sheet.y += lineHeight() + rowPadding
  }
  carry(words.carriedForward)
  sheet.addPage()
  drawHeader(sheet, columns, words)
  carry(words.broughtForward)
  sheet.rule(sheet.y - rowPadding + 2)
  sheet.y += rowPadding
}
