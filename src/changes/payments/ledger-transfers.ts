/**
 * Transfers within a unit of work: each opens or resolves a ledger transaction and updates the
 * organization's account at one end of it. The only writer of the ledger besides open-accounts.ts.
 */
import assert from 'node:assert/strict'
import {
  type TransactionPhase,
  type Transfer,
  openTransaction,
  resolveTransaction,
  systemAccountId,
} from '../../core/payments/ledger.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { LedgerAccountRow } from '../../store/payments/ledger.ts'

/** One end of a transfer: an organization's account, or a system account of the rail. */
export type TransferEnd = LedgerAccountRow | 'clearing' | 'world'

export interface NewTransfer extends Omit<Transfer, 'id' | 'from' | 'to' | 'reverses'> {
  rail: string
  from: TransferEnd
  to: TransferEnd
  reverses?: string | null
}

/** Returns the id of the new transaction. */
export const createTransfer = (
  unit: UnitOfWork,
  input: NewTransfer,
  phase: TransactionPhase,
): string => {
  const { mode, currency, rail } = input
  const idOf = (end: TransferEnd) =>
    typeof end === 'string' ? systemAccountId(mode, rail, end, currency) : end.id
  const organizationEnd = [input.from, input.to].find((end) => typeof end !== 'string')
  const id = unit.newId()
  const opened = openTransaction(
    { ...input, id, from: idOf(input.from), to: idOf(input.to), reverses: input.reverses ?? null },
    organizationEnd === undefined ? null : currentAccount(unit, organizationEnd.id),
    phase,
  )
  unit.save('ledger_tx', opened.transaction)
  for (const entry of opened.entries) unit.insert('ledger_entry', entry)
  if (opened.account !== null) unit.save('ledger_account', opened.account)
  return id
}

/** Posts or voids a pending transaction. */
export const resolveTransfer = (
  unit: UnitOfWork,
  id: string,
  outcome: 'posted' | 'voided',
  at: string,
): void => {
  const pending = unit.get('ledger_tx', id)
  assert(pending, 'the transactions of a payment under way are loaded')
  const account = pending.account_id === null ? null : currentAccount(unit, pending.account_id)
  const resolved = resolveTransaction(pending, account, outcome, at)
  unit.save('ledger_tx', resolved.transaction)
  if (resolved.account !== null) unit.save('ledger_account', resolved.account)
}

export const currentAccount = (unit: UnitOfWork, id: string): LedgerAccountRow => {
  const account = unit.get('ledger_account', id)
  assert(account, 'the accounts of both parties are loaded and locked')
  return account
}
