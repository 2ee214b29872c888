/** What the lines of a document add up to. */
import type { DocumentRecord } from '../api/types.ts'
import { Money } from '../design/format.tsx'

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 4 })

export const percentText = (rate: number): string => percent.format(rate)

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
      {document.tax_breakdown.map(({ tax_rate, tax }) => sum(`Tax ${percentText(tax_rate)}`, tax))}
      {sum('Total', document.total, true)}
      {document.amount_paid > 0 && sum('Paid', -document.amount_paid)}
      {document.amount_credited > 0 && sum('Credited', -document.amount_credited)}
    </dl>
  )
}
