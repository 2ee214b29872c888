/** Classifies database failures, and refuses the requests that a caller may simply repeat. */
import { type Refusal, unavailable } from '../contract/errors.ts'
import { MissingServerKey } from '../core/server-keys.ts'
import { isOutage } from '../database/outages.ts'
import { BrokenSeal, missingRow, oldRow } from '../database/row-seals.ts'
import { CommitOutcomeUnknown, DatabaseUnavailable, databaseError } from '../database/sql.ts'

/** Lock timeout, statement timeout, deadlock, serialization failure: the database rolled back. */
const contentionCodes = ['55P03', '57014', '40P01', '40001']
export const isContention = (error: unknown): boolean =>
  contentionCodes.includes(databaseError(error)?.code ?? '')

/** Class 53: no disk, memory or connections left. 58030: the disk failed. */
const isOutOfResources = (error: unknown): boolean =>
  /^(?:53...|58030)$/.test(databaseError(error)?.code ?? '')

/** Disk full, or the disk failed. */
export const isDiskFailure = (error: unknown): boolean =>
  ['53100', '58030'].includes(databaseError(error)?.code ?? '')

type OldTable = 'finance_agreements' | 'ledger_account' | 'organization_counters'

/** An old row of the table would make again what the unique index says was made before. */
const oldRowsBehind: Readonly<Record<string, OldTable>> = {
  document_views_organization_id_number_key: 'organization_counters',
  document_views_pkey: 'organization_counters',
  ledger_tx_account_id_opened_version_key: 'ledger_account',
  ledger_tx_account_id_posted_version_key: 'ledger_account',
  payments_of_payee: 'organization_counters',
  payments_of_payer: 'organization_counters',
  payments_one_sweep_per_settlement: 'finance_agreements',
}

/** The index of the feed in each partition of the events. */
const feedIndex = /^events_.*_organization_id_feed_idx$|^events_.*_by_feed$/

/** A standby, or a server whose disk is nearly full: the connection is given up (sql.ts). */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && databaseError(error.cause)?.code === '25006'

/** A document names its connection; an alarm for the document itself would put it on hold. */
const connectionOfDocument = 'documents_connection_id_mode_a_id_b_id_fkey'

/** Their rows name only rows that the service never deletes. */
const namingTables = [
  'attachments',
  'document_comments',
  'finance_agreements',
  'finance_listings',
  'finance_offers',
  'ledger_tx',
  'payments',
] as const

/** The row that led to the failure, if one did: an old one, or one that is gone. */
export const brokenRowBehind = (error: unknown): BrokenSeal | undefined => {
  const constraint = databaseError(error)?.constraint ?? ''
  const table = feedIndex.test(constraint) ? 'organization_counters' : oldRowsBehind[constraint]
  if (table !== undefined) return oldRow(table, `behind ${constraint}`)
  if (constraint === connectionOfDocument) return missingRow('connections', `behind ${constraint}`)
  const naming = namingTables.find(
    (one) => constraint.startsWith(`${one}_`) && constraint.endsWith('_fkey'),
  )
  return naming && new BrokenSeal(naming, `behind ${constraint}`, 'the row that it names is gone')
}

/** Whether a later attempt may succeed, so that the caller should repeat the request. */
export const isTransient = (error: unknown): boolean =>
  isOutage(error) || isContention(error) || isOutOfResources(error)

/** The line of the log. */
export const outageEvent = (error: unknown): 'database_unavailable' | 'server_key_missing' =>
  error instanceof MissingServerKey ? 'server_key_missing' : 'database_unavailable'

/** Keeps its cause for a start that is refused; a caller is not told. */
export const unavailableRefusal = (error: unknown): Refusal =>
  Object.assign(refusalOf(error), { cause: error })

/** A retry with the same Idempotency-Key is always safe: it finds the effect or causes it. */
const refusalOf = (error: unknown): Refusal => {
  if (error instanceof MissingServerKey) {
    return unavailable(
      'This process has not got the new server key yet. Send the same request with the same Idempotency-Key again.',
    )
  }
  if (error instanceof CommitOutcomeUnknown) {
    return unavailable(
      'The outcome of this request is not known. Send it again with the same Idempotency-Key: it takes effect once.',
    )
  }
  if (isContention(error)) {
    return unavailable('The database is busy right now. Send the same request again.')
  }
  const what = isOutOfResources(error) ? 'has no room' : 'is not reachable'
  return unavailable(
    `The database ${what} right now. Send the same request with the same Idempotency-Key again.`,
  )
}
