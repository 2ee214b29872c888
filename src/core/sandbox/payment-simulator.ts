/**
 * The rail of the sandbox (domain 4.5): no money moves. What becomes of a payment follows from the
 * account it is paid from alone, so that tests of clients can rely on it.
 */
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
  insufficient_funds: 'The account does not hold enough.',
  account_closed: 'The account is closed.',
  account_not_found: 'There is no such account at the bank.',
  account_frozen: 'The account is frozen.',
  processor_declined: 'The processor declined the payment.',
  processor_unavailable: 'The processor could not be reached.',
  timeout: 'The processor did not answer in time.',
  returned_insufficient_funds: 'The bank took the money back: the account did not hold enough.',
  returned_account_closed: 'The bank took the money back: the account is closed.',
  returned_no_account: 'The bank took the money back: there is no such account.',
  returned_unauthorized: 'The bank took the money back: the payer had not authorized it.',
}

export type SimulationPlan =
  /** Settled in place; `returns` tells when the bank takes it back, and why. */
  | { settles: 'at once'; returns?: { afterMs: number; code: FailureCode } }
  | { settles: 'later'; afterMs: number }
  /** `isTaken`: the rail has it, so the amount is set aside until it fails. */
  | { settles: 'never'; afterMs: number; code: FailureCode; isAccepted: boolean }

const secondMs = 1_000
const dayMs = 86_400_000

/** Accounts that every sandbox organization knows, in every currency; they hold any amount. */
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

/** What the simulator calls a payment that it settled. */
export const simulatedReference = (payment: string): string =>
  encodeId('pay', payment).replace(/^pay/, 'sim')

/** A magic account has its plan; any other one settles at once, if it holds enough. */
export const simulationPlanOf = (source: string | null, hasFunds: boolean): SimulationPlan => {
  if (source !== null) {
    const plan = magicAccounts[source]
    if (plan === undefined) throw new RangeError('no such magic account')
    return plan
  }
  if (hasFunds) return { settles: 'at once' }
  return {
    settles: 'never',
    afterMs: 2 * secondMs,
    code: 'insufficient_funds',
    isAccepted: false,
  }
}
