/** How the reference shows an operation: its rules and fields, and beside them its example. */
import { type ErrorCode, errors } from '../../contract/errors.ts'
import { type Parameter, parametersOf } from '../openapi/parameters.ts'
import type { Operation } from '../../operations/operation.ts'
import { examples } from '../examples/index.ts'
import { exampleCallOf, withVariables } from '../languages/example-call.ts'
import { callTabs, triedCall } from '../languages/tabs.ts'
import { accessText, rulesOf } from '../operation-facts.ts'
import { possibleErrorCodes } from '../openapi/error-codes.ts'
import { type Block, type Section, json, text } from '../blocks.ts'
import { shapeNames, shapes } from '../shapes.ts'
import { fieldTable, descriptionOf, shapeLink, typeText } from './field-tables.ts'

export const operationSection = (operation: Operation, baseUrl: string): Section => {
  const { id, method, path, summary, description, since, body } = operation
  const call = exampleCallOf(operation, baseUrl)
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
      ...responseBlocks(operation),
      text(`**Errors:** ${possibleErrorCodes(operation).map(errorLink).join(', ')}`),
    ],
    aside: [callTabs(withVariables(call)), ...triedCall(call), ...exampleResponse(operation)],
  }
}

const errorLink = (errorCode: ErrorCode): string =>
  `${errors[errorCode].status} [${errorCode}](#errors-${errorCode})`

const parameterBlocks = (parameters: readonly Parameter[]): Block[] => {
  if (parameters.length === 0) return []
  const rows = parameters.map(({ name, in: place, required, description, schema }) => ({
    name,
    place,
    type: typeText(schema),
    isRequired: required,
    description: descriptionOf({ ...schema, description }),
  }))
  return [text('**Parameters**'), { kind: 'fields', rows }]
}

const bodyBlocks = (body: object, { takesFile }: Operation): Block[] =>
  body === shapes['NoBody']
    ? [text('**Body:** none, or `{}`.')]
    : [text(takesFile !== undefined ? '**Form**' : '**Body**'), fieldTable(body)]

/** A named shape is described once, in its own section. */
const responseBlocks = ({ response, status = 200 }: Operation): Block[] => {
  const name = shapeNames.get(response)
  return name === undefined
    ? [text(`**Response ${status}**`), fieldTable(response)]
    : [text(`**Response ${status}:** ${shapeLink(name)}`)]
}

const exampleResponse = ({ id }: Operation): Block[] => {
  const response = examples[id]?.response
  return response === undefined ? [] : [json(response)]
}
