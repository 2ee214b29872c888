/** The OpenAPI document as a public operation. */
import { type Static, Type } from 'typebox'
import type { Context } from '../context.ts'
import { OpenObject, OutputObject } from '../contract/shapes/objects.ts'
import { renderOnce } from '../docs/rendering/render-once.ts'
import { authOpenApiDocument, openApiDocument } from '../docs/openapi/openapi-document.ts'
import { type Operation, operation } from './operation.ts'
import { JsonText } from './reply-bodies.ts'

const Specification = OutputObject(
  {
    openapi: Type.String({ examples: ['3.1.1'] }),
    info: OpenObject('Title, version and licence.'),
    paths: OpenObject('The operations, by path and method.'),
    components: OpenObject('Schemas, parameters, headers and responses that operations share.'),
  },
  'An OpenAPI 3.1 document.',
)

type Operations = () => readonly Operation[]

/** `operations` returns all operations, including this one, and is called on the first request. */
export const specification = (operations: Operations): Operation =>
  operation({
    id: 'specification.get',
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'Retrieve this specification',
    description:
      'Returns the OpenAPI 3.1 document of exactly what this deployment serves. `/v1/openapi.yaml` is the same document as YAML, and `/auth/openapi.json` describes sign-in.',
    since: '1.0.0',
    allowed: 'public',
    response: Specification,
  }).answersPublic(rendering(operations, openApiDocument))

/** Sign-in is outside of the versioned contract, so it has a document of its own. */
export const authSpecification = (operations: Operations): Operation =>
  operation({
    id: 'auth_specification.get',
    method: 'GET',
    path: '/auth/openapi.json',
    summary: 'Retrieve this specification',
    description: 'Returns the OpenAPI 3.1 document of sign-in and sessions.',
    since: '1.15.0',
    allowed: 'public',
    response: Specification,
    isUnversioned: true,
  }).answersPublic(rendering(operations, authOpenApiDocument))

const rendering = (operations: Operations, documentOf: typeof openApiDocument) => {
  const rendered = renderOnce(({ baseUrl }) => JSON.stringify(documentOf(operations(), baseUrl)))
  return async ({ config }: Context) => {
    const { text, etag } = rendered(config)
    return { body: new JsonText<Static<typeof Specification>>(text), etag }
  }
}
