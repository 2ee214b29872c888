/** The finance setup of an organization (domain 5.2). */
import { invalidRequest, notFound, refuse, refuseProblems } from '../../contract/errors.ts'
import type { Problem } from '../../contract/problem.ts'
import type { FinanceBlocker, FinanceSetupUpdate } from '../../contract/shapes/finance.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { fromMinor, parseMinor } from '../../core/money.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { Queryable } from '../../database/sql.ts'
import { isBound } from '../../store/finance/agreements.ts'
import { type SetupRow, saveSetup, setupOf } from '../../store/finance/setups.ts'
import { defaultCurrencyOf } from '../../store/identity/organizations.ts'
import {
  countRowChange,
  lockCounters,
  lockOrganizations,
} from '../../store/identity/row-versions.ts'
import { accountById, accountOfPurpose } from '../../store/payments/ledger.ts'

/** Problems of the body that its schema cannot express. */
export const setupProblems = ({ lender }: FinanceSetupUpdate): Problem[] => {
  const most = lender?.max_principal
  if (most == null) return []
  const minor = parseMinor(most)
  if (minor !== undefined && minor > 0n) return []
  return [
    {
      param: '/lender/max_principal',
      code: minor === undefined && most > 0 ? 'too_precise' : 'out_of_range',
      message: 'Must be above 0, with at most 2 decimals.',
      fix: 'send an amount like 50000, or null for no maximum',
    },
  ]
}

interface SettingUp {
  id: string
  mode: 'live' | 'test'
}

/**
 * Locks the organization and its counters, under which every acceptance reads the setup. One that
 * stays as it is keeps its `updated_at`.
 */
export const updateSetup = async (
  tx: Queryable,
  { id, mode }: SettingUp,
  update: FinanceSetupUpdate,
): Promise<SetupRow> => {
  refuseProblems(setupProblems(update))
  const { borrower, lender } = update
  await lockOrganizations(tx, [id])
  await lockCounters(tx, id)
  const before = await setupOf(tx, id)
  const settlement_account = await accountFor(tx, id, {
    purpose: 'settlement',
    param: '/borrower/settlement_account_id',
    requested: borrower?.settlement_account_id,
    isEnabled: borrower?.enabled === true,
    current: before?.settlement_account ?? null,
  })
  const funding_account = await accountFor(tx, id, {
    purpose: 'funding',
    param: '/lender/funding_account_id',
    requested: lender?.funding_account_id,
    isEnabled: lender?.enabled === true,
    current: before?.funding_account ?? null,
  })
  const stated = {
    organization_id: id,
    mode,
    borrower_enabled: borrower?.enabled ?? before?.borrower_enabled ?? false,
    settlement_account,
    lender_enabled: lender?.enabled ?? before?.lender_enabled ?? false,
    funding_account,
    max_principal: maximumOf(lender?.max_principal, before),
  }
  if (before !== undefined && isAsStated(before, stated)) return before

  // From here the change must succeed.
  const row: SetupRow = {
    ...stated,
    updated_at: await databaseNow(tx),
    version: await countRowChange(tx, 'finance_setups', id),
  }
  await saveSetup(tx, row, before)
  return row
}

const isAsStated = (before: SetupRow, stated: Omit<SetupRow, 'updated_at' | 'version'>): boolean =>
  Object.entries(stated).every(([name, value]) => before[name as keyof SetupRow] === value)

const maximumOf = (
  requested: number | null | undefined,
  before: SetupRow | undefined,
): bigint | null => {
  if (requested === undefined) return before?.max_principal ?? null
  return requested === null ? null : parseMinor(requested)!
}

interface AccountChoice {
  purpose: 'settlement' | 'funding'
  param: string
  requested: string | undefined
  isEnabled: boolean
  current: string | null
}

/** The requested account, else the current one, else the one of the organization's currency. */
const accountFor = async (
  tx: Queryable,
  organization: string,
  { purpose, param, requested, isEnabled, current }: AccountChoice,
): Promise<string | null> => {
  if (requested === undefined) {
    if (current !== null || !isEnabled) return current
    const currency = await defaultCurrencyOf(tx, organization)
    return (await accountOfPurpose(tx, organization, { currency, purpose })).id
  }
  const account = await accountById(tx, organization, decodeId('acct', requested)!)
  if (account === undefined) throw notFound('account', requested, param)
  if (account.code !== purpose || account.status !== 'active') {
    throw invalidRequest({
      param,
      code: 'invalid_value',
      message: `This is ${account.status === 'active' ? 'a' : `a ${account.status}`} ${account.code} account.`,
      fix: `send an active ${purpose} account of GET /v1/treasury/accounts`,
    })
  }
  if (current !== null && current !== account.id && (await isBound(tx, organization, current))) {
    throw refuse('conflict', 'The account is bound to an open agreement.', {
      reason: 'account_in_use',
      account_id: encodeId('acct', current),
    })
  }
  return account.id
}

export interface Processor {
  canPay: boolean
  canBePaid: boolean
}

/** Both parties of a loan pay and are paid; a sandbox needs no processor for that. */
export const processorBlockers = (processor: Processor | null): FinanceBlocker[] => [
  ...(processor === null || processor.canPay ? [] : (['payer_processor'] as const)),
  ...(processor === null || processor.canBePaid ? [] : (['payee_processor'] as const)),
]

/** `blockers`: what keeps the organization from borrowing and from lending. */
export const projectSetup = (
  setup: SetupRow | undefined,
  { isVerified, processor }: { isVerified: boolean; processor: Processor | null },
) => {
  const common: FinanceBlocker[] = [
    ...(isVerified ? [] : (['verification'] as const)),
    ...processorBlockers(processor),
  ]
  const borrows = setup?.borrower_enabled === true
  const lends = setup?.lender_enabled === true
  const account = (id: string | null | undefined) => (id == null ? null : encodeId('acct', id))
  return {
    borrower: { enabled: borrows, settlement_account_id: account(setup?.settlement_account) },
    lender: {
      enabled: lends,
      funding_account_id: account(setup?.funding_account),
      max_principal: setup?.max_principal == null ? null : fromMinor(setup.max_principal),
    },
    verified: isVerified,
    eligible_as_borrower: borrows && common.length === 0,
    eligible_as_lender: lends && common.length === 0,
    blockers: [
      ...common,
      ...(borrows ? [] : (['borrower_setup'] as const)),
      ...(lends ? [] : (['lender_setup'] as const)),
    ],
    updated_at: setup?.updated_at ?? null,
  }
}
