/** Statistics of an organization's documents and payments (contract 12). */
import { type Static, Type } from 'typebox'
import { currencies } from '../currencies.ts'
import { DateOnly, Money, Nullable, StringEnum } from './field-types.ts'
import { InputObject, OutputObject } from './objects.ts'

const metrics = ['cash_flow', 'ageing', 'documents', 'connections', 'projection'] as const
const intervals = ['day', 'week', 'month'] as const

export type Interval = (typeof intervals)[number]

const metricTexts =
  '`cash_flow` (needs payments:read): payments by the day they settled or are scheduled for; groups `in`, `out`, `scheduled_in`, `scheduled_out`. `ageing`: what is owed now by how long it is overdue, whatever from and to say; groups `receivable` and `payable`, buckets `current`, `1-30`, `31-60`, `61-90`, `over_90`. `documents`: documents by their date; groups `issued` and `received`, buckets are statuses. `projection` (needs treasury:read): what is owed by its due date, and payments by the day they are scheduled for, from today on; groups `due_in`, `due_out`, `scheduled_in`, `scheduled_out`, buckets `due`, `overdue` (in the first period), and, without a period, `later` and `undated`; group `balance`: what is available now, without a period, and what it becomes by the end of each period. `connections`: buckets are connections; groups `receivable` and `payable` (what is owed now, whatever from and to say), `issued` and `received` (documents by their date, without drafts), `collected` and `paid` (documents by the day their last payment settled).'

export const StatisticsFilters = InputObject(
  {
    metric: StringEnum(metrics, metricTexts),
    from: Type.Optional(
      DateOnly(
        'The first day. Default: twelve weeks before `to`. Not for a `projection`, which begins today.',
      ),
    ),
    to: Type.Optional(
      DateOnly(
        'The last day. Default: today; of a `projection`, that of eight weeks with the current one.',
      ),
    ),
    interval: Type.Optional(
      StringEnum(intervals, 'The length of a period. Default: `week`; weeks begin on Monday.'),
    ),
  },
  'What to count.',
)
export type StatisticsFilters = Static<typeof StatisticsFilters>

const DaysToPay = OutputObject(
  {
    median: Type.Integer({ description: 'Half of the documents took no longer.' }),
    p90: Type.Integer({ description: 'Nine of ten took no longer.' }),
  },
  'Days from the date of a document to its payment; null but for `collected` and `paid`.',
)

const StatisticsPoint = OutputObject(
  {
    start: Nullable(
      DateOnly(
        'The first day of the period; null for `ageing` and `connections`, and in a `projection` where it says so.',
      ),
    ),
    group: Type.String({ description: 'As the metric says.' }),
    bucket: Nullable(Type.String({ description: 'As the metric says; null for `cash_flow`.' })),
    currency: StringEnum(currencies, 'ISO 4217. Amounts of different currencies are never added.'),
    amount: Money('The sum. Only a projected balance can be negative.'),
    count: Type.Integer({ description: 'How many documents or payments; 1 for a balance.' }),
    days_to_pay: Nullable(DaysToPay),
  },
  'One sum.',
)
export type StatisticsPoint = Static<typeof StatisticsPoint>

export const Statistics = OutputObject(
  {
    metric: StringEnum(metrics, 'As asked.'),
    from: DateOnly('The first day.'),
    to: DateOnly('The last day.'),
    interval: StringEnum(intervals, 'As asked.'),
    points: Type.Array(StatisticsPoint, {
      description: 'Sums that are not 0, and all balances, by period, group, bucket and currency.',
    }),
    is_complete: Type.Boolean({
      description: 'False if there are so many records that the oldest were left out.',
    }),
  },
  'Sums to look at. The records themselves decide: read them for anything else.',
)
