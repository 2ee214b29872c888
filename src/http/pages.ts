/** What is served beside the operations: docs, the specification document, health and metrics. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Pipeline } from './pipeline.ts'

export interface Page {
  path: string
  serve(pipeline: Pipeline, request: IncomingMessage, response: ServerResponse): Promise<void>
}
