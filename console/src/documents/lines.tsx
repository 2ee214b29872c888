/** The lines of a document, over what they add up to. */
import type { DocumentRecord, LineItemView } from '../api/types.ts'
import { numberText } from '../design/money.ts'
import { Panel } from '../design/layout.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Totals, percentText } from './totals.tsx'

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
  { title: 'Tax', align: 'right', isWide: true, cell: ({ tax_rate }) => percentText(tax_rate) },
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
