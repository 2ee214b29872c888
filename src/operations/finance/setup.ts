/** The finance setup, and what the operations of the family have in common (domain 5). */
import type { Call } from '../../context.ts'
import {
  type FinanceBlocker,
  FinanceSetup,
  FinanceSetupUpdate,
} from '../../contract/shapes/finance.ts'
import { notCapable } from '../../contract/finance-capability.ts'
import {
  type Processor,
  processorBlockers,
  projectSetup,
  setupProblems,
  updateSetup,
} from '../../changes/finance/setup.ts'
import type { Queryable } from '../../database/sql.ts'
import { type SetupRow, setupOf } from '../../store/finance/setups.ts'
import { processorAccountOf } from '../../store/payments/processors.ts'
import { operation } from '../operation.ts'
import type { FinancePage, FinanceRole } from '../../store/finance/finance-pages.ts'
import { lowerBoundOf } from '../time-bounds.ts'

export const financeReads = {
  family: 'finance',
  since: '1.14.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
} as const

export const financeWrites = { ...financeReads, scopes: ['documents:write'] } as const

export const financePayments = {
  ...financeReads,
  scopes: ['documents:write', 'payments:write'],
} as const

/** Refuses an organization that has never set up its finance. */
export const requireSetup = async (call: Call): Promise<SetupRow> => {
  const setup = await setupOf(call.read, call.organization.id)
  if (setup !== undefined) return setup
  throw notCapable('not_set_up', ['borrower_setup', 'lender_setup'])
}

/** The rows that a query of one of the lists asks for: of both roles, unless it names one. */
export const financePage = (
  { organization }: Call,
  { role, status, updated_since }: FinanceListQuery,
  { before, limit }: { before: string | undefined; limit: number },
): FinancePage => ({
  organization: organization.id,
  roles: role === undefined ? ['borrower', 'lender'] : [role],
  statuses: status,
  updatedSince: updated_since && lowerBoundOf(updated_since),
  before,
  limit,
})

interface FinanceListQuery {
  role?: FinanceRole
  status?: readonly string[]
  updated_since?: string
}

/** What a live organization can do at the processor, in any currency or this one. */
const processorOf = async (
  db: Queryable,
  { id, mode }: Pick<Call['organization'], 'id' | 'mode'>,
  currency?: string,
): Promise<Processor | null> => {
  if (mode === 'test') return null
  const account = await processorAccountOf(db, id)
  const methods = Object.keys(JSON.parse(account?.payment_methods ?? '{}') as object)
  const hasMethod = currency === undefined ? methods.length > 0 : methods.includes(currency)
  return {
    canPay: account?.customer_reference != null && hasMethod,
    canBePaid: account?.payout_reference != null,
  }
}

/** What keeps the caller or a party of its loans from moving their money in this currency. */
export const processorBlockersOf = async (
  { read, organization }: Call,
  id: string,
  currency?: string,
) => processorBlockers(await processorOf(read, { id, mode: organization.mode }, currency))

/** Refuses the caller, of whom these are the blockers, once its record is found. */
export const refuseUnconnected = (blockers: readonly FinanceBlocker[]): void => {
  if (blockers.length > 0) throw notCapable('processor_not_connected', blockers)
}

const viewOf = async (db: Queryable, { organization }: Call, setup: SetupRow | undefined) =>
  projectSetup(setup, {
    isVerified: organization.isVerified,
    processor: await processorOf(db, organization),
  })

export const getSetup = operation({
  ...financeReads,
  id: 'finance.setup.get',
  method: 'GET',
  path: '/v1/finance/setup',
  summary: 'Retrieve the finance setup',
  description: '`blockers` names what keeps the organization from borrowing or lending.',
  response: FinanceSetup,
  errors: ['capability_unavailable'],
}).reads(async (call) => ({
  body: await viewOf(call.read, call, await setupOf(call.read, call.organization.id)),
}))

export const putSetup = operation({
  ...financePayments,
  id: 'finance.setup.update',
  method: 'PUT',
  path: '/v1/finance/setup',
  summary: 'Set up borrowing and lending',
  description:
    'A role that is enabled without an account takes the one of the default currency. Loans in another currency use the account of the same purpose in that currency. An account that is bound to an open agreement stays until that is closed.',
  body: FinanceSetupUpdate,
  response: FinanceSetup,
  errors: ['capability_unavailable', 'conflict', 'not_found'],
}).transacts(
  async (tx, call, { body }) => ({
    body: await viewOf(tx, call, await updateSetup(tx, call.organization, body)),
  }),
  { problems: setupProblems },
)
