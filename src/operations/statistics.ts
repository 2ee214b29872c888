/** Sums of an organization's documents and payments, to look at (contract 12). */
import type { Call } from '../context.ts'
import { invalidRequest, refuse } from '../contract/errors.ts'
import type { Family } from '../contract/families.ts'
import { limits } from '../contract/limits.ts'
import type { Scope } from '../contract/scopes.ts'
import {
  type Interval,
  type StatisticsCount,
  type StatisticsPoint,
  Statistics,
  StatisticsFilters,
} from '../contract/shapes/statistics.ts'
import { addBalances, defaultEnd, expectedOf } from '../core/cash-projection.ts'
import { addDays, dateAt, dateOf, daysBetween, firstDate } from '../core/dates.ts'
import { fromMinor } from '../core/money.ts'
import {
  type Period,
  type Sum,
  addUp,
  ageingOf,
  cashFlowOf,
  documentByStatus,
  inOrder,
  percentile,
} from '../core/statistics.ts'
import { connectionSumsOf, isPaidEarlier } from '../core/statistics-by-connection.ts'
import { databaseNow } from '../database/database-clock.ts'
import type { Queryable } from '../database/sql.ts'
import type { ListedDocument } from '../store/documents/counted-documents.ts'
import { availableBalances } from '../store/payments/ledger.ts'
import {
  type PaymentDirection,
  forEachDocument,
  forEachPayment,
  withLastSettled,
} from '../store/statistics.ts'
import { countedCalls } from '../store/request-counts.ts'
import { sumsOfLoans, timeInStatus } from './statistics-counts.ts'
import { operation } from './operation.ts'
import { capabilityUnavailable, lackingAuthority } from './required-authority.ts'

const daysIn: Readonly<Record<Interval, number>> = { day: 1, week: 7, month: 28 }

export const get = operation({
  id: 'statistics.get',
  method: 'GET',
  path: '/v1/statistics',
  family: 'documents',
  summary: 'Add up documents, payments, loans or calls by period, status or age',
  description:
    'Sums for charts, as of now, by currency. A metric without amounts answers `counts`, the others `points`.',
  since: '1.16.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  query: StatisticsFilters,
  response: Statistics,
  errors: ['capability_unavailable'],
}).reads(async (call, { query }) => {
  const { metric, interval = 'week' } = query
  // The request log keeps the real time.
  const offset = metric === 'requests' ? 0n : call.organization.clockOffsetSeconds
  const now = await databaseNow(call.read)
  const today = dateAt(now, offset)
  const isProjection = metric === 'projection'
  if (isProjection && query.from !== undefined) throw projectionBeginsToday()
  const to = query.to ?? (isProjection ? defaultEnd(today) : today)
  const from = isProjection
    ? today
    : (query.from ?? defaultStart({ ...query, interval }, { to, now }))
  checkPeriod({ from, to, interval }, query)
  checkAccess(call, metric)

  const counted = { metric, today, period: { from, to, interval } }
  const counting = await call.snapshot((db) => countedIn(db, call, counted))
  const { sums = new Map<string, Sum>(), counts = [], is_complete } = counting
  const points = inOrder(sums).map(toPoint)
  return { body: { metric, from, to, interval, points, counts, is_complete } }
})

/** They count payments by the days on which they settled, which are real days in sandboxes, too. */
const settlementMetrics: ReadonlySet<string> = new Set(['cash_flow', 'connections'])

/**
 * Up to today, a sandbox whose clock is ahead has the payments of the last real weeks, too
 * (docs/decisions/0263).
 */
const defaultStart = (
  { metric, to: asked, interval }: StatisticsFilters & { interval: Interval },
  { to, now }: { to: string; now: string },
): string => {
  const isReal = asked === undefined && settlementMetrics.has(metric)
  const start = daysBefore(isReal ? dateOf(now) : to, limits.statisticsDefaultDays)
  const earliest = daysBefore(to, limits.statisticsPeriodsMax * daysIn[interval] - 1)
  return start > earliest ? start : earliest
}

const daysBefore = (day: string, days: number): string =>
  addDays(day, -Math.min(days, daysBetween(firstDate, day)))

interface CountedMetric {
  metric: StatisticsFilters['metric']
  today: string
  period: Period
}

interface Counting {
  sums?: Map<string, Sum>
  counts?: StatisticsCount[]
  is_complete: boolean
}

/** All of it in one snapshot, so that no sum contains two states of one change. */
const countedIn = async (
  db: Queryable,
  { organization: viewer }: Call,
  { metric, today, period }: CountedMetric,
): Promise<Counting> => {
  if (metric === 'requests') return countedCalls(db, viewer.id, period)
  if (metric === 'time_in_status') return timeInStatus(db, viewer, period)
  if (metric === 'loans') return sumsOfLoans(db, viewer.id, { today, period })
  const scanMaxRows = limits.statisticsScanMaxRows
  const sums = new Map<string, Sum>()
  const counting = { today, period, isAhead: viewer.clockOffsetSeconds > 0n }
  const countPayments = (direction: PaymentDirection) =>
    forEachPayment(db, { organization: viewer.id, direction, scanMaxRows }, (payment) =>
      addUp(cashFlowOf(payment, { direction, period }), sums),
    )
  if (metric === 'cash_flow') {
    const areComplete = [await countPayments('outgoing'), await countPayments('incoming')]
    return { sums, is_complete: !areComplete.includes(false) }
  }
  const paidEarlier: ListedDocument[] = []
  const is_complete = await forEachDocument(db, { viewer, scanMaxRows }, (document, side) => {
    if (metric === 'connections' && isPaidEarlier(document)) {
      paidEarlier.push(document)
      return
    }
    const counted = [countedAs[metric](document, { ...counting, side })].flat()
    for (const one of counted) addUp(one, sums)
  })
  for (const { side, ...document } of await withLastSettled(db, paidEarlier))
    for (const one of connectionSumsOf(document, { ...counting, side })) addUp(one, sums)
  if (metric === 'projection') {
    addBalances(sums, await availableBalances(db, viewer.id), period)
  }
  return { sums, is_complete }
}

const countedAs = {
  ageing: ageingOf,
  documents: documentByStatus,
  connections: connectionSumsOf,
  projection: expectedOf,
}

const projectionBeginsToday = () =>
  invalidRequest({
    param: 'from',
    code: 'invalid_value',
    message: 'A projection begins today.',
    fix: 'leave from out',
  })

const checkPeriod = ({ from, to, interval }: Period, asked: StatisticsFilters): void => {
  const most = limits.statisticsPeriodsMax
  const days = daysBetween(from, to)
  if (days >= 0 && days < most * daysIn[interval]) return
  // A refusal is about a day that was sent.
  const param = asked.from === undefined ? 'to' : 'from'
  if (days < 0) throw invalidRequest({ param, code: 'out_of_range', ...reversed(from, to, asked) })
  throw invalidRequest({
    param,
    code: 'out_of_range',
    message: `The range has more than ${most} periods of a ${interval}.`,
    fix: `send ${interval === 'month' ? '' : 'a longer interval or '}a shorter range`,
  })
}

const reversed = (from: string, to: string, asked: StatisticsFilters) => {
  if (asked.from === undefined)
    return { message: `A projection begins today, ${from}.`, fix: `send ${from} or a later day` }
  if (asked.to === undefined)
    return {
      message: `The range would end today, ${to}, before it begins.`,
      fix: `send a from up to ${to}, or a later to`,
    }
  return { message: 'The range ends before it begins.', fix: 'send the earlier day as from' }
}

/** What a metric needs besides documents:read. */
const neededBy: Partial<Record<StatisticsFilters['metric'], Need>> = {
  cash_flow: { family: 'payments', scope: 'payments:read' },
  projection: { family: 'treasury', scope: 'treasury:read' },
  time_in_status: { family: 'provenance', scope: 'provenance:read' },
  loans: { family: 'finance' },
  requests: { family: 'keys', scope: 'admin_session' },
}

interface Need {
  family: Family
  scope?: Scope | 'admin_session'
}

const checkAccess = (call: Call, metric: StatisticsFilters['metric']): void => {
  const need = neededBy[metric]
  if (need === undefined) return
  const { family, scope } = need
  if (!call.context.config.families.has(family)) {
    throw refuse(
      'not_enabled',
      `The metric ${metric} needs the ${family} family, which is not enabled in this deployment.`,
      { family },
    )
  }
  if (scope === undefined) return
  const lacking = lackingAuthority(
    scope === 'admin_session' ? { allowed: 'admin' } : { allowed: 'scoped', scopes: [scope] },
    call,
  )
  if (lacking === undefined) return
  if (lacking.lacks === 'verification') throw capabilityUnavailable(lacking.scope)
  throw refuse('insufficient_scope', `The metric ${metric} needs ${scope}.`, {
    required_scopes: ['documents:read', scope],
    key_scopes: [...call.credential.grantedScopes],
  })
}

const toPoint = ({ amount, currency, days, ...sum }: Sum): StatisticsPoint => ({
  ...sum,
  currency: currency as StatisticsPoint['currency'],
  amount: fromMinor(amount),
  days_to_pay:
    days.length === 0 ? null : { median: percentile(days, 0.5), p90: percentile(days, 0.9) },
})
