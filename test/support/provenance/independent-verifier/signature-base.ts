/** The text that a party signs: section 13 of FORMAT.md, after RFC 9421. */

import { decodeBase64 } from './json.ts'

export type SignatureBase = { components: Map<string, string>; parameters: Map<string, string> }

const LABEL = '"@signature-params": '
const NUMBER = /^(0|[1-9]\d{0,14})$/
const TEXT = /^"[^"\\]*"$/

function isDigest(value: string): boolean {
  const match = /^sha-256=:([A-Za-z0-9+/=]+):$/.exec(value)
  return match !== null && decodeBase64(match[1]!)?.length === 32
}

/** The known components and the forms of their values. */
const COMPONENTS = new Map<string, (value: string) => boolean>([
  ['@method', (value) => /^[A-Z]+$/.test(value)],
  ['@path', (value) => value.startsWith('/')],
  ['@query', (value) => value.startsWith('?')],
  ['content-digest', isDigest],
  ['idempotency-key', () => true],
  ['if-match', () => true],
  ['svc-dry-run', () => true],
])

/** The known parameters and the forms of their values, with the quotes. */
const PARAMETERS = new Map<string, (value: string) => boolean>([
  ['created', (value) => NUMBER.test(value)],
  ['expires', (value) => NUMBER.test(value)],
  ['alg', (value) => value === '"ed25519"'],
  ['keyid', (value) => TEXT.test(value)],
  ['nonce', (value) => TEXT.test(value)],
  ['tag', (value) => TEXT.test(value)],
])

function parseComponents(lines: string[]): Map<string, string> | undefined {
  const components = new Map<string, string>()
  for (const line of lines) {
    const match = /^"([^"]*)": (.*)$/.exec(line)
    if (match === null || components.has(match[1]!)) {
      return undefined
    }
    if (COMPONENTS.get(match[1]!)?.(match[2]!) !== true) {
      return undefined
    }
    components.set(match[1]!, match[2]!)
  }
  const required = ['@method', '@path', 'idempotency-key']
  return required.every((name) => components.has(name)) ? components : undefined
}

/** Parameters, each as `;<name>=<value>` with a number or a text in quotes; texts lose theirs. */
function parseParameters(text: string): Map<string, string> | undefined {
  const parameters = new Map<string, string>()
  const pattern = /;([a-z]+)=([0-9]+|"[^"\\]*")/y
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text)
    if (match === null || parameters.has(match[1]!)) {
      return undefined
    }
    if (PARAMETERS.get(match[1]!)?.(match[2]!) !== true) {
      return undefined
    }
    parameters.set(match[1]!, match[2]!.replaceAll('"', ''))
  }
  return parameters.has('created') && parameters.has('keyid') ? parameters : undefined
}

/** Parses the text that is signed; nothing if it is any other text (section 13). */
export function parseSignatureBase(base: string): SignatureBase | undefined {
  if (!/^[\n -~]*$/.test(base)) {
    return undefined
  }
  const lines = base.split('\n')
  const last = lines.pop() ?? ''
  const components = parseComponents(lines)
  if (components === undefined) {
    return undefined
  }
  // The list repeats the components in the order of their lines.
  const names = [...components.keys()].map((name) => `"${name}"`)
  const start = `${LABEL}(${names.join(' ')})`
  if (!last.startsWith(start)) {
    return undefined
  }
  const parameters = parseParameters(last.slice(start.length))
  return parameters && { components, parameters }
}
