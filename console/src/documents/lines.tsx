/** The lines of a document and what they add up to. */
import type { DocumentRecord, LineItemView } from '../api/types.ts'
import { Money } from '../design/format.tsx'
import { numberText } from '../design/money.ts'
import { Panel } from '../design/layout.tsx'
import { type Column, Table } from '../design/table.tsx'

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 4 })
const plain = new Intl.NumberFormat(undefined, {
  maximumFractionDigits: 6,
  minimumFractionDigits: 0,
})
const price = new Intl.NumberFormat(undefined, {
  maximumFractionDigits: 6,
  minimumFractionDigits: 2,
})

const columns: Column<LineItemView>[] = [
  {
    title: 'Description',
    className: 'min-w-40',
    cell: (line) => (
      <>
        <bdi className="wrap-anywhere">{line.description}</bdi>
        {line.sku && <span className="block text-sm text-muted">{line.sku}</span>}
        <span className="block text-sm text-muted roomy:hidden">
          {numberText(plain, line.quantity)} × {numberText(price, line.unit_price)}
        </span>
      </>
    ),
  },
  {
    title: 'Quantity',
    align: 'right',
    isWide: true,
    cell: ({ quantity }) => numberText(plain, quantity),
  },
  {
    title: 'Unit price',
    align: 'right',
    isWide: true,
    cell: ({ unit_price }) => numberText(price, unit_price),
  },
  {
    title: 'Discount',
    align: 'right',
    isWide: true,
    cell: ({ discount }) =>
      discount === 0 ? <span className="text-faint">–</span> : numberText(price, -discount),
  },
  { title: 'Tax', align: 'right', isWide: true, cell: ({ tax_rate }) => percent.format(tax_rate) },
  { title: 'Net', align: 'right', cell: ({ net }) => numberText(price, net) },
]

export const Lines = ({ document }: { document: DocumentRecord }) => (
  <Panel title="Lines" aside={<span className="text-sm text-muted">{document.currency}</span>}>
    <Table
      caption="Lines"
      isBeside
      columns={columns}
      rows={document.line_items}
      rowKey={({ line }) => String(line)}
    />
    <Totals document={document} />
    {document.notes && (
      <p
        dir="auto"
        className="border-t border-line px-4 py-3 wrap-anywhere whitespace-pre-line text-muted"
      >
        {document.notes}
      </p>
    )}
  </Panel>
)

type Sums = Pick<
  DocumentRecord,
  | 'subtotal'
  | 'discount_total'
  | 'tax_breakdown'
  | 'total'
  | 'currency'
  | 'amount_paid'
  | 'amount_credited'
  | 'balance_due'
>

export const Totals = ({ document }: { document: Sums }) => {
  const { currency } = document
  const sum = (term: string, amount: number, isMain = false) => (
    <div
      key={term}
      className={`flex justify-between gap-8 py-1 ${isMain ? 'border-t border-line pt-2 text-lg font-semibold' : ''}`}
    >
      <dt className={isMain ? '' : 'text-muted'}>{term}</dt>
      <dd>
        <Money amount={amount} currency={currency} />
      </dd>
    </div>
  )
  return (
    <dl className="ml-auto w-full max-w-[22.5rem] px-4 py-3">
      {document.discount_total > 0 && sum('Discounts', -document.discount_total)}
      {sum('Subtotal', document.subtotal)}
      {document.tax_breakdown.map(({ tax_rate, tax }) =>
        sum(`Tax ${percent.format(tax_rate)}`, tax),
      )}
      {sum('Total', document.total, true)}
      {document.amount_paid > 0 && sum('Paid', -document.amount_paid)}
      {document.amount_credited > 0 && sum('Credited', -document.amount_credited)}
    </dl>
  )
}
