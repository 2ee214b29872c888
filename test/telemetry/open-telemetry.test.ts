/** Metrics as Prometheus text, and both signals of OpenTelemetry sent to a collector. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { openTelemetry } from '../../src/telemetry/open-telemetry.ts'
import { openMetrics } from '../../src/telemetry/metrics.ts'
import { callApi } from '../support/api-client.ts'
import { root, sourcesOf } from '../support/architecture/sources.ts'
import { startTestService } from '../support/test-service.ts'

test('latency histograms name the operation and the route, and count cumulatively', async () => {
  const service = await startTestService()
  for (let i = 0; i < 3; i += 1) await callApi(service, 'GET', '/v1/enablement')
  const { text } = await callApi(service, 'GET', '/metrics')
  const labels = 'operation="enablement.get",route="/v1/enablement"'
  assert.match(text, /^# TYPE docex_request_duration_seconds histogram$/m)
  assert(text.includes(`docex_request_duration_seconds_bucket{${labels},le="+Inf"} 3`), text)
  assert(text.includes(`docex_request_duration_seconds_count{${labels}} 3`), text)
  const bounds = [...text.matchAll(/enablement",le="[^"]+"\} (\d+)/g)].map(([, n]) => Number(n))
  assert.deepEqual(
    bounds,
    bounds.toSorted((a, b) => a - b),
  )
})

test('an alarm that has not been raised is 0 with its labels, for every check there is', () => {
  const text = openMetrics().text()
  const format = readFileSync(join(root, 'verifier/FORMAT.md'), 'utf8')
  const rows = [...format.matchAll(/^\| ([A-Z_, ]+) \|/gm)].flatMap(([, names]) =>
    names!.split(', '),
  )
  const calls = sourcesOf(['src'])
    .flatMap((source) => [...source.text.matchAll(/(?:failCheck|Failure)\(\s*'([A-Z_]+)'/g)])
    .map(([, name]) => name!)
  assert(rows.length > 15 && calls.length > 25)
  // Mistakes of whoever runs the verifier, and of a file that only a verifier reads.
  const ofTheProgram = ['USAGE', 'TRUST', 'FILE', 'PDF']
  const checks = [...rows, ...calls, 'LOG'].filter((check) => !ofTheProgram.includes(check))
  for (const check of checks) {
    assert(text.includes(`docex_integrity_failures_total{check="${check}"} 0`), check)
  }
  assert.match(text, /^docex_log_refused_total\{log="live",reason="no_such_event"\} 0$/m)
  assert.match(text, /^docex_log_unsigned_total\{log="test"\} 0$/m)
  const unlabelled = [...text.matchAll(/^docex_(\w+) \d/gm)].map(([, name]) => name)
  const audited = ['documents', 'tiles', 'rows'].map((what) => `audited_${what}_total`)
  const missed = [
    'rows_not_audited_total',
    'row_audits_overdue_total',
    'payments_contradicted_total',
  ]
  assert.deepEqual(unlabelled, [...audited, ...missed, 'postgresql_restarts_total'])
})

/** A collector that remembers what it has received. */
const aCollector = async () => {
  const received: { path: string; body: string }[] = []
  const collector = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ path: request.url!, body: Buffer.concat(chunks).toString('utf8') })
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  after(() => collector.close())
  const { port } = collector.address() as AddressInfo
  const bodyOf = (path: string): string =>
    received
      .filter((one) => one.path === path)
      .map(({ body }) => body)
      .join('')
  return { endpoint: `http://127.0.0.1:${port}`, bodyOf }
}

test('a collector receives spans and metrics over OTLP, and the trace of the caller goes on', async () => {
  const { endpoint, bodyOf } = await aCollector()
  const { tracing, exporting, stop } = openTelemetry(endpoint)
  const metrics = exporting(openMetrics())
  metrics.count('docex_requests_total', 'operation="documents.get",status="200"')
  metrics.observe('docex_request_duration_seconds', 'operation="documents.get",route="/x"', 0.02)
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
  const result = await tracing.span('GET /x', { kind: 'server', headers }, async () => 'done')
  await assert.rejects(
    tracing.span('fails', { kind: 'internal' }, () => Promise.reject(new Error('broken'))),
    /broken/,
  )
  await stop()
  assert.equal(result, 'done')
  assert.match(metrics.text(), /docex_requests_total\{operation="documents.get",status="200"\} 1/)
  assert.match(bodyOf('/v1/traces'), new RegExp(`${traceId}|GET /x`))
  assert.match(bodyOf('/v1/traces'), /fails/)
  assert.match(bodyOf('/v1/metrics'), /docex_requests_total/)
  assert.match(bodyOf('/v1/metrics'), /docex_request_duration_seconds/)
})

test('a collector tells processes apart, and sees the first alarm of each rise from 0', async () => {
  const { endpoint, bodyOf } = await aCollector()
  for (let process = 0; process < 2; process += 1) {
    const { exporting, stop } = openTelemetry(endpoint)
    exporting(openMetrics())
    await stop()
  }
  const body = bodyOf('/v1/metrics')
  const instances = [...body.matchAll(/"service.instance.id","value":\{"stringValue":"([^"]+)"/g)]
  assert.equal(new Set(instances.map(([, id]) => id)).size, 2)
  for (const alarm of ['integrity_failures', 'log_refused', 'payments_contradicted'])
    assert.match(body, new RegExp(`docex_${alarm}_total`))
  assert.match(body, /"stringValue":"LEDGER"\}\}\],[^{}]*"asDouble":0[,}]/)
})

test('a collector that does not answer does not keep a process from stopping', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  after(() => {
    silent.closeAllConnections()
    silent.close()
  })
  const { port } = silent.address() as AddressInfo
  const { tracing, exporting, stop } = openTelemetry(`http://127.0.0.1:${port}`)
  exporting(openMetrics()).count('docex_sign_in_failures_total', 'code="unauthorized"')
  await tracing.span('GET /x', { kind: 'internal' }, async () => {})
  const begunMs = performance.now()
  await stop()
  assert(performance.now() - begunMs < limits.lastTelemetryMaxMs * 3)
})
