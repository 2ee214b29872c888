/**
 * The simulator rail of the sandbox (domain 4.5): no money moves. Only the source account decides
 * the outcome of a payment, so that clients' tests can rely on it.
 */
import { dayMs } from '../dates.ts'
import { encodeId } from '../ids.ts'

export type FailureCode =
  | 'insufficient_funds'
  | 'account_closed'
  | 'account_not_found'
  | 'account_frozen'
  | 'processor_declined'
  | 'processor_unavailable'
  | 'timeout'
  | 'returned_insufficient_funds'
  | 'returned_account_closed'
  | 'returned_no_account'
  | 'returned_unauthorized'

export const failureMessages: Record<FailureCode, string> = {
  insufficient_funds: 'The account has insufficient funds.',
  account_closed: 'The account is closed.',
  account_not_found: 'The bank has no such account.',
  account_frozen: 'The account is frozen.',
  processor_declined: 'The processor declined the payment.',
  processor_unavailable: 'The processor could not be reached.',
  timeout: 'The processor did not respond in time.',
  returned_insufficient_funds: 'The bank returned the payment: the account had insufficient funds.',
  returned_account_closed: 'The bank returned the payment: the account is closed.',
  returned_no_account: 'The bank returned the payment: there is no such account.',
  returned_unauthorized: 'The bank returned the payment: the payer had not authorized it.',
}

export type SimulationPlan =
  /** `returns` says when and why the bank returns the payment. */
  | { settles: 'at once'; returns?: { afterMs: number; code: FailureCode } }
  | { settles: 'later'; afterMs: number }
  /** `isAccepted`: the rail has accepted it, so the amount is reserved until it fails. */
  | { settles: 'never'; afterMs: number; code: FailureCode; isAccepted: boolean }

const secondMs = 1_000

/** Test accounts of every sandbox organization, in every currency and with unlimited funds. */
export const magicAccounts: Readonly<Record<string, SimulationPlan>> = {
  acct_test_ok: { settles: 'at once' },
  acct_test_async: { settles: 'later', afterMs: 60 * secondMs },
  acct_test_insufficient_funds: failsWith('insufficient_funds'),
  acct_test_account_closed: failsWith('account_closed'),
  acct_test_processor_down: failsWith('processor_unavailable'),
  acct_test_stuck: { settles: 'later', afterMs: 3 * dayMs },
  acct_test_return: {
    settles: 'at once',
    returns: { afterMs: 2 * dayMs, code: 'returned_insufficient_funds' },
  },
}

function failsWith(code: FailureCode): SimulationPlan {
  return { settles: 'never', afterMs: 2 * secondMs, code, isAccepted: true }
}

/** The simulator's settlement reference. */
export const simulatedReference = (payment: string): string =>
  encodeId('pay', payment).replace(/^pay/, 'sim')

/** A magic account has a fixed plan; any other one settles at once if it has sufficient funds. */
export const simulationPlanOf = (
  source: string | null,
  { hasFunds }: { hasFunds: boolean },
): SimulationPlan => {
  if (source !== null) {
    const plan = magicAccounts[source]
    if (plan === undefined) throw new RangeError('no such magic account')
    return plan
  }
  if (hasFunds) return { settles: 'at once' }
  return { settles: 'never', afterMs: 2 * secondMs, code: 'insufficient_funds', isAccepted: false }
}
