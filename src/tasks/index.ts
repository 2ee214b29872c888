/** Everything that happens without a caller, and how often. */
import type { Context } from '../context.ts'
import { demoPlays, findSteps } from './demo-plays.ts'
import { runInOrder } from './due.ts'
import { expireOffers, findLapsed } from './expire-offers.ts'
import { indexSearch } from './index-search.ts'
import { auditProvenance } from './audit-provenance.ts'
import { integrateLog } from './integrate-log.ts'
import { paymentsDue, findPayments } from './payments-due.ts'
import { purgeExpired } from './purge-expired.ts'
import { purgeFiles } from './purge-files.ts'
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
