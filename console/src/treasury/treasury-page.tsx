/** What each account holds, and every posting behind it. */
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useRead } from '../api/reads.ts'
import type { Account, Balance, Page as Rows, Transaction } from '../api/types.ts'
import { Money, Time, wordsOf } from '../design/format.tsx'
import { List } from '../design/list-page.tsx'
import { Fact, Page, Panel, Refusal, Skeleton } from '../design/layout.tsx'
import { SavedViews } from '../design/saved-views.tsx'
import { StatusMark } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'

const route = getRouteApi('/o/$org/treasury')

const TreasuryPage = () => {
  const { account: chosen } = route.useSearch()
  const accounts = useRead<Rows<Account>>('/v1/treasury/accounts', { limit: 100 })
  const balances = useRead<Rows<Balance>>('/v1/treasury/balances', { limit: 100 })
  const error = accounts.error ?? balances.error
  return (
    <Page
      title="Treasury"
      lead="Available is what a payment can use now: posted, less what is on its way out."
    >
      {error ? (
        <Refusal error={error} onRetry={() => void accounts.refetch()} />
      ) : (
        <div className="mb-6 grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
          {accounts.data === undefined || balances.data === undefined ? (
            <Skeleton className="h-32" />
          ) : (
            accounts.data.data
              .toSorted(byCurrency)
              .map((account) => (
                <AccountCard
                  key={account.id}
                  account={account}
                  balance={balances.data.data.find(({ account_id }) => account_id === account.id)}
                  isChosen={account.id === chosen}
                />
              ))
          )}
        </div>
      )}
      {!error && (
        <div className="mb-4">
          <SavedViews
            list="transactions"
            to="/o/$org/treasury"
            filters={chosen === undefined ? {} : { account: chosen }}
          />
        </div>
      )}
      {!error && (
        <Panel title="Transactions" className="overflow-hidden">
          <List<Transaction>
            caption="Transactions, newest posting first"
            path="/v1/treasury/transactions"
            query={{ account: chosen }}
            columns={columns}
            rowKey={({ id }) => id}
            empty={{
              title: 'No transactions',
              text: 'Payments and top-ups appear here as they are posted.',
            }}
          />
        </Panel>
      )}
    </Page>
  )
}

export default TreasuryPage

/** What a payment can move between stands together. */
const byCurrency = (one: Account, other: Account): number =>
  one.currency.localeCompare(other.currency) || one.name.localeCompare(other.name)

interface AccountCardProps {
  account: Account
  balance: Balance | undefined
  isChosen: boolean
}

const AccountCard = ({ account, balance, isChosen }: AccountCardProps) => {
  const { org } = route.useParams()
  const navigate = useNavigate()
  const choose = () =>
    void navigate({
      to: '/o/$org/treasury',
      params: { org },
      search: isChosen ? {} : { account: account.id },
    })
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={choose}
      className={`rounded-lg border bg-paper p-4 text-left hover:bg-hover ${isChosen ? 'border-accent' : 'border-line'}`}
    >
      <span className="block truncate text-muted">{account.name}</span>
      {balance && (
        <>
          <span className="mt-1 block text-xl font-semibold">
            <Money amount={balance.available} currency={balance.currency} />
          </span>
          <span className="text-sm text-muted">available</span>
          {balance.posted !== balance.available && (
            <dl className="mt-2 text-sm">
              <Fact term="Posted">
                <Money amount={balance.posted} currency={balance.currency} />
              </Fact>
              {balance.pending_out > 0 && (
                <Fact term="On its way out">
                  <Money amount={balance.pending_out} currency={balance.currency} />
                </Fact>
              )}
            </dl>
          )}
        </>
      )}
    </button>
  )
}

const columns: Column<Transaction>[] = [
  {
    title: 'Transaction',
    cell: ({ type }) => <span className="font-medium">{wordsOf(type)}</span>,
  },
  { title: 'State', cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Effective', isWide: true, cell: ({ effective_at }) => <Time at={effective_at} /> },
  {
    title: 'Reference',
    isWide: true,
    className: 'max-lg:hidden max-w-[220px] truncate text-muted',
    cell: ({ settlement_reference }) => settlement_reference,
  },
  {
    title: 'Amount',
    align: 'right',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} isSigned />,
  },
  {
    title: 'Balance',
    align: 'right',
    isWide: true,
    cell: ({ running_balance, currency }) =>
      running_balance === null ? '–' : <Money amount={running_balance} currency={currency} />,
  },
]
