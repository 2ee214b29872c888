/** The parts of the OpenAPI document. */
import type { JsonSchema } from './json-schema.ts'
import type { BodyContent, Parameter, ReferenceObject } from './parameters.ts'
import type { HeaderObject, ResponseObject } from './responses.ts'
import type { ServerObject } from './servers.ts'
import type { WebhookOperation } from './webhooks.ts'

export interface OperationObject {
  operationId: string
  tags: string[]
  summary: string
  description: string
  'x-since': string
  deprecated?: boolean
  'x-scopes': readonly string[]
  security: Record<string, never[]>[]
  parameters: (Parameter | ReferenceObject)[]
  requestBody?: { required: boolean; content: BodyContent }
  responses: Record<string, ResponseObject | ReferenceObject>
}

export interface OpenApi {
  openapi: '3.1.1'
  info: Record<string, unknown>
  servers: ServerObject[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, OperationObject>>
  webhooks: Record<string, { post: WebhookOperation }>
  components: {
    schemas: Record<string, JsonSchema>
    parameters: Record<string, Parameter>
    headers: Record<string, HeaderObject>
    responses: Record<string, ResponseObject>
    securitySchemes: Record<string, object>
  }
}
