/** Statistics of an organization's documents and payments (contract 12). */
import { type Static, Type } from 'typebox'
import { currencies } from '../currencies.ts'
import { DateOnly, Money, Nullable, StringEnum } from './field-types.ts'
import { InputObject, OutputObject } from './objects.ts'

const metrics = [
  ...(['cash_flow', 'ageing', 'documents', 'connections', 'projection'] as const),
  ...(['time_in_status', 'loans', 'requests'] as const),
]
const intervals = ['day', 'week', 'month'] as const

export type Interval = (typeof intervals)[number]

const metricTexts =
  '`cash_flow` (needs payments:read): payments by the day they settled or are scheduled for; groups `in`, `out`, `scheduled_in`, `scheduled_out`. `ageing`: what is owed now by how long it is overdue; groups `receivable` and `payable`, buckets `current`, `1-30`, `31-60`, `61-90`, `over_90`. `documents`: documents by their date; groups `issued` and `received`, buckets are statuses. `projection` (needs treasury:read): what is owed by due date, and scheduled payments, from today on; groups `due_in`, `due_out`, `scheduled_in`, `scheduled_out`, buckets `due`, `overdue` (in the first period), and, without a period, `later` and `undated`; group `balance`: what is available now, without a period, and by the end of each period. `connections`: buckets are connections; groups `receivable` and `payable` (owed now), `issued` and `received` (documents by date, without drafts), `collected` and `paid` (by the day of the last payment that settled). `time_in_status` (needs provenance:read): how long documents stayed in the states they left, in `counts`; groups `issued` and `received`, buckets are statuses. `loans`: loans that are not repaid now; groups `borrowed` and `lent`, buckets `principal`, `fee`, `repaid`, `owed`; groups `sweep_out` and `sweep_in`: what is expected by due date, `overdue` without a period. `requests` (admins): calls by UTC day, in `counts`; group `answered`, buckets `2xx` to `5xx` and null for all; group `replayed`: of them, replays; group `refused`, buckets are the ten most frequent error codes.'

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
    start: Nullable(DateOnly('The first day of the period; null where the metric has none.')),
    group: Type.String({ description: 'As the metric says.' }),
    bucket: Nullable(Type.String({ description: 'As the metric says.' })),
    currency: StringEnum(currencies, 'ISO 4217. Amounts of different currencies are never added.'),
    amount: Money('The sum. Only a projected balance can be negative.'),
    count: Type.Integer({ description: 'How many documents or payments; 1 for a balance.' }),
    days_to_pay: Nullable(DaysToPay),
  },
  'One sum.',
)
export type StatisticsPoint = Static<typeof StatisticsPoint>

const StatisticsCount = OutputObject(
  {
    start: Nullable(DateOnly('The first day of the period; null where the metric has none.')),
    group: Type.String({ description: 'As the metric says.' }),
    bucket: Nullable(Type.String({ description: 'As the metric says.' })),
    count: Type.Integer({ description: 'How many.' }),
    duration_ms: Nullable(
      OutputObject(
        {
          median: Type.Integer({ description: 'Half took no longer.' }),
          p95: Type.Integer({ description: '95 % took no longer.' }),
        },
        'Null where nothing is timed.',
      ),
    ),
  },
  'One count.',
)
export type StatisticsCount = Static<typeof StatisticsCount>

export const Statistics = OutputObject(
  {
    metric: StringEnum(metrics, 'As asked.'),
    from: DateOnly('The first day.'),
    to: DateOnly('The last day.'),
    interval: StringEnum(intervals, 'As asked.'),
    points: Type.Array(StatisticsPoint, {
      description: 'Sums that are not 0, and all balances, by period, group, bucket and currency.',
    }),
    counts: Type.Array(StatisticsCount, {
      description: 'Of the metrics without points; else empty.',
    }),
    is_complete: Type.Boolean({
      description: 'False if there are so many records that the oldest were left out.',
    }),
  },
  'Sums to look at. The records themselves decide: read them for anything else.',
)
