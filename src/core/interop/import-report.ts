/**
 * What was read of a file, field by field, as it is written there: the texts that became fields,
 * and the amounts, taxes and names that were compared with the record.
 */
import { interopLimits } from '../../contract/interop-limits.ts'
import type { LineItem } from '../../contract/shapes/line-items.ts'
import type { ImportReport } from '../../contract/shapes/imports.ts'
import type { Totals } from '../documents/totals.ts'
import { rateOf } from './import-amounts.ts'
import type { ImportedDocument, ImportedLine } from './imported-document.ts'

type Entry = ImportReport['understood'][number]

/** A field, a term of EN 16931 and the text of the file, null where it has none. */
type Fact = readonly [field: string, term: string, value: string | null]

export interface Understood {
  header: readonly Entry[]
  lines: readonly LineItem[]
  totals: Totals
}

/** Whole lines, as many as there is room for; the last entry names the others. */
export const understoodIn = (
  file: ImportedDocument,
  { header, lines, totals }: Understood,
): Entry[] => {
  const roomForAll = interopLimits.importUnderstoodMaxEntries - 1
  const facts = [
    ...sellerFacts(file),
    ...buyerFacts(file),
    ...totalFacts(file),
    ...taxFacts(file, totals),
  ]
  const count: Fact = ['line_items', 'BG-25', String(lines.length)]
  const entries = [...header, ...entriesOf([count, ...facts])].slice(0, roomForAll)
  for (const [i, item] of lines.entries()) {
    const line = entriesOf(lineFacts(file.lines[i]!, item, `line_items[${i}]`))
    if (entries.length + line.length > roomForAll) {
      const others = `line_items[${i}] to line_items[${lines.length - 1}]`
      entries.push({ field: others, term: 'BG-25', value: 'understood, and not listed here' })
      break
    }
    entries.push(...line)
  }
  return entries
}

const entriesOf = (facts: readonly Fact[]): Entry[] =>
  facts.flatMap(([field, term, value]) =>
    value === null ? [] : [{ field, term, value: value.slice(0, 100) }],
  )

const sellerFacts = ({ seller }: ImportedDocument): Fact[] => [
  ['issuer.name', 'BT-27', seller.name],
  ['issuer.company_id', 'BT-30', seller.companyId],
  ['issuer.vat_id', 'BT-31', seller.vatId],
  ['issuer.electronic_address', 'BT-34', seller.electronicAddress],
]

const buyerFacts = ({ buyer }: ImportedDocument): Fact[] => [
  ['counterparty.name', 'BT-44', buyer.name],
  ['counterparty.company_id', 'BT-47', buyer.companyId],
  ['counterparty.vat_id', 'BT-48', buyer.vatId],
  ['counterparty.electronic_address', 'BT-49', buyer.electronicAddress],
]

/** Allowances, charges, prepayments and roundings are zero here: others are refused. */
const totalFacts = ({ totals }: ImportedDocument): Fact[] => [
  ['subtotal', 'BT-106', totals.lines],
  ['total', 'BT-107', totals.allowances],
  ['total', 'BT-108', totals.charges],
  ['subtotal', 'BT-109', totals.net],
  ['tax', 'BT-110', totals.tax],
  ['total', 'BT-112', totals.total],
  ['total', 'BT-113', totals.prepaid],
  ['total', 'BT-114', totals.rounding],
  ['total', 'BT-115', totals.payable],
]

/** By our rates: a file has a group for each category beside. */
const taxFacts = ({ taxGroups = [] }: ImportedDocument, { tax_breakdown }: Totals): Fact[] =>
  taxGroups.flatMap(({ category, rate, taxable, tax }): Fact[] => {
    const ours = category === 'O' ? 0 : rateOf(rate)
    const group = `tax_breakdown[${tax_breakdown.findIndex(({ tax_rate }) => tax_rate === ours)}]`
    return [
      [`${group}.taxable`, 'BT-116', taxable],
      [`${group}.tax`, 'BT-117', tax],
      [group, 'BT-118', category],
      [`${group}.tax_rate`, 'BT-119', rate],
    ]
  })

const lineFacts = (line: ImportedLine, item: LineItem, field: string): Fact[] => [
  [`${field}.description`, 'BT-153', line.description],
  // A number that has no place here is among what was ignored.
  [`${field}.sku`, 'BT-155', item.sku === undefined ? null : line.sku],
  [`${field}.quantity`, 'BT-129', line.quantity],
  [`${field}.unit_price`, 'BT-146', line.unitPrice],
  [`${field}.unit_price`, 'BT-149', line.baseQuantity],
  ...line.allowances.flatMap(({ isCharge, amount, percent }): Fact[] => [
    [`${field}.discount_value`, isCharge ? 'BT-141' : 'BT-136', amount],
    [`${field}.discount_value`, isCharge ? 'BT-143' : 'BT-138', percent],
  ]),
  [`${field}.tax_category`, 'BT-151', line.isCategoryImplied === true ? null : line.category],
  [`${field}.tax_rate`, 'BT-152', line.rate],
  [`${field}.net`, 'BT-131', line.net],
]
