/** The current OpenAPI document, and edits of it that break it or add to it. */
import { openApiText } from '../../../scripts/generate.ts'
import type { OpenApi } from '../../../src/docs/openapi/openapi-types.ts'

export const currentOpenApi = (): OpenApi => JSON.parse(openApiText()) as OpenApi

export type Edit = (document: OpenApi) => void
/** Sets any part of the document by its path, where the types would forbid the change. */
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
export const schemaPath = (name: string, ...path: string[]) => [
  'components',
  'schemas',
  name,
  ...path,
]
export const eventFieldPath = (name: string) =>
  schemaPath('DocumentCreatedEvent', 'properties', name)
export const lineItemPath = (...path: string[]) => schemaPath('LineItem', 'properties', ...path)
export const without = (list: readonly string[] | undefined, name: string) =>
  list?.filter((x) => x !== name)

export const { schemas } = currentOpenApi().components
export const creatableTypes = schemas['DocumentCreate']?.properties?.['document_type']?.enum
