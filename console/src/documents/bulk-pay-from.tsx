/** What is paid in each currency, and from which account and by which rail. */
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Account, Balance, Currency, Page } from '../api/types.ts'
import { Money } from '../design/format.tsx'
import { moneyText } from '../design/money.ts'
import { Select } from '../design/select.tsx'
import { methodsOf } from '../payments/methods.ts'

export interface Source {
  account: string
  method: string
}

type Sources = ReadonlyMap<Currency, Source>

const initial: Source = { account: '', method: '' }

export const sourceOf = (sources: Sources, currency: Currency): Source =>
  sources.get(currency) ?? initial

interface PayFromProps {
  sums: readonly (readonly [Currency, number])[]
  sources: Sources
  /** Nobody knows what an account will have on a later day. */
  isLater: boolean
  onChange: (sources: Sources) => void
}

export const PayFrom = ({ sums, sources, isLater, onChange }: PayFromProps) => (
  <ul aria-label="Totals" className="grid gap-3">
    {sums.map(([currency, sum]) => (
      <li key={currency} className="rounded-md border border-line px-4 py-3">
        <CurrencyTotal
          currency={currency}
          sum={sum}
          isLater={isLater}
          source={sourceOf(sources, currency)}
          onChange={(source) => onChange(new Map(sources).set(currency, source))}
        />
      </li>
    ))}
  </ul>
)

interface CurrencyTotalProps {
  currency: Currency
  sum: number
  isLater: boolean
  source: Source
  onChange: (source: Source) => void
}

const CurrencyTotal = (props: CurrencyTotalProps) => {
  const { currency, sum, isLater, source, onChange } = props
  const { organization, scopes } = useSession()
  const isSandbox = organization.mode === 'sandbox'
  const isEnabled = isSandbox && scopes.includes('treasury:read')
  const accounts = useRead<Page<Account>>('/v1/treasury/accounts', { limit: 100 }, { isEnabled })
  const balances = useRead<Page<Balance>>('/v1/treasury/balances', { limit: 100 }, { isEnabled })
  const usable = (accounts.data?.data ?? []).filter(
    (account) => account.currency === currency && account.status === 'active',
  )
  const payer = usable.find(({ id, is_default }) =>
    source.account === '' ? is_default : id === source.account,
  )
  const available = balances.data?.data.find(
    ({ account_id }) => account_id === payer?.id,
  )?.available
  const methods = methodsOf(currency, isSandbox)
  const defaultName = usable.find(({ is_default }) => is_default)?.name
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
      <div className="min-w-40 flex-1">
        <span className="text-sm text-muted">{currency}</span>
        <strong className="block text-lg">
          <Money amount={sum} currency={currency} />
        </strong>
        {available !== undefined && (
          <span className={`text-sm ${available < sum && !isLater ? 'text-red' : 'text-muted'}`}>
            {availableText(moneyText(available, currency), available < sum, isLater)}
          </span>
        )}
      </div>
      {isSandbox && (
        <label className="grid min-w-0 gap-1 text-sm font-medium sm:min-w-60">
          From
          <Select
            className="text-base font-normal"
            options={[
              ['', defaultName === undefined ? 'Default account' : `${defaultName} (default)`],
              ...usable
                .filter(({ is_default }) => !is_default)
                .map(({ id, name }) => [id, name] as const),
            ]}
            value={source.account}
            onChange={({ target }) => onChange({ ...source, account: target.value })}
          />
        </label>
      )}
      <label className="grid min-w-0 gap-1 text-sm font-medium sm:min-w-40">
        Method
        <Select
          className="text-base font-normal"
          options={methods}
          value={source.method}
          onChange={({ target }) => onChange({ ...source, method: target.value })}
        />
      </label>
    </div>
  )
}

const availableText = (money: string, isShort: boolean, isLater: boolean): string => {
  if (!isShort) return `${money} available`
  return isLater ? `Only ${money} available today` : `Only ${money} available: not all will be paid`
}
