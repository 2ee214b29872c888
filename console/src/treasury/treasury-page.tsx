/** What each account holds, and every posting behind it. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { currencies } from '../../../src/contract/currencies.ts'
import { useRead } from '../api/reads.ts'
import type { Account, Balance, Page as Rows, Transaction } from '../api/types.ts'
import { DocumentNumber } from '../design/document-number.tsx'
import { Money, Time } from '../design/format.tsx'
import { List } from '../design/list-page.tsx'
import { Fact, Page, Panel, Refusal } from '../design/layout.tsx'
import { moneyText, sumOf } from '../design/money.ts'
import { Skeleton } from '../design/skeleton.tsx'
import { SavedViews } from '../design/saved-views.tsx'
import { StatusMark } from '../design/status.tsx'
import { BelowOnNarrow, type Column } from '../design/table.tsx'
import { postingWords } from '../payments/payment-words.ts'
import { Projection } from './projection.tsx'

const route = getRouteApi('/o/$org/treasury')

const TreasuryPage = () => {
  const { org } = route.useParams()
  const { account: chosen } = route.useSearch()
  const accounts = useRead<Rows<Account>>('/v1/treasury/accounts', { limit: 100 })
  const balances = useRead<Rows<Balance>>('/v1/treasury/balances', { limit: 100 })
  const error = accounts.error ?? balances.error
  return (
    <Page
      title="Treasury"
      lead="Available is what a payment can use now: the posted balance, less payments on their way out."
    >
      {error ? (
        <Refusal error={error} onRetry={() => void accounts.refetch()} />
      ) : accounts.data === undefined || balances.data === undefined ? (
        <Skeleton className="mb-6 h-32" />
      ) : (
        <>
          <Totals balances={balances.data} />
          <div className={cardsClass}>
            {accounts.data.data.toSorted(byCurrency).map((account) => (
              <AccountCard
                key={account.id}
                account={account}
                balance={balances.data.data.find(({ account_id }) => account_id === account.id)}
                isChosen={account.id === chosen}
                amountClass={amountClassOf(balances.data.data)}
              />
            ))}
          </div>
        </>
      )}
      {!error && <Projection />}
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
            columns={columnsOf(org)}
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

/** Of each currency that is in several accounts; of more accounts than were read there is none. */
const Totals = ({ balances: { data, has_more } }: { balances: Rows<Balance> }) => {
  const totals = currencies.toSorted().flatMap((currency) => {
    const available = data.flatMap((one) => (one.currency === currency ? [one.available] : []))
    return available.length > 1 ? [{ currency, available }] : []
  })
  if (has_more || totals.length === 0) return null
  return (
    <dl className="mb-4 flex flex-wrap gap-x-10 gap-y-2 @max-sm:gap-y-1 @max-sm:px-4">
      {totals.map(({ currency, available }) => (
        <div
          key={currency}
          className="@max-sm:flex @max-sm:w-full @max-sm:items-baseline @max-sm:justify-between"
        >
          <dt className="text-sm text-muted">
            {currency} <span className="@max-sm:sr-only">available</span> in {available.length}{' '}
            accounts
          </dt>
          <dd className="text-xl font-semibold @max-sm:text-base">
            <Money amount={sumOf(available)} currency={currency} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** What a payment can move between stands together. */
const byCurrency = (one: Account, other: Account): number =>
  one.currency.localeCompare(other.currency) || one.name.localeCompare(other.name)

/** Cards, or on a narrow screen one list. */
const cardsClass =
  'mb-6 grid gap-4 @sm:grid-cols-2 @min-[60rem]:grid-cols-4 @max-sm:gap-0 @max-sm:overflow-hidden @max-sm:rounded-lg @max-sm:border @max-sm:border-line @max-sm:bg-paper'
const cardClass =
  'rounded-lg border bg-paper p-4 text-left hover:bg-hover @max-sm:rounded-none @max-sm:border-x-0 @max-sm:border-b-0 @max-sm:first:border-t-0 @max-sm:border-line @max-sm:px-4 @max-sm:py-2.5'

/** As large as the longest of them has room for, in all cards. */
const amountClassOf = (balances: readonly Balance[]): string => {
  const texts = balances.map(({ available, currency }) => moneyText(available, currency))
  const longest = Math.max(0, ...texts.map(({ length }) => length))
  if (longest > 19) return 'text-base'
  return longest > 15 ? 'text-lg' : 'text-xl'
}

interface AccountCardProps {
  account: Account
  balance: Balance | undefined
  isChosen: boolean
  amountClass: string
}

const AccountCard = ({ account, balance, isChosen, amountClass }: AccountCardProps) => {
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
      className={`${cardClass} ${isChosen ? 'border-accent @max-sm:bg-accent-tint' : 'border-line'}`}
    >
      <span className="flex flex-wrap items-baseline justify-between gap-x-4 @sm:block">
        <bdi className="min-w-0 truncate text-muted @sm:block">{account.name}</bdi>
        {balance && (
          <span
            className={`ml-auto font-semibold @sm:mt-1 @sm:block @max-sm:text-base ${amountClass}`}
          >
            <Money amount={balance.available} currency={balance.currency} />
          </span>
        )}
      </span>
      {balance && (
        <>
          <span className="text-sm text-muted @max-sm:sr-only">available</span>
          {balance.posted !== balance.available && (
            <dl className="mt-2 text-sm @max-sm:mt-0.5">
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

const columnsOf = (org: string): Column<Transaction>[] => [
  {
    title: 'Transaction',
    cell: ({ type, effective_at, document_id: document }) => (
      <>
        <span className="font-medium">{postingWords[type]}</span>
        {document !== null && (
          <Link
            to="/o/$org/documents/$document"
            params={{ org, document }}
            search={{}}
            className="block text-sm text-muted hover:text-ink"
          >
            <DocumentNumber id={document} />
          </Link>
        )}
        <span className="block text-sm text-muted roomy:hidden [&_time]:whitespace-normal">
          <Time at={effective_at} />
        </span>
      </>
    ),
  },
  { title: 'State', isWide: true, cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Effective', isWide: true, cell: ({ effective_at }) => <Time at={effective_at} /> },
  {
    title: 'Reference',
    isWide: true,
    className: '@max-[60rem]:hidden max-w-[13.75rem] truncate text-muted',
    cell: ({ settlement_reference }) => settlement_reference,
  },
  {
    title: 'Amount',
    align: 'right',
    cell: ({ amount, currency, status }) => (
      <>
        <Money amount={amount} currency={currency} isSigned />
        <BelowOnNarrow>
          <StatusMark status={status} />
        </BelowOnNarrow>
      </>
    ),
  },
  {
    title: 'Balance',
    align: 'right',
    isWide: true,
    cell: ({ running_balance, currency }) =>
      running_balance === null ? '–' : <Money amount={running_balance} currency={currency} />,
  },
]
