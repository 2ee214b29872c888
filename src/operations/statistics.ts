/** Sums of an organization's documents and payments, to look at (contract 12). */
import type { Call } from '../context.ts'
import { documentTypes, owedPhases, phases } from '../contract/document-types.ts'
import { invalidRequest, refuse } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import {
  type Interval,
  type StatisticsPoint,
  Statistics,
  StatisticsFilters,
} from '../contract/shapes/statistics.ts'
import { addDays, dateAt, daysBetween } from '../core/dates.ts'
import { fromMinor } from '../core/money.ts'
import * as store from '../store/statistics.ts'
import { databaseNow } from '../database/database-clock.ts'
import { operation } from './operation.ts'

const typesPaidBy = (side: 'issuer' | 'counterparty'): string[] =>
  Object.entries(documentTypes)
    .filter(([, { payer }]) => payer === side)
    .map(([name]) => name)

const owed = {
  statuses: owedPhases.flatMap((phase) => phases[phase]),
  paidByCounterparty: typesPaidBy('counterparty'),
  paidByIssuer: typesPaidBy('issuer'),
}

const daysIn: Readonly<Record<Interval, number>> = { day: 1, week: 7, month: 28 }

export const get = operation({
  id: 'statistics.get',
  method: 'GET',
  path: '/v1/statistics',
  family: 'documents',
  workClass: 'heavy',
  summary: 'Add up documents and payments by period, status or age',
  description: 'Sums for charts, as of now. Amounts of different currencies are never added up.',
  since: '1.16.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  query: StatisticsFilters,
  response: Statistics,
}).reads(async (call, { query }) => {
  const { metric, interval = 'week' } = query
  const today = dateAt(await databaseNow(call.read), call.organization.clockOffsetSeconds)
  const to = query.to ?? today
  const from = query.from ?? addDays(to, -limits.statisticsDefaultDays)
  checkPeriod(from, to, interval)
  if (metric === 'cash_flow') checkPayments(call)

  const { id: organization, resetPosition } = call.organization
  const viewer = { organization, resetPosition }
  const period = { from, to, interval }
  const sums = {
    cash_flow: () => store.cashFlow(call.read, viewer, period),
    ageing: () => store.ageing(call.read, viewer, { ...owed, today }),
    documents: () => store.documentsByStatus(call.read, viewer, period),
  }
  const rows = await sums[metric]()
  const hasMore = metric === 'cash_flow' ? store.hasMorePayments : store.hasMoreDocuments
  const is_complete = !(await hasMore(call.read, viewer))
  return { body: { metric, from, to, interval, points: rows.map(toPoint), is_complete } }
})

const checkPeriod = (from: string, to: string, interval: Interval): void => {
  const most = limits.statisticsPeriodsMax
  const days = daysBetween(from, to)
  if (days >= 0 && days < most * daysIn[interval]) return
  throw invalidRequest({
    param: 'from',
    code: 'out_of_range',
    message:
      days < 0
        ? 'The range ends before it begins.'
        : `The range has more than ${most} periods of a ${interval}.`,
    fix: days < 0 ? 'send the earlier day as from' : 'send a longer interval or a shorter range',
  })
}

const checkPayments = ({ context, scopes, credential }: Call): void => {
  if (!context.config.families.has('payments')) {
    throw refuse(
      'not_enabled',
      'The metric cash_flow needs the payments family, which is not enabled in this deployment.',
      { family: 'payments' },
    )
  }
  if (scopes.has('payments:read')) return
  throw refuse('insufficient_scope', 'The metric cash_flow needs payments:read.', {
    required_scopes: ['documents:read', 'payments:read'],
    key_scopes: [...credential.grantedScopes],
  })
}

const toPoint = ({ amount, count, currency, ...sum }: store.Sum): StatisticsPoint => ({
  ...sum,
  currency: currency as StatisticsPoint['currency'],
  amount: fromMinor(amount),
  count: Number(count),
})
