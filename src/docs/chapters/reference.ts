/** The reference: one section per operation, under its id, and one per named shape. */
import { type ErrorCode, errors } from '../../contract/errors.ts'
import { tags } from '../openapi/openapi-document.ts'
import { type Parameter, parametersOf, resourceOf } from '../openapi/parameters.ts'
import type { Operation } from '../../operations/operation.ts'
import { type CurlCall, curl } from '../examples/curl.ts'
import { exampleIds } from '../examples/ids.ts'
import { examples } from '../examples/index.ts'
import { isWrite, accessText, pathParameters, rulesOf, tagOf } from '../operation-facts.ts'
import { possibleErrorCodes } from '../openapi/error-codes.ts'
import { fieldTable, descriptionOf, shapeLink, typeText } from './field-tables.ts'
import { type Block, type Section, code, json, list, codeSpan, table, text } from '../blocks.ts'
import { shapeNames, shapes } from '../shapes.ts'

export const reference = (allOperations: readonly Operation[], baseUrl: string): Section => {
  const operations = allOperations.filter(({ isUnversioned }) => isUnversioned !== true)
  const families = tags.flatMap(({ name, description }): Section[] => {
    const inFamily = operations.filter((operation) => tagOf(operation) === name)
    if (inFamily.length === 0) return []
    const sections = inFamily.map((operation) => operationSection(operation, baseUrl))
    return [{ id: `reference-${name}`, title: name, blocks: [text(description)], sections }]
  })
  return {
    id: 'reference',
    title: 'Reference',
    blocks: [
      text(
        `This reference is also available as an [OpenAPI 3.1 document](${baseUrl}/v1/openapi.json) ([YAML](${baseUrl}/v1/openapi.yaml)).`,
      ),
      table(
        ['Operation', 'Endpoint', 'Description'],
        operations.map(({ id, method, path, summary }) => [
          `[${id}](#${id})`,
          codeSpan(`${method} ${path}`),
          summary,
        ]),
      ),
    ],
    sections: [...families, shapesSection(operations)],
  }
}

const operationSection = (operation: Operation, baseUrl: string): Section => {
  const { id, method, path, summary, description, since, body } = operation
  return {
    id,
    title: summary,
    blocks: [
      { kind: 'call', method, path },
      text(`\`${id}\`, since ${since}. Access: ${accessText(operation)}`),
      ...(description === undefined ? [] : [text(description)]),
      ...rulesOf(operation).map((rule) => text(rule)),
      ...parameterBlocks(parametersOf(operation)),
      ...(body === undefined ? [] : bodyBlocks(body, operation)),
      code('sh', curl(exampleCall(operation, baseUrl))),
      ...responseBlocks(operation),
      text(`**Errors:** ${possibleErrorCodes(operation).map(errorLink).join(', ')}`),
    ],
  }
}

const errorLink = (errorCode: ErrorCode): string =>
  `${errors[errorCode].status} [${errorCode}](#errors-${errorCode})`

const parameterBlocks = (parameters: readonly Parameter[]): Block[] => {
  if (parameters.length === 0) return []
  const rows = parameters.map(({ name, in: location, required, description, schema }) => [
    codeSpan(name),
    location,
    typeText(schema),
    required ? 'yes' : 'no',
    descriptionOf({ ...schema, description }),
  ])
  return [text('**Parameters**'), table(['Name', 'In', 'Type', 'Required', 'Description'], rows)]
}

const bodyBlocks = (body: object, { takesFile }: Operation): Block[] =>
  body === shapes['NoBody']
    ? [text('**Body:** none, or `{}`.')]
    : [text(takesFile === true ? '**Form**' : '**Body**'), fieldTable(body)]

const credentialOf = ({ allowed }: Operation): Pick<CurlCall, 'credential'> => {
  if (allowed === 'public') return {}
  return {
    credential: allowed === 'admin' || allowed === 'approver' ? 'ADMIN_SESSION_TOKEN' : 'API_KEY',
  }
}

const exampleCall = (operation: Operation, baseUrl: string): CurlCall => {
  const { id, method, path } = operation
  const { query, body } = examples[id] ?? {}
  const filledPath = pathParameters(operation).reduce(
    (partlyFilled, name) => partlyFilled.replace(`{${name}}`, exampleValue(operation, name)),
    path,
  )
  return {
    method,
    url: `${baseUrl}${filledPath}${query === undefined ? '' : `?${query}`}`,
    ...credentialOf(operation),
    ...(isWrite(operation) ? { idempotencyKey: exampleKey(operation) } : {}),
    ...(body === undefined ? {} : { body }),
    ...(operation.takesFile === true ? { file: 'delivery-note.pdf' } : {}),
  }
}

/** Each example has its own key, so that all of them can be tried one after the other. */
const exampleKey = ({ id }: Operation): string => `${id.replaceAll(/[._]/g, '-')}-0117`

/** The id from the example story if it has one, else the example of the parameter. */
const exampleValue = (operation: Operation, name: string): string => {
  const parameter = parametersOf(operation).find((one) => one.name === name)
  const storyIds: Readonly<Record<string, string>> = name === 'key' ? {} : exampleIds
  return storyIds[resourceOf(operation, name)] ?? String(parameter?.schema.examples?.[0])
}

/** A named shape is described once, in its own section. */
const responseBlocks = (operation: Operation): Block[] => {
  const { id, response, status = 200 } = operation
  const name = shapeNames.get(response)
  if (name !== undefined) return [text(`**Response ${status}:** ${shapeLink(name)}`)]
  return [
    text(`**Response ${status}**`),
    fieldTable(response),
    ...exampleBlocks(examples[id]?.response),
  ]
}

const exampleBlocks = (example: unknown): Block[] => (example === undefined ? [] : [json(example)])

/** Leaves out request bodies, which are described with their operations. */
const shapesSection = (operations: readonly Operation[]): Section => {
  const bodies = new Set(operations.map(({ body }) => body))
  const responseShapes = Object.entries(shapes).filter(([, shape]) => !bodies.has(shape))
  return {
    id: 'shapes',
    title: 'Objects',
    blocks: [
      text('The objects that operations return. New fields may be added at any time.'),
      list(...responseShapes.map(([name]) => shapeLink(name))),
    ],
    sections: responseShapes.map(([name, shape]) => {
      const operation = operations.findLast(
        ({ id, response }) => response === shape && id in examples,
      )
      const example = operation === undefined ? undefined : examples[operation.id]?.response
      return {
        id: `shape-${name}`,
        title: name,
        blocks: [fieldTable(shape), ...exampleBlocks(example)],
      }
    }),
  }
}
