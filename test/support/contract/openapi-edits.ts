/** The document that is served, and edits of it: breaks and additions for the gate to see. */
import { openApiText } from '../../../scripts/generate.ts'
import type { OpenApi } from '../../../src/docs/openapi/openapi-document.ts'

export const currentOpenApi = (): OpenApi => JSON.parse(openApiText()) as OpenApi

export type Edit = (document: OpenApi) => void
/** Any part of the document, by the path to it: to plant a change where types would forbid it. */
export const setAt =
  (path: readonly string[], value: unknown): Edit =>
  (document) => {
    let node = document as unknown as Record<string, unknown>
    for (const step of path.slice(0, -1)) node = node[step] as Record<string, unknown>
    const last = path.at(-1)!
    if (value === undefined) delete node[last]
    else node[last] = value
  }

export const documentsPath = ['paths', '/v1/documents']
export const createOperationPath = [...documentsPath, 'post']
export const getOperationPath = ['paths', '/v1/documents/{id}', 'get']
const eventBody = ['webhooks', 'document.created', 'post', 'requestBody', 'content']
export const eventFieldPath = (name: string) => [
  ...eventBody,
  ...['application/json', 'schema', 'properties', name],
]
export const schemaPath = (name: string, ...path: string[]) => [
  'components',
  'schemas',
  name,
  ...path,
]
export const lineItemPath = (...path: string[]) => schemaPath('LineItem', 'properties', ...path)
export const without = (list: readonly string[] | undefined, name: string) =>
  list?.filter((x) => x !== name)

export const { schemas } = currentOpenApi().components
export const creatableTypes = schemas['DocumentCreate']?.properties?.['document_type']?.enum
