/**
 * The journeys of docs/journeys, in the words of Arazzo 1.0.1, and their steps as example calls:
 * inputs and outputs are variables.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { parse } from 'yaml'
import { errorCodes } from '../../contract/error-codes.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import type { Operation } from '../../operations/operation.ts'
import { type ExampleCall, isList, typedQuery } from '../languages/example-call.ts'
import { snakeCase } from '../languages/names.ts'

export interface Journey {
  info: { title: string; summary: string }
  workflows: readonly [Workflow]
  components: { parameters: Readonly<Record<string, StepParameter>> }
}

interface Workflow {
  inputs: { required: readonly string[]; properties: Readonly<Record<string, Input>> }
  steps: readonly Step[]
}

interface Input {
  description: string
}

export interface Step {
  stepId: string
  description: string
  operationPath?: string
  parameters?: readonly (StepParameter | { reference: string })[]
  requestBody?: { payload: Readonly<Record<string, unknown>> }
  successCriteria: readonly Criterion[]
  outputs?: Readonly<Record<string, string>>
  onFailure?: readonly { type: string }[]
}

export interface StepParameter {
  name: string
  in: 'path' | 'query' | 'header'
  value: string | number
}

/** A condition, or an expression whose value matches a pattern. */
export interface Criterion {
  condition: string
  context?: string
}

const folder = new URL('../../../docs/journeys/', import.meta.url)

/** Read at the start, so that no page waits for the disk or shows files of another version. */
const texts = new Map(
  readdirSync(folder)
    .filter((name) => name.endsWith('.arazzo.yaml'))
    .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]),
)

export const journeyText = (file: string): string => texts.get(file)!

export const journeyOf = (file: string): Journey => parse(journeyText(file)) as Journey

/** The variables of the inputs that the journey takes: `connection_id` is `CONNECTION_ID`. */
export const inputsOf = ({ workflows: [{ inputs }] }: Journey): Map<string, string> =>
  new Map(inputs.required.map((name) => [name.toUpperCase(), inputs.properties[name]!.description]))

/** A step with what it sends, in which references have become variables. */
export interface CallingStep {
  step: Step
  /** Undefined for a call that is no operation. */
  call: ExampleCall | undefined
  parameters: readonly StepParameter[]
  payload: Readonly<Record<string, unknown>>
  /** As in an example call. */
  keeps: ExampleCall['keeps']
}

export const callingSteps = (
  journey: Journey,
  operations: readonly Operation[],
  baseUrl: string,
): CallingStep[] => {
  const { steps } = journey.workflows[0]
  const variables = outputVariables(steps)
  const resolved = steps.map((step) => {
    const parameters = (step.parameters ?? []).map((one) =>
      'reference' in one ? journey.components.parameters[one.reference.split('.').at(-1)!]! : one,
    )
    return withVariables({ step, parameters, payload: step.requestBody?.payload ?? {} }, variables)
  })
  const sent = JSON.stringify(resolved.map(({ parameters, payload }) => [parameters, payload]))
  const keys = resolved.map(({ parameters }) => headerOf(parameters, 'Idempotency-Key'))
  return resolved.map(({ step, parameters, payload }) => {
    const operation = operationOf(step, operations)
    const key = headerOf(parameters, 'Idempotency-Key')
    const keeps = keptOutputs(step, variables, sent)
    const refusal = refusalOf(step)
    const call = operation && {
      operation,
      baseUrl,
      name: step.stepId,
      path: valuesIn(parameters, 'path'),
      query: typedQuery(operation, Object.entries(valuesIn(parameters, 'query'))),
      ...(Object.keys(payload).length === 0 ? {} : { body: payload }),
      ...credentialOf(parameters),
      ...(key === undefined ? {} : { idempotencyKey: key }),
      ...(keys.filter((one) => one === key).length > 1 && key !== undefined
        ? { sharesKey: true }
        : {}),
      ...(keeps === undefined ? {} : { keeps }),
      ...(refusal === undefined ? {} : { refusal }),
      ...(step.onFailure !== undefined && isList(operation) ? { isAwaited: true } : {}),
    }
    return { step, call, parameters, payload, keeps }
  })
}

const operationOf = ({ operationPath }: Step, operations: readonly Operation[]) => {
  const pointer = /#\/paths\/(.*)\/(\w+)$/.exec(operationPath ?? '')
  if (pointer === null) return undefined
  const path = pointer[1]!.replaceAll('~1', '/')
  const method = pointer[2]!.toUpperCase()
  return operations.find((one) => one.path === path && one.method === method)
}

const headerOf = (parameters: readonly StepParameter[], name: string): string | undefined =>
  parameters.find((one) => one.in === 'header' && one.name === name)?.value.toString()

const credentialOf = (parameters: readonly StepParameter[]): { credential?: string } => {
  const [, credential] = /^Bearer \$(\w+)$/.exec(headerOf(parameters, 'Authorization') ?? '') ?? []
  return credential === undefined ? {} : { credential }
}

const valuesIn = (parameters: readonly StepParameter[], place: StepParameter['in']) =>
  Object.fromEntries(
    parameters.filter((one) => one.in === place).map(({ name, value }) => [name, String(value)]),
  )

/** `createADraft.id` is `ID`, or `CREATE_A_DRAFT_ID` if another step has such an output. */
const outputVariables = (steps: readonly Step[]): Map<string, string> => {
  const names = steps.flatMap(({ outputs = {} }) => Object.keys(outputs))
  return new Map(
    steps.flatMap(({ stepId, outputs = {} }) =>
      Object.keys(outputs).map((name) => {
        const isOnly = names.filter((one) => one === name).length === 1
        const words = isOnly ? name : `${snakeCase(stepId)}_${name}`
        return [`${stepId}.${name}`, words.toUpperCase()] as const
      }),
    ),
  )
}

/** References anywhere in the value as `$VARIABLE`. */
const withVariables = <Value>(value: Value, variables: ReadonlyMap<string, string>): Value =>
  JSON.parse(
    JSON.stringify(value, (key, one: unknown) =>
      typeof one === 'string' && key !== 'condition' && key !== 'context' && !isExpression(one)
        ? replaced(one, variables)
        : one,
    ),
  ) as Value

/** Outputs are read from the response, and are no text to send. */
const isExpression = (text: string): boolean => text.startsWith('$response')

const replaced = (text: string, variables: ReadonlyMap<string, string>): string =>
  text.replaceAll(
    /\{?\$(inputs|steps)\.(\w+)(?:\.outputs\.(\w+))?\}?/g,
    (whole, kind: string, name: string, output: string | undefined) => {
      if (kind === 'inputs') return `$${name.toUpperCase()}`
      const variable = variables.get(`${name}.${output}`)
      return variable === undefined ? whole : `$${variable}`
    },
  )

/** The outputs that a later step sends, as pointers into the response. */
const keptOutputs = (
  { stepId, outputs = {} }: Step,
  variables: ReadonlyMap<string, string>,
  sent: string,
): Record<string, string> | undefined => {
  const kept = Object.entries(outputs).flatMap(([name, expression]) => {
    const variable = variables.get(`${stepId}.${name}`)!
    const pointer = /^\$response\.body#(\/.*)$/.exec(expression)?.[1]
    const isSent = new RegExp(`\\$${variable}\\b`).test(sent)
    return isSent && pointer !== undefined ? [[variable, pointer] as const] : []
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

const codeOfStatus: Readonly<Record<string, ErrorCode>> = { 404: 'not_found', 409: 'conflict' }

const refusalOf = ({ successCriteria }: Step): ErrorCode | undefined => {
  const [, status = ''] = /== (4\d\d)$/.exec(successCriteria[0]?.condition ?? '') ?? []
  const named = successCriteria.flatMap(
    ({ condition }) => /#\/error\/code == '(\w+)'$/.exec(condition)?.[1] ?? [],
  )[0]
  return errorCodes.find((one) => one === named) ?? codeOfStatus[status]
}
