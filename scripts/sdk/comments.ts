/** What the comment of a method says about its operation, in the SDKs of every language. */
import { type SdkOperation, referencedName } from './names.ts'

/** The comment of the class names these once. */
export const usualErrors: readonly string[] = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'not_enabled',
  'insufficient_scope',
  'rate_limited',
  'internal_error',
  'service_unavailable',
]

export const usualErrorsOfWrites: readonly string[] = [
  'idempotency_conflict',
  'payload_too_large',
  'unsupported_media_type',
]

/** What it does, who may call it, and how it can fail. */
export const methodDescription = ({ source }: SdkOperation): string[] => {
  const [description, access] = splitDescription(source.description)
  const codes = Object.entries(source.responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, response]) => referencedName(response as { $ref: string })!.split('_or_'))
    .filter((code) => !usualErrors.includes(code) && !usualErrorsOfWrites.includes(code))
  return [
    `${source.summary}.`,
    ...(description === '' ? [] : ['', ...wrapped(description)]),
    '',
    ...wrapped(access),
    ...(codes.length === 0 ? [] : wrapped(`Errors: ${codes.join(', ')}.`)),
  ]
}

/** The description proper, and who may call. The rules of headers are the SDK's own matter. */
const splitDescription = (text: string): [description: string, access: string] => {
  const paragraphs = text
    .split('\n\n')
    .map((one) => one.replaceAll(/\[([^\]]+)\]\(#[^)]*\)/g, '$1'))
  const at = paragraphs.findIndex((one) => one.startsWith('Access: '))
  return [paragraphs.slice(0, at).join(' '), paragraphs[at] ?? '']
}

const wrapped = (text: string): string[] => {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)!
    if (last !== '' && last.length + word.length > 92) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}
