/** Counters and latency histograms of this process, as Prometheus text. */
import type { Metrics } from '../context.ts'
import { logIds } from '../core/provenance/signed-notes.ts'
import { rejectionReasons } from '../store/provenance/transparency-log.ts'
import { lossReasons } from '../store/request-log.ts'

interface Definition {
  help: string
  /** Series exported as 0 from the start, by their labels, so that a first increment is a rise. */
  startsAtZero?: readonly string[]
}

const checkLabels = [
  // The published verifier makes these (verifier/FORMAT.md, section 9),
  'DIGEST',
  'JSON',
  'CANONICAL',
  'FORMAT',
  'SHAPE',
  'NOTE',
  'ORIGIN',
  'SIGNATURE',
  'KEY_WINDOW',
  'WITNESS',
  'PARTY',
  'SPLIT_VIEW',
  'PLEDGE',
  'STREAM',
  'CHAIN',
  'ORDER',
  'ROLE',
  'COMMITMENT',
  'WITHHELD',
  'REPLAY',
  'INCLUSION',
  'HEAD',
  // and these only the service.
  'MAC',
  'GUARD',
  'LINK',
  'HOLD',
  'CHECKPOINT',
  'CONSISTENCY',
  'LOG',
  'ATTACHMENT',
  'LEDGER',
].map((check) => `check="${check}"`)

const logLabels = logIds.map((id) => `log="${id}"`)

const counters: Readonly<Record<string, Definition>> = {
  docex_requests_total: { help: 'Requests answered, by operation and status.' },
  docex_request_log_lost_total: {
    help: 'Requests missing from the request log, by reason.',
    startsAtZero: lossReasons.map((reason) => `reason="${reason}"`),
  },
  docex_webhook_attempts_total: { help: 'Webhook delivery attempts, by resulting status.' },
  docex_notices_total: {
    help: 'Attempts to send a notice by e-mail, by kind and resulting status.',
  },
  docex_integrity_failures_total: {
    help: 'Stored records that did not match their proofs, by check. Alert on any increase.',
    startsAtZero: checkLabels,
  },
  docex_log_refused_total: {
    help: 'Batches with log rows that this service did not write, by reason. Alert on any increase.',
    startsAtZero: logLabels.flatMap((log) =>
      rejectionReasons.map((reason) => `${log},reason="${reason}"`),
    ),
  },
  docex_log_unsigned_total: {
    help: 'Times a log could not be signed or was locked for long. Alert on any increase.',
    startsAtZero: logLabels,
  },
  docex_log_folder_problems_total: {
    help: 'Looks, one a second, that found the log folder away or full. Alert on any increase.',
    startsAtZero: ['problem="log_folder_unavailable"', 'problem="log_folder_full"'],
  },
  docex_audited_documents_total: { help: 'Documents the auditor verified.', startsAtZero: [''] },
  docex_audited_tiles_total: { help: 'Log tiles the auditor verified.', startsAtZero: [''] },
  docex_not_audited_total: {
    help: 'Documents, tiles and keys that the auditor could not read. Alert on any increase.',
    startsAtZero: logLabels,
  },
  docex_audits_overdue_total: {
    help: 'Rounds of an auditor that has not verified everything for a day. Alert on any increase.',
    startsAtZero: logLabels,
  },
  docex_audited_rows_total: { help: 'Rows the auditor verified.', startsAtZero: [''] },
  docex_rows_not_audited_total: {
    help: 'Times the auditor could not read the rows of a table. Alert on any increase.',
    startsAtZero: [''],
  },
  docex_row_audits_overdue_total: {
    help: 'Rounds of the auditor of rows that has not verified all for a day. Alert on any increase.',
    startsAtZero: [''],
  },
  docex_payments_contradicted_total: {
    help: 'Events of the processor that contradict a payment. Alert on any increase.',
    startsAtZero: [''],
  },
  docex_postgresql_restarts_total: {
    help: 'Times the embedded PostgreSQL was started again while the service ran.',
    startsAtZero: [''],
  },
  docex_sign_in_failures_total: { help: 'Refused sign-ins, by error code.' },
}

/** What is exported as 0 from the start. */
export const seriesFromZero = Object.entries(counters).flatMap(([name, { startsAtZero = [] }]) =>
  startsAtZero.map((labels) => ({ name, labels })),
)

const histograms: Readonly<Record<string, Definition>> = {
  docex_request_duration_seconds: { help: 'Time to answer a request, by operation and route.' },
  docex_webhook_attempt_duration_seconds: { help: 'Duration of webhook delivery attempts.' },
}

/** Upper bounds in seconds; OpenTelemetry's defaults for HTTP server durations. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

interface Histogram {
  counts: number[]
  sum: number
}

export const openMetrics = (): Metrics => {
  const counts = new Map<string, Map<string, number>>()
  const durations = new Map<string, Map<string, Histogram>>()
  for (const name of Object.keys(counters)) counts.set(name, new Map())
  for (const { name, labels } of seriesFromZero) counts.get(name)!.set(labels, 0)
  for (const name of Object.keys(histograms)) durations.set(name, new Map())
  const startedAt = Date.now() / 1000
  return {
    count: (name, labels = '', by = 1) => {
      const series = counts.get(name)!
      series.set(labels, (series.get(labels) ?? 0) + by)
    },
    observe: (name, labels, seconds) => {
      const series = durations.get(name)!
      let histogram = series.get(labels)
      if (histogram === undefined) {
        series.set(labels, (histogram = { counts: Array(buckets.length + 1).fill(0), sum: 0 }))
      }
      const at = buckets.findIndex((bound) => seconds <= bound)
      histogram.counts[at === -1 ? buckets.length : at]! += 1
      histogram.sum += seconds
    },
    text: () => {
      const lines = [
        gauge('process_start_time_seconds', 'Unix time the process started.', startedAt),
        gauge('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()),
      ]
      for (const [name, series] of counts) {
        lines.push(...header(name, counters[name]!, 'counter'))
        for (const [labels, value] of series) lines.push(`${name}${inBraces(labels)} ${value}`)
      }
      for (const [name, series] of durations) {
        lines.push(...header(name, histograms[name]!, 'histogram'))
        for (const [labels, histogram] of series)
          lines.push(...bucketLines(name, labels, histogram))
      }
      return `${lines.join('\n')}\n`
    },
  }
}

const gauge = (name: string, help: string, value: number): string =>
  [...header(name, { help }, 'gauge'), `${name} ${value}`].join('\n')

const header = (name: string, { help }: Definition, type: string): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
]

const inBraces = (labels: string): string => (labels === '' ? '' : `{${labels}}`)

/** Prometheus counts cumulatively: each bucket includes the smaller ones. */
const bucketLines = (name: string, labels: string, { counts, sum }: Histogram): string[] => {
  let total = 0
  const lines = counts.map((count, i) => {
    total += count
    return `${name}_bucket{${labels},le="${buckets[i] ?? '+Inf'}"} ${total}`
  })
  return [...lines, `${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${total}`]
}
