/** All background tasks, and the work that a clock advance makes due. */
import type { Context } from '../context.ts'
import { playDemoSteps } from './demo-counterparty.ts'
import { playDemoLoans } from './demo-loans.ts'
import { type ScheduledTask, nextWork } from './scheduled-work.ts'
import { expireOffers } from './expire-offers.ts'
import { countUncountedRows } from './count-rows.ts'
import { fillUnfilledListRows } from './fill-list-rows.ts'
import { findNotices } from './find-notices.ts'
import { indexSearch } from './index-search.ts'
import { auditProvenance } from './audit-provenance.ts'
import { auditRows } from './audit-rows.ts'
import { sequenceLogs } from './sequence-log.ts'
import { completeAdvance, completeAdvances } from './clock-advances.ts'
import { advanceDueFinance } from './due-finance.ts'
import { advanceDuePayments } from './due-payments.ts'
import { applyMissedRailEvents } from './missed-rail-events.ts'
import { purgeExpired } from './purge-expired.ts'
import { purgeOrphanedFiles } from './purge-orphaned-files.ts'
import { sendNotices } from './send-notices.ts'
import { answerLinkRequests } from './answer-link-requests.ts'
import type { Task } from './runner.ts'

export const tasks: readonly Task[] = [
  sequenceLogs,
  auditProvenance,
  auditRows,
  purgeExpired,
  purgeOrphanedFiles,
  expireOffers,
  indexSearch,
  fillUnfilledListRows,
  countUncountedRows,
  advanceDuePayments,
  applyMissedRailEvents,
  playDemoSteps,
  playDemoLoans,
  advanceDueFinance,
  completeAdvances,
  findNotices,
  sendNotices,
  answerLinkRequests,
]

/** What falls due by the clocks of sandboxes. */
const sandboxTasks: readonly ScheduledTask[] = [
  advanceDuePayments,
  expireOffers,
  playDemoSteps,
  playDemoLoans,
  advanceDueFinance,
]

export const sandboxWorkOf = (context: () => Context): Context['sandboxWork'] => ({
  next: (of, progress) => nextWork(context(), sandboxTasks, of, progress),
  complete: (db, advance) => completeAdvance(context(), db, advance),
})
