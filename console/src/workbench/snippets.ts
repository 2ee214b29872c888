/** The call of the shell as other clients make it. */
import { urlOf } from '../api/call.ts'
import { curlOf } from '../api/curl.ts'
import { type Parameter, type ShellCall, bodyOf, isWrite, pathOf, queryOf } from './operations.ts'

export const snippets: readonly (readonly [title: string, textOf: (call: ShellCall) => string])[] =
  [
    ['curl', (call) => curlText(call)],
    ['TypeScript', (call) => sdkText(call)],
    ['MCP', (call) => toolText(call)],
  ]

const compact = (call: ShellCall): string | undefined => {
  const body = bodyOf(call)
  return body === undefined ? undefined : JSON.stringify(body)
}

const curlText = (call: ShellCall): string =>
  curlOf({
    method: call.operation.method,
    url: urlOf(pathOf(call), queryOf(call)),
    body: compact(call),
    ...(isWrite(call.operation) ? { idempotencyKey: call.idempotencyKey } : {}),
    isDry: call.isDry,
  })

const typed = (kind: Parameter['kind'], text: string): unknown => {
  if (kind === 'number') return Number(text)
  if (kind === 'truth') return text === 'true'
  return kind === 'list' ? text.split(',').map((part) => part.trim()) : text
}

const typedValues = ({ operation, values }: ShellCall, place: Parameter['place']) =>
  operation.parameters.flatMap(({ name, kind, ...parameter }) => {
    const text = values[name]?.trim() ?? ''
    return parameter.place === place && text !== '' ? [[name, typed(kind, text)] as const] : []
  })

const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** `docex.documents.transition('doc_…', { to: 'approved' }, { idempotencyKey: '…' })` */
const sdkText = (call: ShellCall): string => {
  const { operation, idempotencyKey, isDry } = call
  const ids = typedValues(call, 'path').map(([, value]) => value)
  const query = Object.fromEntries(typedValues(call, 'query'))
  const body = bodyOf(call)
  const options = isWrite(operation) && { idempotencyKey, ...(isDry ? { dryRun: true } : {}) }
  const content = [
    ...ids,
    // A method that takes a body takes its options after it.
    ...(operation.body === undefined ? [] : [body ?? {}]),
    ...(operation.body === undefined && Object.keys(query).length > 0 ? [query] : []),
    ...(options ? [options] : []),
  ]
  const method = operation.id.split('.').map(camelCase).join('.')
  return [
    "import { Docex } from 'docex'",
    '',
    'const docex = new Docex()',
    `console.log(await docex.${method}(${content.map((one) => JSON.stringify(one)).join(', ')}))`,
  ].join('\n')
}

const toolText = (call: ShellCall): string => {
  const { operation, idempotencyKey, isDry } = call
  const values = {
    ...Object.fromEntries([...typedValues(call, 'path'), ...typedValues(call, 'query')]),
    ...(bodyOf(call) as object | undefined),
    ...(isWrite(operation) ? { idempotency_key: idempotencyKey } : {}),
    ...(isDry ? { dry_run: true } : {}),
  }
  return JSON.stringify({ name: operation.id.replaceAll('.', '_'), arguments: values }, null, 2)
}
