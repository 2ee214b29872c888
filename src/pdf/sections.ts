/** What follows the totals of a PDF: payment and references, notes, and the proof. */
import type { ExportedDocument } from '../core/interop/exported-document.ts'
import { type CarriedProof, proofLines } from './carried-proof.ts'
import { type Words, dateText } from './languages.ts'
import type { Sheet } from './sheet.ts'
import { label, lineHeight } from './text-style.ts'

/** A section of so many lines, such as the proof, is not torn apart by the end of a page. */
const togetherMaxLines = 12

const titleHeight = 14
const sectionGap = 12
const columnGap = 24
const lineMaxWidth = 400

export const drawSections = (
  sheet: Sheet,
  exported: ExportedDocument,
  what: { proof: CarriedProof | undefined; words: Words },
): void => {
  for (const row of rowsOf(exported, what)) {
    const half = (sheet.width - columnGap) / 2
    const columns = row.map((section) => wrappedSection(sheet, section, half))
    if (columns.length === 2 && columns.every(({ lines }) => lines.length <= togetherMaxLines)) {
      drawBeside(sheet, columns)
    } else for (const section of row) drawSection(sheet, section)
  }
}

interface Section {
  title: string
  lines: string[]
}

/** Sections of one row stand beside each other. */
const rowsOf = (
  exported: ExportedDocument,
  { proof, words }: { proof: CarriedProof | undefined; words: Words },
): Section[][] => {
  const { type, content, parties, references } = exported
  const bank = type === 'invoice' ? parties.issuer.bank : null
  const payment = [
    [words.terms, content.payment_terms && termsText(content.payment_terms, words)],
    [words.accountName, bank?.account_name],
    [words.iban, bank?.iban?.replace(/(.{4})(?=.)/g, '$1 ')],
    [words.bic, bank?.bic],
  ].filter(([, value]) => value != null)
  const related = references.map(({ document_type, number, date }) => {
    const name = words.types[document_type as ExportedDocument['type']]
    return `${name} ${number}, ${dateText(date, words)}`
  })
  const { sandbox_scenario: _, ...refs } = content.external_refs
  const external = Object.entries(refs).map(
    ([name, value]) => `${nameOfReference(name, words)}: ${value}`,
  )
  const rows = [
    [
      { title: words.payment, lines: payment.map(([name, value]) => `${name}: ${value}`) },
      { title: words.references, lines: [...related, ...external] },
    ],
    [{ title: words.notes, lines: content.notes === null ? [] : [content.notes] }],
    [{ title: words.proof, lines: proof === undefined ? [] : proofLines(proof, words) }],
  ]
  return rows.map((row) => row.filter(({ lines }) => lines.length > 0))
}

/** A key of `external_refs` in the language of the page; a key of the issuer's own as it is. */
const nameOfReference = (key: string, words: Words): string => {
  const names = new Map([
    ['issuer_ref', words.issuerReference],
    ['buyer_ref', words.buyerReference],
    ['order_ref', words.orderReference],
  ])
  return names.get(key) ?? key
}

const wrappedSection = (sheet: Sheet, { title, lines }: Section, width: number): Section => ({
  title,
  lines: lines.flatMap((one) => sheet.wrapped(one, width)),
})

/** Columns of the same width, all of them on one page. */
const drawBeside = (sheet: Sheet, columns: readonly Section[]): void => {
  const height = titleHeight + Math.max(...columns.map(({ lines }) => lines.length)) * lineHeight()
  if (!sheet.hasRoomFor(height)) sheet.addPage()
  const { y, left, width } = sheet
  columns.forEach((section, i) => {
    sheet.y = y
    drawLines(sheet, section, left + (i * (width + columnGap)) / columns.length)
  })
  sheet.y = y + height + sectionGap
}

/** A title and its lines, of which many may continue on further pages. */
const drawSection = (sheet: Sheet, section: Section): void => {
  const wrapped = wrappedSection(sheet, section, Math.min(sheet.width, lineMaxWidth))
  const count = wrapped.lines.length
  const together = count <= togetherMaxLines ? count : 2
  if (!sheet.hasRoomFor(titleHeight + together * lineHeight())) sheet.addPage()
  drawLines(sheet, wrapped, sheet.left)
  sheet.y += sectionGap
}

const drawLines = (sheet: Sheet, { title, lines }: Section, x: number): void => {
  sheet.text(sheet.root, 'H2', title, { ...label, at: [x, sheet.y], font: 'strong' })
  sheet.y += titleHeight
  for (const line of lines) {
    if (!sheet.hasRoomFor(lineHeight())) sheet.addPage()
    sheet.text(sheet.root, 'P', line, { at: [x, sheet.y] })
    sheet.y += lineHeight()
  }
}

/** What the service makes of a due date is in the language of the reader; others wrote the rest. */
const termsText = (terms: string, words: Words): string => {
  if (terms === 'Due on receipt') return words.dueOnReceipt
  const [, days] = /^Net (\d+)$/.exec(terms) ?? []
  return days === undefined ? terms : words.netDays(Number(days))
}
