/** Everything that happens without a caller, and how often. */
import type { Context } from '../context.ts'
import { demoPlays, findSteps } from './demo-counterparty.ts'
import { runInOrder } from './scheduled-work.ts'
import { expireOffers, findLapsed } from './expire-offers.ts'
import { indexSearch } from './index-search.ts'
import { auditProvenance } from './audit-provenance.ts'
import { integrateLog } from './sequence-log.ts'
import { paymentsDue, findPayments } from './due-payments.ts'
import { purgeExpired } from './purge-expired.ts'
import { purgeFiles } from './purge-orphaned-files.ts'
import type { Task } from './runner.ts'

export const tasks: readonly Task[] = [
  integrateLog,
  auditProvenance,
  purgeExpired,
  purgeFiles,
  expireOffers,
  indexSearch,
  paymentsDue,
  demoPlays,
]

/** After a sandbox clock has moved. */
export const runDue = (context: Context, organizations: readonly string[]): Promise<void> =>
  runInOrder(context, organizations, [findPayments, findLapsed, findSteps])
