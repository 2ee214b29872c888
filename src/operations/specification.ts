/** The OpenAPI document as a public operation. */
import { type Static, Type } from 'typebox'
import { OutputObject } from '../contract/shapes/objects.ts'
import { renderOnce } from '../docs/rendering/render-once.ts'
import { openApiDocument } from '../docs/openapi/openapi-document.ts'
import { JsonText, type Operation, operation } from './operation.ts'

const Specification = OutputObject(
  {
    openapi: Type.String({ examples: ['3.1.1'] }),
    info: Type.Object({}, { description: 'Title, version and licence.' }),
    paths: Type.Object({}, { description: 'The operations, by path and method.' }),
    components: Type.Object(
      {},
      { description: 'Schemas, parameters, headers and responses that operations share.' },
    ),
  },
  'An OpenAPI 3.1 document.',
)

/** `operations` returns all operations, including this one, and is called on the first request. */
export const specification = (operations: () => readonly Operation[]): Operation => {
  const rendered = renderOnce(({ baseUrl }) =>
    JSON.stringify(openApiDocument(operations(), baseUrl)),
  )
  return operation({
    id: 'specification.get',
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'Retrieve this specification',
    description:
      'Returns the OpenAPI 3.1 document of exactly what this deployment serves. `/v1/openapi.yaml` is the same document as YAML.',
    since: '1.0.0',
    allowed: 'public',
    response: Specification,
  }).answersPublic(async ({ config }) => {
    const { text, etag } = rendered(config)
    return { body: new JsonText<Static<typeof Specification>>(text), etag }
  })
}
