/** Calls with the SDK for TypeScript. */
import type { Operation } from '../../operations/operation.ts'
import type { JsonSchema } from '../openapi/json-schema.ts'
import { isLive, isVersioned } from '../operation-facts.ts'
import { shapeNames } from '../shapes.ts'
import {
  type ExampleCall,
  exampleVariables,
  filledPath,
  isList,
  isNumber,
  mediaTypeOf,
  pointerSteps,
} from './example-call.ts'
import { type Syntax, callText, literal, spansOf } from './literals.ts'
import { camelCase } from './names.ts'

/** Variables that are in the environment; all others are constants of the program. */
export type Environment = ReadonlySet<string>

const nameOf = (environment: Environment, variable: string): string =>
  environment.has(variable) ? variable : camelCase(variable.toLowerCase())

const syntaxOf = (environment: Environment): Syntax => ({
  key: (name) => (/^\w+$/.test(name) ? name : `'${name}'`),
  text: (content) => textLiteral(environment, content),
  isTrue: 'true',
  isFalse: 'false',
  nothing: 'null',
  padding: ' ',
  indent: '  ',
})

const textLiteral = (environment: Environment, content: string): string => {
  const spans = spansOf(content)
  const [first] = spans
  if (spans.length === 1 && first?.variable === true) return nameOf(environment, first.text)
  if (!spans.some(({ variable }) => variable)) {
    return content.includes("'") ? JSON.stringify(content) : `'${content.replaceAll('\\', '\\\\')}'`
  }
  const parts = spans.map(({ variable, text }) =>
    variable ? `\${${nameOf(environment, text)}}` : text,
  )
  return `\`${parts.join('')}\``
}

export const typescriptText = (call: ExampleCall): string => {
  const { operation } = call
  const name = resultName(call)
  const syntax = syntaxOf(exampleEnvironment)
  const lines = isLive(operation)
    ? [`for await (const change of ${methodCall(call, 'docex', syntax)}) console.log(change)`]
    : [
        `const ${name} = await ${methodCall(call, 'docex', syntax)}`,
        `console.log(${name === 'page' ? 'page.data' : name})`,
      ]
  return [
    ...(operation.takesFile === undefined ? [] : ["import { readFile } from 'node:fs/promises'"]),
    "import { Docex } from 'docex'",
    '',
    ...readFrom(exampleEnvironment, lines.join('\n')),
    `const docex = ${clientOf(call.credential)}`,
    ...lines,
  ].join('\n')
}

/** The variables that the examples of the reference read. */
export const exampleEnvironment: Environment = new Set(Object.keys(exampleVariables))

/** Reads those variables that the program names. */
const readFrom = (environment: Environment, text: string): string[] => {
  const used = [...environment].filter((name) => new RegExp(`\\b${name}\\b`).test(text))
  if (used.length === 0) return []
  return [`const { ${used.map((name) => `${name} = ''`).join(', ')} } = process.env`]
}

const clientOf = (credential = 'API_KEY'): string =>
  credential === 'API_KEY'
    ? 'new Docex() // DOCEX_API_KEY and DOCEX_BASE_URL'
    : `new Docex({ apiKey: process.env.${credential} })`

/** After what it returns; the page of a list is a page. */
const resultName = ({ operation }: ExampleCall): string => {
  if (isList(operation)) return 'page'
  const shape = shapeNames.get(operation.response)
  const name = shape?.replace(/(Record|View)$/, '')
  return name === undefined ? 'result' : name.charAt(0).toLowerCase() + name.slice(1)
}

const methodCall = (call: ExampleCall, client: string, syntax: Syntax): string => {
  const { operation, path, query, body, idempotencyKey, sharesKey } = call
  const args: (string | object)[] = Object.entries(path).map(([name, value]) =>
    isNumber(operation, name) ? value : literal(value, syntax),
  )
  if (Object.keys(query).length > 0) args.push(query)
  if (operation.takesFile !== undefined) args.push(fileText(body ?? {}, syntax))
  else if (body !== undefined && Object.keys(body).length > 0) args.push(body)
  else if (sharesKey === true && operation.body !== undefined) args.push('{}')
  if (sharesKey === true) args.push(literal({ idempotencyKey }, syntax))
  const method = operation.id.split('.').map(camelCase).join('.')
  return callText(`${client}.${method}`, args, syntax, 'const document = await '.length)
}

const fileText = (
  { file, ...fields }: Readonly<Record<string, unknown>>,
  syntax: Syntax,
): string => {
  const name = String(file)
  const lines = [
    `filename: '${name}'`,
    `content: await readFile('${name}')`,
    `contentType: '${mediaTypeOf(name)}'`,
    ...(Object.keys(fields).length === 0 ? [] : [`fields: ${literal(fields, syntax)}`]),
  ]
  return `{\n${lines.map((line) => `  ${line},\n`).join('')}}`
}

/** What a program calls its client for each credential. */
export const clientNames: Readonly<Record<string, string>> = {
  API_KEY: 'docex',
  DEMO_API_KEY: 'counterparty',
  ADMIN_SESSION_TOKEN: 'admin',
}

/** The beginning of a program that makes several calls. */
export const typescriptStart = (
  calls: readonly ExampleCall[],
  environment: Environment,
): string => {
  const credentials = new Set(calls.map(({ credential }) => credential))
  const text = calls.map((call) => typescriptStep(call, environment)).join('\n')
  const imported = text.includes('ApiError') ? 'ApiError, Docex' : 'Docex'
  return [
    `import { ${imported} } from 'docex'`,
    '',
    ...readFrom(environment, text),
    ...Object.entries(clientNames)
      .filter(([credential]) => credentials.has(credential))
      .map(([credential, name]) => `const ${name} = ${clientOf(credential)}`),
  ].join('\n')
}

/** One call of such a program. */
export const typescriptStep = (call: ExampleCall, environment: Environment): string => {
  const { operation, keeps, refusal, name = 'result', credential = 'API_KEY' } = call
  const syntax = syntaxOf(environment)
  if (!isVersioned(operation)) return fetchText(call, syntax)
  const client =
    clientNames[credential] ?? `new Docex({ apiKey: ${nameOf(environment, credential)} })`
  const made = methodCall(call, client, syntax)
  if (refusal !== undefined) {
    return [
      `const ${name} = await ${made}.catch((error: unknown) => error)`,
      `if (!(${name} instanceof ApiError && ${name}.is('${refusal}'))) throw ${name}`,
      ...constants(call, name, environment).map((line) => line.replace('.error.', '.')),
    ].join('\n')
  }
  if (keeps === undefined) return `await ${made}`
  const pointers = Object.entries(keeps).map(([variable, pointer]) => ({
    variable: nameOf(environment, variable),
    steps: pointerSteps(pointer),
  }))
  const isPlain = ({ steps }: { steps: string[] }) =>
    steps.length === 1 && !mayBeNull(operation, steps)
  if (pointers.every(isPlain)) {
    const fields = pointers.map(({ variable, steps: [step = ''] }) =>
      step === variable ? step : `${step}: ${variable}`,
    )
    return `const { ${fields.join(', ')} } = await ${made}`
  }
  const read = call.isAwaited ? awaited(name, made) : [`const ${name} = await ${made}`]
  return [...read, ...constants(call, name, environment)].join('\n')
}

const awaited = (name: string, made: string): string[] => [
  `let ${name} = await ${made}`,
  `while (${name}.data.length === 0) {`,
  '  await new Promise((resolve) => setTimeout(resolve, 200))',
  `  ${name} = await ${made.replaceAll('\n', '\n  ')}`,
  '}',
]

const constants = (
  { operation, keeps = {}, refusal }: ExampleCall,
  name: string,
  environment: Environment,
): string[] =>
  Object.entries(keeps).map(([variable, pointer]) => {
    const steps = pointerSteps(pointer)
    const place = steps.map((step, i) => {
      const before = steps.slice(0, i + 1)
      const isSure = refusal === undefined ? !mayBeNull(operation, before) : i < detailDepth
      return (/^\d+$/.test(step) ? `[${step}]` : `.${step}`) + (isSure ? '' : '!')
    })
    return `const ${nameOf(environment, variable)} = ${name}${place.join('')}`
  })

/** The details of an error have some fields with some reasons only: `/error/details/approval`. */
const detailDepth = 2

/** Whether the type of this part of the response includes null or nothing. */
const mayBeNull = ({ response }: Operation, steps: readonly string[]): boolean => {
  let schema = response as JsonSchema
  let isOptional = false
  for (const step of steps) {
    const given = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema
    const isIndex = /^\d+$/.test(step)
    isOptional = isIndex || given.required?.includes(step) === false
    schema = (isIndex ? given.items : given.properties?.[step]) ?? {}
  }
  return isOptional || schema.anyOf?.some(({ type }) => type === 'null') === true
}

/** Sign-in is outside of the SDK. */
const fetchText = (call: ExampleCall, syntax: Syntax): string => {
  const { operation, baseUrl, body = {}, keeps = {}, name = 'response' } = call
  const fields = Object.entries(keeps).map(([variable, pointer]) => {
    const field = pointerSteps(pointer)[0]!
    return { field, variable: nameOf(new Set(), variable) }
  })
  const shown = fields.map(({ field, variable }) => `${field}: ${variable}`).join(', ')
  const types = fields.map(({ field }) => `${field}: string`).join('; ')
  return [
    `const ${name} = await fetch('${baseUrl}${filledPath(call)}', {`,
    `  method: '${operation.method}',`,
    "  headers: { 'Content-Type': 'application/json' },",
    `  body: JSON.stringify(${literal(body, syntax, '  ', 24)}),`,
    '})',
    ...(fields.length === 0 ? [] : [`const { ${shown} } = (await ${name}.json()) as { ${types} }`]),
  ].join('\n')
}
