/**
 * Resets a sandbox (domain 6): both sides of the pair see what a fresh one would show, and keep
 * their keys, sessions and endpoints. Append-only data is not touched: every record has a position
 * in the feed, and records before the reset are hidden from the side that was reset
 * (docs/decisions/0046). Once one party was reset, the other can still read a shared document but
 * not move it.
 *
 * A reset depends on no partner, because leaving the past comes first and by itself: from then on
 * nobody outside the pair can start another payment while those in progress are ended.
 */
import assert from 'node:assert/strict'
import { inProgress, isRefusal } from '../../contract/errors.ts'
import { isUnderWay } from '../../core/payments/payment-record.ts'
import type { Queryable } from '../../database/sql.ts'
import { databaseNow } from '../../database/database-clock.ts'
import * as store from '../../store/sandbox/reset.ts'
import { listingsLeftBy, loansLeftBy } from '../../store/sandbox/left-loans.ts'
import { practicePairOf } from '../../store/sandbox/practice-pairs.ts'
import type { ChangeContext } from '../change-context.ts'
import type { PerformAsSystem } from '../system-change-context.ts'
import { followListing, followLoan, releaseLeftPledge } from '../finance/follow-loan.ts'
import { referencedRow } from '../finance/referenced-rows.ts'
import { isBeingCompleted, loadedPayment } from '../payments/payment-record.ts'
import { pairDefaults, setUpPracticeFinance } from './practice-pairs.ts'
import { cancelPayment, failPayment, markDocumentPaid } from '../payments/payment-lifecycle.ts'
import { resetAccounts } from '../payments/open-accounts.ts'

/** The first step, in a transaction of its own. */
export const leavePast = async (tx: Queryable, organization: string): Promise<void> => {
  const pair = await practicePairOf(tx, organization)
  await store.lockForReset(tx, pair.organizations)
  await store.leavePast(tx, pair, await databaseNow(tx))
}

/** The second step, by the ordinary rules: scheduled payments are cancelled, others fail. */
export const endPayments = async (
  session: Queryable,
  performAsSystem: PerformAsSystem,
  organization: string,
): Promise<void> => {
  const { organizations } = await practicePairOf(session, organization)
  for (;;) {
    const paying = await store.documentsWithActivePayments(session, organizations)
    if (paying.length === 0) return
    await Promise.all(
      paying.map(({ document_id: id }) => endPaymentsOf(performAsSystem, organization, id)),
    )
  }
}

/** Loans of others follow, but one that cannot be believed holds up no reset. */
const endPaymentsOf = async (
  performAsSystem: PerformAsSystem,
  organization: string,
  documentId: string,
): Promise<void> => {
  const rowsToLock = { documents: [documentId], paymentsOfDocuments: [documentId] }
  try {
    await performAsSystem(organization, rowsToLock, (change) => {
      endPayment(change, documentId)
      followLoan(change, referencedRow(change.unit, 'documents', documentId))
    })
  } catch (error) {
    ignoreBrokenRows(error)
    await performAsSystem(organization, rowsToLock, (change) => endPayment(change, documentId))
  }
}

const endPayment = (change: ChangeContext, documentId: string): void => {
  const { unit } = change
  for (const { id } of unit.find('payments', ({ document_id }) => document_id === documentId)) {
    const { document, payment } = loadedPayment(unit, id)!
    if (payment.status === 'scheduled') cancelPayment(change, document, payment)
    else if (isUnderWay(payment.status))
      failPayment(change, document, payment, 'processor_declined')
    else if (isBeingCompleted(document, payment))
      markDocumentPaid(change, document, payment, 'settled')
  }
}

/** The last step, which also leaves behind what the pair's own keys have done meanwhile. */
export const resetSandbox = async (tx: Queryable, organization: string): Promise<void> => {
  const pair = await practicePairOf(tx, organization)
  const { organizations, connection } = pair
  const accounts = await store.lockForReset(tx, organizations)
  if ((await store.documentsWithActivePayments(tx, organizations)).length > 0) {
    throw inProgress('A payment was made during the reset. Send the same request again.')
  }

  // From here the change must succeed.
  const at = await databaseNow(tx)
  await store.leavePast(tx, pair, at)
  await resetAccounts(tx, accounts, at)
  await store.cancelScheduledWork(tx, organizations)
  await store.endLoans(tx, organizations, at)
  await store.deleteStoredResponsesOf(tx, organizations)
  if (connection !== undefined) {
    const reactivation = { id: connection, ...pairDefaults, at }
    const reactivated = await store.reactivateConnection(tx, organizations, reactivation)
    assert.equal(reactivated.length, 1)
    await setUpPracticeFinance(tx, organizations)
  }
}

/**
 * After the last step: partners do not keep what can never end. A listing of what the organization
 * owes is invalidated, and an invoice that secures a loan of it is free again. The reset depends on
 * none of it: of a row that cannot be believed, the engine has raised the alarm.
 */
export const releasePartners = async (
  session: Queryable,
  performAsSystem: PerformAsSystem,
  organization: string,
): Promise<void> => {
  const { organizations } = await practicePairOf(session, organization)
  await inPages(
    (after) => listingsLeftBy(session, organizations, after),
    ({ id, document_id }) =>
      performAsSystem(organization, { documents: [document_id], listings: [id] }, (change) =>
        followListing(change, id),
      ),
  )
  await inPages(
    (after) => loansLeftBy(session, organizations, after),
    ({ agreement_document: id }) =>
      performAsSystem(organization, { documents: [id] }, (change) =>
        releaseLeftPledge(change, referencedRow(change.unit, 'documents', id)),
      ),
  )
}

const inPages = async <R extends { id: string }>(
  pageAfter: (id?: string) => Promise<R[]>,
  run: (row: R) => Promise<void>,
): Promise<void> => {
  for (let page = await pageAfter(); page.length > 0; page = await pageAfter(page.at(-1)!.id)) {
    await Promise.all(page.map((row) => run(row).catch(ignoreBrokenRows)))
  }
}

const ignoreBrokenRows = (error: unknown): void => {
  if (!isRefusal(error, 'integrity_failure')) throw error
}
