/** The specification document itself, for anyone who asks. */
import { type Static, Type } from 'typebox'
import { OutputObject } from '../contract/shapes/objects-and-pages.ts'
import { renderOnce } from '../docs/rendering/render-once.ts'
import { openApiDocument } from '../docs/openapi/openapi-document.ts'
import { JsonText, type Operation, operation } from './operation.ts'

const Specification = OutputObject(
  {
    openapi: Type.String({ examples: ['3.1.1'] }),
    info: Type.Object({}, { description: 'Title, version, licence.' }),
    paths: Type.Object({}, { description: 'The operations by path and method.' }),
    components: Type.Object({}, { description: 'What several operations share.' }),
  },
  'An OpenAPI 3.1 document.',
)

/** `operations`: all of them, this one too, so they are known only when the first call comes. */
export const specification = (operations: () => readonly Operation[]): Operation => {
  const rendered = renderOnce(({ baseUrl }) =>
    JSON.stringify(openApiDocument(operations(), baseUrl)),
  )
  return operation({
    id: 'specification.get',
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'Read this specification',
    description:
      'OpenAPI 3.1: exactly what this deployment serves. `/v1/openapi.yaml` is the same as YAML.',
    since: '1.0.0',
    allowed: 'public',
    response: Specification,
  }).answersPublic(async ({ config }) => {
    const { text, etag } = rendered(config)
    return { body: new JsonText<Static<typeof Specification>>(text), etag }
  })
}
