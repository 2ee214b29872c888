/** What statistics count of histories and of loans (contract 12). */
import { limits } from '../contract/limits.ts'
import type { Side } from '../contract/document-types.ts'
import type { StatisticsCount } from '../contract/shapes/statistics.ts'
import type { ViewerOrganization } from '../core/documents/document-visibility.ts'
import { loanSumsOf } from '../core/finance/loan-statistics.ts'
import { type Period, type Sum, addUp, percentile } from '../core/statistics.ts'
import { fittingHistories, staysOf } from '../core/time-in-status.ts'
import type { Queryable } from '../database/sql.ts'
import { agreementsPage } from '../store/finance/agreements.ts'
import { historiesOf } from '../store/provenance/histories.ts'
import { forEachDocument } from '../store/statistics.ts'

/** The process does nothing else while it verifies the histories of a page. */
const historiesPerPage = 25

/** How long the newest documents of the period stayed in each state that they have left. */
export const timeInStatus = async (
  db: Queryable,
  viewer: ViewerOrganization,
  { from, to }: Period,
): Promise<{ counts: StatisticsCount[]; is_complete: boolean }> => {
  const wanted: { id: string; side: Side; head_seq: number }[] = []
  const scanMaxRows = limits.statisticsScanMaxRows
  const isScanned = await forEachDocument(db, { viewer, scanMaxRows }, (document, side) => {
    const { document_date: day, id, head_seq } = document
    if (day < from || day > to || head_seq === 0) return
    wanted.push({ id, side, head_seq })
  })
  const counted = fittingHistories(wanted, {
    histories: limits.statisticsHistoriesMax,
    events: limits.statisticsEventsMax,
  })
  const stays = new Map<string, number[]>()
  for (let first = 0; first < counted.length; first += historiesPerPage) {
    const page = counted.slice(first, first + historiesPerPage)
    const histories = await historiesOf(
      db,
      page.map(({ id }) => id),
    )
    for (const { id, side } of page)
      for (const { status, ms } of staysOf(histories.get(id)!, side)) {
        const key = `${side === 'issuer' ? 'issued' : 'received'} ${status}`
        const known = stays.get(key)
        if (known === undefined) stays.set(key, [ms])
        else known.push(ms)
      }
  }
  const counts = [...stays].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(toCount)
  return { counts, is_complete: isScanned && counted.length === wanted.length }
}

const toCount = ([key, durations]: [string, number[]]): StatisticsCount => {
  const [group, bucket] = key.split(' ') as [string, string]
  const duration_ms = { median: percentile(durations, 0.5), p95: percentile(durations, 0.95) }
  return { start: null, group, bucket, count: durations.length, duration_ms }
}

const loansPerPage = 200

/** The sums of loans that are funded, and can still be repaid, from the rows of the list. */
export const sumsOfLoans = async (
  db: Queryable,
  organization: string,
  { today, period }: { today: string; period: Period },
): Promise<{ sums: Map<string, Sum>; is_complete: boolean }> => {
  const sums = new Map<string, Sum>()
  let is_complete = true
  for (const role of ['borrower', 'lender'] as const) {
    const request = { organization, roles: [role], statuses: ['funded', 'flagged'] }
    let scanned = 0
    for (let before: string | undefined; ;) {
      const page = { ...request, before, limit: loansPerPage }
      const loans = await agreementsPage(db, page)
      for (const { agreement, isFrozen, inFlight } of loans) {
        const counting = { role, today, period, inFlight }
        const counted = isFrozen ? [] : loanSumsOf(agreement, counting)
        for (const one of counted) addUp(one, sums)
      }
      scanned += loans.length
      if (loans.length < loansPerPage) break
      if (scanned >= limits.statisticsScanMaxRows) {
        is_complete = false
        break
      }
      before = loans.at(-1)!.agreement.id
    }
  }
  return { sums, is_complete }
}
