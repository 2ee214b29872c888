/** What the shop owes and is owed. */
import type { Example } from './ids.ts'

const point = { start: null, bucket: 'current', currency: 'USD', days_to_pay: null }

export const statisticsExamples: Readonly<Record<string, Example>> = {
  'statistics.get': {
    query: 'metric=ageing',
    response: {
      metric: 'ageing',
      from: '2026-08-29',
      to: '2026-11-21',
      interval: 'week',
      counts: [],
      points: [
        { ...point, group: 'payable', amount: 1080, count: 1 },
        { ...point, group: 'receivable', bucket: '1-30', amount: 412.5, count: 2 },
      ],
      is_complete: true,
    },
  },
}
