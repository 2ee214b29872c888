/** The generated modules of the command line, by their path in cli/src. */
import { currencies } from '../../src/contract/currencies.ts'
import { version } from '../../src/contract/version.ts'
import { exampleCallOf } from '../../src/docs/languages/example-call.ts'
import { flagOf, kebabCase } from '../../src/docs/languages/names.ts'
import { commandText } from '../../src/docs/languages/shell.ts'
import type { JsonSchema } from '../../src/docs/openapi/json-schema.ts'
import type { OpenApi } from '../../src/docs/openapi/openapi-types.ts'
import type { Parameter } from '../../src/docs/openapi/parameters.ts'
import type { Operation } from '../../src/operations/operation.ts'
import type { CommandField, OperationCommand } from '../../cli/src/operation-command.ts'
import { type SdkOperation, referencedName, sdkOperations } from '../sdk/names.ts'

const header = '/** Generated from the operations by `npm run generate`: do not edit. */\n'

/** Options that every command has, or that a kind of command has: no field may have their names. */
const reservedFlags = [
  'json',
  'profile',
  'non-interactive',
  'help',
  'version',
  'data',
  'all',
  'idempotency-key',
  'dry-run',
  'if-match',
  'file',
  'content-type',
]

/** Operations whose response is kept as bytes. */
const exactResponses = [
  'documents.export',
  'documents.receipt',
  'documents.render',
  'finance.agreements.export',
  'specification.get',
  'finance.offers.authorization',
]

export const cliFiles = (
  document: OpenApi,
  operations: readonly Operation[],
): Readonly<Record<string, string>> => {
  const declared = new Map(operations.map((operation) => [operation.id, operation]))
  const commands = sdkOperations(document).map((operation) =>
    commandOf(document, operation, declared.get(operation.id)!),
  )
  return {
    'generated/commands.ts':
      `${header}import type { OperationCommand } from '../operation-command.ts'\n\n` +
      `export const operationCommands: readonly OperationCommand[] = [\n` +
      `${commands.map((one) => `  ${JSON.stringify(one)},\n`).join('')}]\n`,
    'generated/amounts.ts':
      `${header}export const amountFields: readonly string[] = [\n` +
      `${amountFields(document)
        .map((name) => `  '${name}',\n`)
        .join('')}]\n`,
    'generated/version.ts': `${header}export const cliVersion = '${version}'\n`,
  }
}

const commandOf = (
  document: OpenApi,
  operation: SdkOperation,
  declared: Operation,
): OperationCommand => {
  const { id, method, path, pathParameters, query, body, row, source } = operation
  const { mediaTypes, takesIfMatch, isLive } = operation
  const words = id.split('.').map(kebabCase)
  const fields = [
    ...query.map((one) => queryField(document, one)),
    ...(body === undefined ? [] : bodyFields(document, body.schema)).filter(
      ({ name }) => body?.kind === 'json' || name !== 'file',
    ),
  ]
  const flags = fields.map(({ flag }) => flag)
  const unusable = flags.filter(
    (flag, i) => reservedFlags.includes(flag) || flags.indexOf(flag) < i,
  )
  if (unusable.length > 0) throw new Error(`${id}: --${unusable[0]} already means something else.`)
  return {
    id,
    words,
    method: method as OperationCommand['method'],
    path,
    summary: source.summary,
    description: plainText(source.description),
    parameters: pathParameters.map(({ name, description = '' }) => ({
      name,
      description: plainText(description),
    })),
    fields,
    body: body === undefined ? 'none' : body.kind === 'file' ? 'file' : needOf(body.required),
    isList: row !== undefined,
    columns: declared.summaryFields ?? [],
    takesIfMatch,
    isLive,
    isExact: exactResponses.includes(id) || !mediaTypes.includes('application/json'),
    example: exampleOf(declared),
  }
}

/** The numbers that are amounts wherever they occur, and the currencies, as in maps of amounts. */
const amountFields = (document: OpenApi): string[] => {
  const numbers = numberFields(document)
  const others = new Set(numbers.filter(([, field]) => !isAmount(field)).map(([name]) => name))
  const amounts = numbers.flatMap(([name]) => (others.has(name) ? [] : [name]))
  return [...new Set([...amounts, ...currencies])].toSorted()
}

const isAmount = ({ description = '', anyOf = [] }: JsonSchema): boolean =>
  /Major units(?:, at most 2 decimals)?\.$|in the document's currency\.$/.test(description) ||
  anyOf.some(isAmount)

const numberFields = (schema: unknown): [name: string, field: JsonSchema][] => {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {} } = schema as JsonSchema
  const isNumber = ({ type, anyOf = [] }: JsonSchema): boolean =>
    type === 'number' || type === 'integer' || anyOf.some(isNumber)
  const own = Object.entries(properties).filter(([, field]) => isNumber(field))
  return [...own, ...Object.values(schema).flatMap(numberFields)]
}

const needOf = (isRequired: boolean): 'required' | 'optional' =>
  isRequired ? 'required' : 'optional'

/** Markdown without links. What headers do is the matter of options here. */
const plainText = (markdown: string): string =>
  markdown
    .split('\n\n')
    .filter((one) => !/^(Requires the header|Returns `Svc-Event`)/.test(one))
    .join('\n\n')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`/g, '')

const resolved = (document: OpenApi, schema: JsonSchema): JsonSchema =>
  document.components.schemas[referencedName(schema) ?? ''] ?? schema

const queryField = (
  document: OpenApi,
  { name, required, description = '', schema }: Parameter,
): CommandField => {
  const { items } = schema
  // The service parses the text of a query itself, also lists, with commas, and numbers.
  const choices = resolved(document, items ?? schema).enum ?? []
  return {
    flag: kebabCase(name),
    name,
    place: 'query',
    kind: items === undefined ? 'text' : 'list',
    required,
    choices: name === 'fields' ? [] : choices.map(String),
    description: plainText(description),
  }
}

const bodyFields = (document: OpenApi, schema: JsonSchema): CommandField[] => {
  const { properties = {}, required = [] } = resolved(document, schema)
  return Object.entries(properties).map(([name, field]) => {
    const value = withoutNull(document, field)
    return {
      flag: flagOf(name),
      name,
      place: 'body',
      kind: kindOf(document, value),
      required: required.includes(name),
      choices: (value.enum ?? resolved(document, value.items ?? {}).enum ?? []).map(String),
      description: plainText(field.description ?? value.description ?? ''),
    }
  })
}

const withoutNull = (document: OpenApi, schema: JsonSchema): JsonSchema => {
  const named = resolved(document, schema)
  const [only, ...more] = (named.anyOf ?? []).filter(({ type }) => type !== 'null')
  return only !== undefined && more.length === 0 ? resolved(document, only) : named
}

const kindOf = (document: OpenApi, schema: JsonSchema): CommandField['kind'] => {
  const { type, items, anyOf = [] } = schema
  if (type === 'array') {
    return resolved(document, items ?? {}).type === 'string' ? 'list' : 'json'
  }
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'boolean'
  const isText =
    type === 'string' || (anyOf.length > 0 && anyOf.every((one) => one.type === 'string'))
  return isText ? 'text' : 'json'
}

/** As the docs show it, on one line; whose credential it takes is the matter of profiles here. */
const exampleOf = (operation: Operation): string =>
  commandText({ ...exampleCallOf(operation, ''), credential: 'API_KEY' }).replaceAll(' \\\n  ', ' ')
