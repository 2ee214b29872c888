/** How the reference shows an operation: its rules and fields, and beside them its example. */
import { type ErrorCode, errors } from '../../contract/errors.ts'
import { type Parameter, parametersOf, resourceOf } from '../openapi/parameters.ts'
import type { Operation } from '../../operations/operation.ts'
import { type CurlCall, curl } from '../examples/curl.ts'
import { exampleIds } from '../examples/ids.ts'
import { examples } from '../examples/index.ts'
import { isWrite, accessText, pathParameters, rulesOf } from '../operation-facts.ts'
import { possibleErrorCodes } from '../openapi/error-codes.ts'
import { type Block, type Section, code, json, text } from '../blocks.ts'
import { shapeNames, shapes } from '../shapes.ts'
import { fieldTable, descriptionOf, shapeLink, typeText } from './field-tables.ts'

export const operationSection = (operation: Operation, baseUrl: string): Section => {
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
      ...responseBlocks(operation),
      text(`**Errors:** ${possibleErrorCodes(operation).map(errorLink).join(', ')}`),
    ],
    aside: [code('sh', curl(exampleCall(operation, baseUrl))), ...exampleResponse(operation)],
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

const credentialOf = ({ allowed }: Operation): Pick<CurlCall, 'credential'> => {
  if (allowed === 'public') return {}
  return {
    credential: ['session', 'admin', 'approver'].includes(allowed)
      ? 'ADMIN_SESSION_TOKEN'
      : 'API_KEY',
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
    ...(operation.takesFile === undefined
      ? body && { body }
      : { form: formOf(body as Record<string, unknown> | undefined) }),
  }
}

/** The parts of a form as curl takes them. */
const formOf = ({ file, ...fields }: Record<string, unknown> = { file: 'delivery-note.pdf' }) => ({
  ...(fields as Record<string, string>),
  file: `@${file as string}`,
})

/** Each example has its own key, so that all of them can be tried one after the other. */
const exampleKey = ({ id }: Operation): string => `${id.replaceAll(/[._]/g, '-')}-0117`

/** The id from the example story if it has one, else the example of the parameter. */
const exampleValue = (operation: Operation, name: string): string => {
  const parameter = parametersOf(operation).find((one) => one.name === name)
  const storyIds: Readonly<Record<string, string>> = name === 'key' ? {} : exampleIds
  return storyIds[resourceOf(operation, name)] ?? String(parameter?.schema.examples?.[0])
}
