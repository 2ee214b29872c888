/** The seam for traces: without a collector the work runs and nothing else happens. */
import type { IncomingHttpHeaders } from 'node:http'

export type SpanKind = 'server' | 'client' | 'internal'

export interface SpanOptions {
  kind: SpanKind
  attributes?: Readonly<Record<string, string | number>>
  /** Headers of an incoming request, which may name the caller's trace (W3C Trace Context). */
  headers?: IncomingHttpHeaders
}

export interface Tracing {
  /** Runs the work inside of a span, which ends with it and records its failure. */
  span<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T>
}

export const noTracing: Tracing = { span: (_name, _options, work) => work() }
