/** All that a loan costs, as it is disclosed with each offer. */
import type { FinanceListing, FinanceOffer } from '../api/types.ts'
import { DateText, Money, wordsOf } from '../design/format.tsx'
import { Fact } from '../design/layout.tsx'

export const yearlyText = ({ disclosure }: FinanceOffer): string =>
  `${(disclosure.annualized_cost * 100).toFixed(2)}%`

export const DisclosureFacts = ({ offer }: { offer: FinanceOffer }) => {
  const { terms, disclosure, role } = offer
  const amount = (value: number) => <Money amount={value} currency={terms.currency} />
  return (
    <dl className="rounded-md border border-line px-4 py-2">
      <Fact term={role === 'borrower' ? 'You receive' : 'You pay out'}>
        {amount(disclosure.amount_provided)}
      </Fact>
      <Fact term={role === 'borrower' ? 'It costs' : 'You earn'}>
        {amount(disclosure.finance_charge)}
      </Fact>
      <Fact term="To repay">
        <strong>{amount(disclosure.total_repayable)}</strong>
      </Fact>
      <Fact term="Until">
        <DateText date={terms.due_date} />
      </Fact>
      <Fact term="Term">{disclosure.term_days} days</Fact>
      <Fact term="Annual rate">{yearlyText(offer)}</Fact>
      <Fact term="Recourse">{wordsOf(disclosure.recourse)}</Fact>
    </dl>
  )
}

/** Whether the debtor is told of the assignment, which is a term of the loan (domain 5.6). */
export const NoticeFact = ({ notice }: Pick<FinanceListing, 'notice'>) => (
  <Fact term="Debtor">
    {notice === 'disclosed' ? 'Told once the loan is paid out' : 'Not told of the loan'}
  </Fact>
)
