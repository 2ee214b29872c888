/** The HTTP request that a tool call stands for: its arguments in the places of the operation. */
import { randomBytes } from 'node:crypto'
import { idempotencyKeyProblem } from '../contract/idempotency-key.ts'
import { limits } from '../contract/limits.ts'
import type { Problem } from '../contract/problem.ts'
import { fieldsCalled } from '../contract/unknown-field-hints.ts'
import { closestMatch } from '../core/did-you-mean.ts'
import { dryRunProblem, ifMatchProblem, lastEventIdProblem } from '../core/header-problems.ts'
import { isWrite } from '../docs/operation-facts.ts'
import {
  type ArgumentPlace,
  type ToolSchema,
  defaultFields,
  headerOfArgument,
} from './argument-schemas.ts'
import type { OperationTool } from './tools.ts'

export interface ToolRequest {
  method: string
  url: string
  params: Record<string, string>
  headers: Record<string, string>
  /** Undefined for reads. */
  content: string | Buffer | undefined
  /** As the parameters and the body of the operation, before they are checked. */
  query: Readonly<Record<string, string>>
  body: Readonly<Record<string, unknown>>
}

type Arguments = Readonly<Record<string, unknown>>

/** Why there is no request from these arguments; what else is wrong, the operation says. */
export const unusableArguments = (
  tool: OperationTool,
  values: Arguments,
  request: Pick<ToolRequest, 'url' | 'params' | 'query'>,
): Problem[] => {
  const missing = missingArguments(tool, values)
  // Nothing reaches the operation, which would say what it does not know.
  if (missing.length > 0) return [...missing, ...unknownArguments(tool, values)]
  if (request.url.length > limits.headerMaxBytes) return [tooLong(request)]
  const isFile = tool.operation.takesFile !== undefined
  return [
    ...(isFile && !isBase64(values['data_base64']) ? [notBase64] : []),
    ...malformedHeaders(tool, values),
  ]
}

/** Over HTTP, no path and query are so long; each of their values would be looked at. */
const tooLong = ({ params, query }: Pick<ToolRequest, 'params' | 'query'>): Problem => {
  const texts = Object.entries({ ...params, ...query })
  const [name] = texts.toSorted(([, one], [, other]) => other.length - one.length)[0]!
  return {
    param: name,
    code: 'too_long',
    message: `The arguments have more than ${limits.headerMaxBytes} characters in the URL of their request.`,
    fix: 'send fewer or shorter ones',
  }
}

/** The service would name the headers that these arguments become. */
const malformedHeaders = ({ places }: OperationTool, values: Arguments): Problem[] =>
  Object.entries(headerProblems).flatMap(([name, problemOf]) => {
    const value = values[name]
    if (places.get(name) !== 'header' || isOmitted(value)) return []
    return problemOf(headerTextOf(name, value), name) ?? []
  })

const headerProblems = {
  idempotency_key: idempotencyKeyProblem,
  dry_run: dryRunProblem,
  if_match: ifMatchProblem,
  last_event_id: lastEventIdProblem,
} satisfies Record<keyof typeof headerOfArgument, unknown>

const missingArguments = (
  { operation, places, required, listed }: OperationTool,
  values: Arguments,
): Problem[] =>
  required
    .filter((name) => {
      const place = places.get(name)
      // An operation itself names what its body lacks, but not what the form of a file does.
      return place === 'path' || place === 'header' || (place === 'body' && operation.takesFile)
    })
    .filter((name) => isMissing(name, values[name]))
    .map((name) => ({
      param: name,
      code: 'required',
      message: 'This argument is required.',
      fix:
        name === 'idempotency_key'
          ? 'send a new value of 8 to 128 characters, and the same one to send this very call again'
          : fixOf(listed.inputSchema.properties[name]),
    }))

const fixOf = ({ description = '' }: ToolSchema = {}): string =>
  description === '' ? 'send it' : `send it: ${description}`

const unknownArguments = ({ places }: OperationTool, values: Arguments): Problem[] => {
  const known = [...places.keys()]
  const unknown = Object.keys(values).filter((name) => !places.has(name))
  return unknown.map((name, i) => {
    // Finding a similar name takes the most time, so only the first ones have one.
    const isLooked = i < limits.suggestionsPerRefusalMax
    const meant = isLooked ? (fieldsCalled(name, known) ?? closestMatch(name, known)) : undefined
    const suggestion = meant === undefined ? '' : ` Did you mean ${meant}?`
    return {
      param: name,
      code: 'unknown_field',
      message: `There is no such argument here.${suggestion}`,
      fix: meant === undefined ? `use ${known.join(', ')}` : `send ${meant}`,
    }
  })
}

/** The bytes of a file may be none. */
const isMissing = (name: string, value: unknown): boolean =>
  isOmitted(value) || (value === '' && name !== 'data_base64')

const isOmitted = (value: unknown): boolean => value === undefined || value === null

/** Buffer.from skips what it does not know, so a path or a data: URL would become another file. */
const isBase64 = (data: unknown): boolean => {
  if (typeof data !== 'string') return false
  const text = data.replaceAll(/\s/g, '')
  return /^[\w+/-]*={0,2}$/.test(text) && text.replaceAll('=', '').length % 4 !== 1
}

const notBase64: Problem = {
  param: 'data_base64',
  code: 'invalid_value',
  message: 'This is not base64.',
  fix: 'send the bytes of the file in base64: not their text, no path and no data: URL',
}

export const toolRequestOf = (tool: OperationTool, values: Arguments): ToolRequest => {
  const { operation, places, pathParts } = tool
  const params: Record<string, string> = {}
  const query: [string, string][] = []
  const headers: Record<string, string> = {}
  const body: Record<string, unknown> = {}
  // An unknown argument goes where the operation refuses it and suggests another.
  const fallback = isWrite(operation) ? 'body' : 'query'
  for (const [name, value] of Object.entries(values)) {
    const place = places.get(name)
    // Only a body has nulls: many clients fill in every argument that may be left out.
    if (value === undefined || (value === null && isText(place))) continue
    switch (place ?? fallback) {
      case 'path':
        params[name] = textOf(value)
        break
      case 'header':
        headers[headerOfArgument[name as keyof typeof headerOfArgument]] = headerTextOf(name, value)
        break
      case 'query':
        query.push([name, textOf(value)])
        break
      default:
        // A plain assignment of __proto__ would set the prototype.
        Object.defineProperty(body, name, { value, enumerable: true })
    }
  }
  if (!isWrite(operation)) query.push(...Object.entries(defaultsOf(tool, values)))
  let path = pathParts[0]!
  for (let i = 1; i < pathParts.length; i += 2) {
    path += encodeURIComponent((params[pathParts[i]!] ?? '').toWellFormed()) + pathParts[i + 1]!
  }
  const search = query.length === 0 ? '' : `?${new URLSearchParams(query)}`
  const written = isWrite(operation) ? contentOf(tool, body) : undefined
  return {
    method: operation.method,
    url: `${path}${search}`,
    params,
    headers: { ...headers, ...written?.headers },
    content: written?.content,
    query: Object.fromEntries(query),
    body,
  }
}

/** An argument that becomes text of the request; unknown ones are left to the operation. */
const isText = (place: ArgumentPlace | undefined): boolean =>
  place === 'query' || place === 'header'

/** A list shows its summary unless other fields are asked for, and so many rows of long texts. */
const defaultsOf = (
  { operation, places }: OperationTool,
  { fields, limit }: Arguments,
): Record<string, string> => {
  const { summaryFields, toolPageDefault } = operation
  const hasSummary = summaryFields !== undefined && places.has('fields')
  return {
    ...(hasSummary && isOmitted(fields) ? { fields: defaultFields(operation) } : {}),
    ...(toolPageDefault !== undefined && isOmitted(limit) ? { limit: `${toolPageDefault}` } : {}),
  }
}

/** A model sends the revision as the record shows it. */
const headerTextOf = (name: string, value: unknown): string => {
  const text = textOf(value)
  return name === 'if_match' && /^\d+$/.test(text) ? `"${text}"` : text
}

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(textOf).join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const contentOf = ({ operation }: OperationTool, body: Record<string, unknown>) =>
  operation.takesFile !== undefined
    ? formOf(body)
    : { headers: { 'content-type': 'application/json' }, content: JSON.stringify(body) }

/** The form with one file that the operation receives over HTTP. */
const formOf = ({ filename, content_type: type, data_base64: data, ...fields }: Arguments) => {
  const boundary = `docex-${randomBytes(16).toString('hex')}`
  // A line break or a quote must not end the header.
  const quotable = (value: unknown) =>
    textOf(value ?? '').replaceAll(/["\r\n]/g, encodeURIComponent)
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${quotable(name)}"\r\n\r\n${textOf(value)}\r\n`,
  )
  const head = [
    `${parts.join('')}--${boundary}`,
    `Content-Disposition: form-data; name="file"; filename="${quotable(filename)}"`,
    `Content-Type: ${quotable(type ?? 'application/octet-stream')}`,
    '\r\n',
  ].join('\r\n')
  const content = Buffer.concat([
    Buffer.from(head),
    Buffer.from(textOf(data ?? ''), 'base64'),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  return { headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }, content }
}
