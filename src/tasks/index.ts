/** Everything that happens without a caller, and how often. */
import type { Context } from '../context.ts'
import { demoPlays, runDemoPlays } from './demo-plays.ts'
import { expireOffers, runExpiry } from './expire-offers.ts'
import { indexSearch } from './index-search.ts'
import { auditProvenance } from './audit-provenance.ts'
import { integrateLog } from './integrate-log.ts'
import { paymentsDue, runPaymentsDue } from './payments-due.ts'
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

/** After a sandbox clock has moved: one round after the other, until nothing is due any more. */
export const runDue = async (context: Context, organizations: readonly string[]): Promise<void> => {
  const all = [runPaymentsDue, runExpiry, runDemoPlays]
  let found = true
  while (found) {
    found = false
    for (const run of all) found = (await run(context, organizations)) || found
  }
}
