/** The reference: one section per operation, under its id, and one per shape it speaks of. */
import { type ErrorCode, errors } from '../../contract/errors.ts'
import { tags } from '../openapi/openapi-document.ts'
import { type Parameter, parametersOf, resourceOf } from '../openapi/parameters.ts'
import type { Operation } from '../../operations/operation.ts'
import { type CurlCall, curl } from '../examples/curl.ts'
import { exampleIds } from '../examples/ids.ts'
import { examples } from '../examples/documents.ts'
import {
  isWrite,
  whoMayCall,
  pathParameters,
  possibleErrorCodes,
  rulesOf,
  tagOf,
} from '../operation-facts.ts'
import { fieldTable, descriptionOf, shapeLink, typeText } from './field-tables.ts'
import { type Block, type Section, code, json, list, codeSpan, table, text } from '../blocks.ts'
import { shapeNames, shapes } from '../shapes.ts'

export const reference = (all: readonly Operation[], baseUrl: string): Section => {
  const operations = all.filter(({ isUnversioned }) => isUnversioned !== true)
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
        `Everything here is also in the [OpenAPI 3.1 document](${baseUrl}/v1/openapi.json) ([YAML](${baseUrl}/v1/openapi.yaml)).`,
      ),
      table(
        ['Operation', 'Call', 'What it does'],
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
      text(`\`${id}\`, since ${since}. Who may call: ${whoMayCall(operation)}`),
      ...(description === undefined ? [] : [text(description)]),
      ...rulesOf(operation).map((rule) => text(rule)),
      ...parameterBlocks(parametersOf(operation)),
      ...(body === undefined ? [] : bodyBlocks(body, operation)),
      code('sh', curl(exampleCall(operation, baseUrl))),
      ...answerBlocks(operation),
      text(`**Errors:** ${possibleErrorCodes(operation).map(errorLink).join(', ')}`),
    ],
  }
}

const errorLink = (one: ErrorCode): string => `${errors[one].status} [${one}](#errors-${one})`

const parameterBlocks = (parameters: readonly Parameter[]): Block[] => {
  if (parameters.length === 0) return []
  const rows = parameters.map(({ name, in: place, required, description, schema }) => [
    codeSpan(name),
    place,
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
  return { credential: allowed === 'admin' ? 'ADMIN_SESSION_TOKEN' : 'API_KEY' }
}

const exampleCall = (operation: Operation, baseUrl: string): CurlCall => {
  const { id, method, path } = operation
  const { query, body } = examples[id] ?? {}
  const filled = pathParameters(operation).reduce(
    (url, name) => url.replace(`{${name}}`, exampleValue(operation, name)),
    path,
  )
  return {
    method,
    url: `${baseUrl}${filled}${query === undefined ? '' : `?${query}`}`,
    ...credentialOf(operation),
    ...(isWrite(operation) ? { idempotencyKey: exampleKey(operation) } : {}),
    ...(body === undefined ? {} : { body }),
    ...(operation.takesFile === true ? { file: 'delivery-note.pdf' } : {}),
  }
}

/** One of its own for each example, so that they can be tried one after the other. */
const exampleKey = ({ id }: Operation): string => `${id.replaceAll(/[._]/g, '-')}-0117`

/** Of this story where it has one, else the example of the parameter. */
const exampleValue = (operation: Operation, name: string): string => {
  const parameter = parametersOf(operation).find((one) => one.name === name)
  const ofStory: Readonly<Record<string, string>> = name === 'key' ? {} : exampleIds
  return ofStory[resourceOf(operation, name)] ?? String(parameter?.schema.examples?.[0])
}

/** A shape with a name is described, and shown once, in a section of its own. */
const answerBlocks = (operation: Operation): Block[] => {
  const { id, response, status = 200 } = operation
  const name = shapeNames.get(response)
  if (name !== undefined) return [text(`**Answers ${status}** with ${shapeLink(name)}.`)]
  return [
    text(`**Answers ${status}**`),
    fieldTable(response),
    ...exampleBlocks(examples[id]?.answer),
  ]
}

const exampleBlocks = (example: unknown): Block[] => (example === undefined ? [] : [json(example)])

/** Bodies are described where they are sent. */
const shapesSection = (operations: readonly Operation[]): Section => {
  const bodies = new Set(operations.map(({ body }) => body))
  const shown = Object.entries(shapes).filter(([, shape]) => !bodies.has(shape))
  return {
    id: 'shapes',
    title: 'Shapes',
    blocks: [
      text('What operations answer with. More fields may be added at any time.'),
      list(...shown.map(([name]) => shapeLink(name))),
    ],
    sections: shown.map(([name, shape]) => {
      const answered = operations.findLast(
        ({ id, response }) => response === shape && id in examples,
      )
      const example = answered === undefined ? undefined : examples[answered.id]?.answer
      return {
        id: `shape-${name}`,
        title: name,
        blocks: [fieldTable(shape), ...exampleBlocks(example)],
      }
    }),
  }
}
