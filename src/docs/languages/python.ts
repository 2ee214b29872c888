/** Calls with the SDK for Python. */
import { isLive, isVersioned } from '../operation-facts.ts'
import {
  type ExampleCall,
  filledPath,
  isList,
  isNumber,
  mediaTypeOf,
  pointerSteps,
} from './example-call.ts'
import { type Syntax, callText, literal, spansOf } from './literals.ts'
import { pythonName } from './names.ts'
import { type Environment, clientNames, exampleEnvironment } from './typescript.ts'

const nameOf = (environment: Environment, variable: string, quote = '"'): string =>
  environment.has(variable) ? `environ[${quote}${variable}${quote}]` : variable.toLowerCase()

const syntaxOf = (environment: Environment): Syntax => ({
  key: (name) => JSON.stringify(name),
  text: (content) => textLiteral(environment, content),
  isTrue: 'True',
  isFalse: 'False',
  nothing: 'None',
  padding: '',
  indent: '    ',
})

/** Within an f-string of Python 3.11, only the other quotes may stand. */
const textLiteral = (environment: Environment, content: string): string => {
  const spans = spansOf(content)
  const [first] = spans
  if (spans.length === 1 && first?.variable === true) return nameOf(environment, first.text)
  if (!spans.some(({ variable }) => variable)) return JSON.stringify(content)
  const parts = spans.map(({ variable, text }) =>
    variable ? `{${nameOf(environment, text, "'")}}` : text,
  )
  return `f"${parts.join('')}"`
}

export const pythonText = (call: ExampleCall): string => {
  const { operation, credential = 'API_KEY' } = call
  const syntax = syntaxOf(exampleEnvironment)
  const made = methodCall(call, 'docex', syntax)
  const hasFile = operation.takesFile !== undefined
  const isOwn = credential === 'API_KEY'
  const readsVariables = !isOwn || made.includes('environ[')
  return [
    ...(readsVariables ? ['from os import environ'] : []),
    ...(hasFile ? ['from pathlib import Path'] : []),
    ...(readsVariables || hasFile ? [''] : []),
    `from docex import Docex${hasFile ? ', File' : ''}`,
    '',
    `docex = ${isOwn ? 'Docex()  # DOCEX_API_KEY and DOCEX_BASE_URL' : `Docex(environ["${credential}"])`}`,
    ...(isLive(operation)
      ? [`for change in ${made}:`, '    print(change)']
      : isList(operation)
        ? [`page = ${made}.page()`, 'print(page.data)']
        : [`result = ${made}`, 'print(result)']),
  ].join('\n')
}

const methodCall = (call: ExampleCall, client: string, syntax: Syntax): string => {
  const { operation, path, query, body, idempotencyKey, sharesKey } = call
  const args: (string | object)[] = Object.entries(path).map(([name, value]) =>
    isNumber(operation, name) ? value : literal(value, syntax),
  )
  if (operation.takesFile !== undefined) args.push(fileText(body ?? {}, syntax))
  else if (body !== undefined && Object.keys(body).length > 0) args.push(body)
  for (const [name, value] of Object.entries(query)) {
    args.push(`${pythonName(name)}=${literal(value, syntax)}`)
  }
  if (sharesKey === true) args.push(`idempotency_key=${literal(idempotencyKey, syntax)}`)
  const method = operation.id.split('.').map(pythonName).join('.')
  return callText(`${client}.${method}`, args, syntax, 'response = '.length)
}

const fileText = (
  { file, ...fields }: Readonly<Record<string, unknown>>,
  syntax: Syntax,
): string => {
  const name = JSON.stringify(file)
  const form = Object.keys(fields).length === 0 ? '' : `, fields=${literal(fields, syntax)}`
  return `File(${name}, Path(${name}).read_bytes(), "${mediaTypeOf(String(file))}"${form})`
}

/** The beginning of a program that makes several calls. */
export const pythonStart = (calls: readonly ExampleCall[], environment: Environment): string => {
  const credentials = new Set(calls.map(({ credential }) => credential))
  const text = calls.map((call) => pythonStep(call, environment)).join('\n')
  const clients = Object.entries(clientNames)
    .filter(([credential]) => credentials.has(credential))
    .map(([credential, name]) =>
      credential === 'API_KEY'
        ? `${name} = Docex()  # DOCEX_API_KEY and DOCEX_BASE_URL`
        : `${name} = Docex(environ["${credential}"])`,
    )
  const isSignIn = text.includes('urlopen')
  const waits = text.includes('sleep(')
  const needsEnvironment = /\benviron\b/.test(text + clients.join('\n'))
  return [
    ...(isSignIn ? ['import json'] : []),
    ...(needsEnvironment ? ['from os import environ'] : []),
    ...(waits ? ['from time import sleep'] : []),
    ...(isSignIn ? ['from urllib.request import Request, urlopen'] : []),
    ...(isSignIn || needsEnvironment || waits ? [''] : []),
    `from docex import ${text.includes('ApiError') ? 'ApiError, Docex' : 'Docex'}`,
    '',
    ...clients,
  ].join('\n')
}

/** One call of such a program. */
export const pythonStep = (call: ExampleCall, environment: Environment): string => {
  const { operation, keeps, refusal, credential = 'API_KEY' } = call
  const syntax = syntaxOf(environment)
  if (!isVersioned(operation)) return signInText(call, syntax)
  const client = clientNames[credential] ?? `Docex(${nameOf(environment, credential)})`
  const made = methodCall(call, client, syntax)
  if (refusal !== undefined) {
    const kept = assignments(keeps, 'error', environment).map((line) =>
      line.replace('error["error"]["details"]', 'error.details'),
    )
    const lines = kept.length === 0 ? [`print(error.code)  # ${refusal}`] : kept
    const inner = made.replaceAll('\n', '\n    ')
    return [
      'try:',
      `    ${inner}`,
      'except ApiError as error:',
      ...lines.map((one) => `    ${one}`),
    ].join('\n')
  }
  if (!isList(operation)) {
    if (keeps === undefined) return made
    return [`response = ${made}`, ...assignments(keeps, 'response', environment)].join('\n')
  }
  if (keeps === undefined) return `${made}.page()`
  const kept = assignments(keeps, 'page', environment).map((line) =>
    line.replace('page["data"]', 'page.data'),
  )
  const again = [
    'while not page.data:',
    '    sleep(0.2)',
    `    page = ${made.replaceAll('\n', '\n    ')}.page()`,
  ]
  return [`page = ${made}.page()`, ...(call.isAwaited ? again : []), ...kept].join('\n')
}

const assignments = (
  keeps: ExampleCall['keeps'] = {},
  from: string,
  environment: Environment,
): string[] =>
  Object.entries(keeps).map(([variable, pointer]) => {
    const place = pointerSteps(pointer).map((step) =>
      /^\d+$/.test(step) ? `[${step}]` : `["${step}"]`,
    )
    return `${nameOf(environment, variable)} = ${from}${place.join('')}`
  })

/** Sign-in is outside of the SDK. */
const signInText = (call: ExampleCall, syntax: Syntax): string => {
  const { baseUrl, body = {}, keeps } = call
  return [
    `body = ${literal(body, syntax, '', 7)}`,
    `request = Request("${baseUrl}${filledPath(call)}", json.dumps(body).encode())`,
    'request.add_header("Content-Type", "application/json")',
    'response = json.load(urlopen(request))',
    ...assignments(keeps, 'response', new Set()),
  ].join('\n')
}
