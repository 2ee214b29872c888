/** Counters of this process, as Prometheus text. */
import type { Metrics } from '../context.ts'

const helpTexts: Record<string, string> = {
  docex_requests_total: 'Calls answered, by operation and status.',
  docex_request_log_lost_total: 'Calls that are not in the log of calls, by reason.',
  docex_webhook_attempts_total: 'Attempts at webhook deliveries, by what followed.',
  docex_integrity_failures_total:
    'Stored records that did not match their proofs, by check. Alarm.',
  docex_log_refused_total: 'Batches with rows that this service had not written, by reason. Alarm.',
  docex_log_unsigned_total: 'Times a log could not be signed as it is stored. Alarm.',
  docex_audited_documents_total: 'Documents that the auditor has verified.',
  docex_audited_tiles_total: 'Tiles of the logs that the auditor has verified.',
  docex_sign_in_failures_total: 'Sign-ins that were refused.',
}

/** What is counted rarely stands at 0 until then, so that the first time is seen as a rise. */
const startAtZero = [
  'docex_integrity_failures_total',
  'docex_log_refused_total',
  'docex_log_unsigned_total',
  'docex_audited_documents_total',
  'docex_audited_tiles_total',
  'docex_sign_in_failures_total',
]

export const openMetrics = (): Metrics => {
  const counters = new Map(startAtZero.map((name) => [name, new Map([['', 0]])]))
  const startedAt = Date.now() / 1000
  return {
    count: (name, labels = '', by = 1) => {
      const series = counters.get(name) ?? new Map<string, number>()
      series.set(labels, (series.get(labels) ?? 0) + by)
      counters.set(name, series)
    },
    text: () => {
      const lines = [
        gauge('process_start_time_seconds', 'Unix time the process started.', startedAt),
        gauge('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()),
      ]
      for (const [name, series] of counters) {
        lines.push(`# HELP ${name} ${helpTexts[name] ?? name}`, `# TYPE ${name} counter`)
        for (const [labels, value] of series) {
          lines.push(`${name}${labels === '' ? '' : `{${labels}}`} ${value}`)
        }
      }
      return `${lines.join('\n')}\n`
    },
  }
}

const gauge = (name: string, help: string, value: number): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}`
