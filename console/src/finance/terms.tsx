/** Terms of loans, as tables and dialogs show them. */
import type { LoanTerms } from '../api/types.ts'
import { DateText, Money } from '../design/format.tsx'
import { moneyText } from '../design/money.ts'
import { Fact } from '../design/layout.tsx'

export const termsText = ({ fee, grace_days, currency }: LoanTerms): string => {
  const price = fee.type === 'bps' ? `${fee.value / 100}%` : moneyText(fee.value, currency)
  return `${price}, ${grace_days} days of grace`
}

export const Principal = ({ terms }: { terms: LoanTerms }) => (
  <Money amount={terms.principal} currency={terms.currency} />
)

/** What the borrower gets, what it costs, and what it has to repay until when. */
export const TermsFacts = ({ terms }: { terms: LoanTerms }) => (
  <dl className="rounded-md border border-line px-4 py-2">
    <Fact term="Paid out">
      <Principal terms={terms} />
    </Fact>
    <Fact term="Fee">
      <Money amount={terms.fee_amount} currency={terms.currency} />
    </Fact>
    <Fact term="To repay">
      <strong>
        <Money amount={terms.total_repayable} currency={terms.currency} />
      </strong>
    </Fact>
    <Fact term="Until">
      <DateText date={terms.due_date} />
    </Fact>
  </dl>
)
