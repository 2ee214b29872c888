/** Every operation as a tool: name, description, schemas and annotations, from its declaration. */
import { limits } from '../contract/limits.ts'
import { toolName } from '../docs/languages/names.ts'
import { isWrite, isVersioned } from '../docs/operation-facts.ts'
import type { Operation } from '../operations/operation.ts'
import {
  type ArgumentPlace,
  type InputSchema,
  argumentsOf,
  firstSentences,
  inputSchemaOf,
  outputSchemaOf,
} from './argument-schemas.ts'

/** As `tools/list` shows it. */
export interface ListedTool {
  name: string
  description: string
  inputSchema: InputSchema
  outputSchema?: object
  annotations: Readonly<Record<string, boolean>>
}

export interface OperationTool {
  operation: Operation
  listed: ListedTool
  /** With the shape of the response. */
  listedWithOutput: ListedTool
  places: ReadonlyMap<string, ArgumentPlace>
  /** Text of the path and names of its parameters in turn. */
  pathParts: readonly string[]
  required: readonly string[]
}

/** The tools of all operations of the contract, in the order of the docs. */
export const toolsOf = (operations: readonly Operation[]): OperationTool[] =>
  operations.filter(isVersioned).map(toolOf)

const toolOf = (operation: Operation): OperationTool => {
  const inputSchema = inputSchemaOf(operation, limits.toolSchemaMaxLength)
  const listed: ListedTool = {
    name: toolName(operation.id),
    description: descriptionOf(operation),
    inputSchema,
    annotations: annotationsOf(operation),
  }
  const all = Object.entries(argumentsOf(operation))
  return {
    operation,
    listed,
    listedWithOutput: { ...listed, outputSchema: outputSchemaOf(operation) },
    places: new Map(all.map(([name, { place }]) => [name, place])),
    pathParts: operation.path.split(/\{(\w+)\}/),
    required: inputSchema.required,
  }
}

/** The summary, and as many whole sentences of the description as fit. */
const descriptionOf = ({ summary, description = '' }: Operation): string => {
  const plain = description.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  for (let count = 8; count > 0; count -= 1) {
    const text = `${summary}. ${firstSentences(plain, count)}`.trim()
    if (text.length <= limits.toolDescriptionMaxLength) return text
  }
  return `${summary}.`
}

/** Only idempotentHint differs from its default: the key in the arguments makes it true. */
const annotationsOf = (operation: Operation): Record<string, boolean> => {
  if (!isWrite(operation)) return { readOnlyHint: true, openWorldHint: false }
  const { id, status, scopes = [], bodyRequires } = operation
  const leavesTheService =
    id === 'webhooks.ping' || scopes.includes('payments:write') || bodyRequires !== undefined
  // A new record changes none that exists.
  return { destructiveHint: status !== 201, idempotentHint: true, openWorldHint: leavesTheService }
}

export const explainName = 'tools_explain'

/** The one tool that is not an operation. */
export const explainTool: ListedTool = {
  name: explainName,
  description:
    'Why a tool is not offered here or was refused (scope, family, read-only path, toolset, payment limit), and what would change that.',
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
}
