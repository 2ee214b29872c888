/**
 * Metrics and traces over OTLP/HTTP, for deployments that name a collector
 * (OTEL_EXPORTER_OTLP_ENDPOINT). Loaded only then: the SDK costs some 30 MB and 100 ms at start.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Counter,
  type Histogram,
  SpanKind,
  SpanStatusCode,
  propagation,
  ROOT_CONTEXT,
  context,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { limits } from '../contract/limits.ts'
import { version } from '../contract/version.ts'
import type { Metrics } from '../context.ts'
import { seriesFromZero } from './metrics.ts'
import type { Tracing } from './tracing.ts'

export interface OpenTelemetry {
  tracing: Tracing
  /** The same metrics, which the collector receives as well. */
  exporting(metrics: Metrics): Metrics
  /** Sends what is left; a collector that does not answer holds up nobody who stops. */
  stop(): Promise<void>
}

export const openTelemetry = (endpoint: string): OpenTelemetry => {
  const resource = resourceFromAttributes({
    'service.name': 'docex',
    'service.version': version,
    // Each process counts for itself: without it, the counters of several would be one.
    'service.instance.id': randomUUID(),
  })
  const traces = new TracerProvider({
    resource,
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }) }),
    ],
  })
  const exporter = new OTLPMetricExporter({ url: `${endpoint}/v1/metrics` })
  const meters = new MeterProvider({
    resource,
    readers: [new PeriodicExportingMetricReader({ exporter })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  return {
    tracing: tracingOf(traces),
    exporting: (metrics) => exportingMetrics(metrics, meters),
    stop: async () => {
      const sent = Promise.allSettled([traces.shutdown(), meters.shutdown()])
      await Promise.race([sent, delay(limits.lastTelemetryMaxMs, undefined, { ref: false })])
    },
  }
}

const spanKinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const

const tracingOf = (provider: TracerProvider): Tracing => {
  const tracer = provider.getTracer('docex', version)
  return {
    span: async (name, { kind, attributes = {}, headers }, work) => {
      const parent =
        headers === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, headers)
      const span = tracer.startSpan(name, { kind: spanKinds[kind], attributes }, parent)
      try {
        return await context.with(trace.setSpan(parent, span), work)
      } catch (error) {
        span.recordException(error instanceof Error ? error : String(error))
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    },
  }
}

const exportingMetrics = (metrics: Metrics, provider: MeterProvider): Metrics => {
  const meter = provider.getMeter('docex', version)
  const counters = new Map<string, Counter>()
  const histograms = new Map<string, Histogram>()
  const add = (name: string, labels: string, by: number): void => {
    const known = counters.get(name) ?? meter.createCounter(name)
    counters.set(name, known)
    known.add(by, attributesOf(labels))
  }
  for (const { name, labels } of seriesFromZero) add(name, labels, 0)
  return {
    text: () => metrics.text(),
    count: (name, labels = '', by = 1) => {
      metrics.count(name, labels, by)
      add(name, labels, by)
    },
    observe: (name, labels, seconds) => {
      metrics.observe(name, labels, seconds)
      const known = histograms.get(name) ?? meter.createHistogram(name, { unit: 's' })
      histograms.set(name, known)
      known.record(seconds, attributesOf(labels))
    },
  }
}

/** `operation="documents.get",status="200"` as attributes. */
const attributesOf = (labels: string): Record<string, string> =>
  Object.fromEntries(
    [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!]),
  )
