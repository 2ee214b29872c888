/**
 * Requests that a party signs with its own key (RFC 9421, Ed25519). Pure: the time is an argument.
 *
 * The signature covers exactly the components below that the request has, so that nothing which
 * changes its meaning is left out. Both headers are taken only as RFC 8941 writes them: a repeated
 * parameter or a second spelling of the same value is refused.
 */
import { createPublicKey, hash, verify } from 'node:crypto'
import {
  type InnerList,
  type Parameters,
  parseDictionary,
  serializeDictionary,
  serializeInnerList,
} from 'structured-headers'
import { isWeakKey, isWeakPoint } from '../../../verifier/verify-bundle.mjs'
import { uuidv7 } from '../ids.ts'

/** What a signature is about, as the service received it. */
export interface ReceivedRequest {
  method: string
  /** As it was sent, without the query. */
  path: string
  /** Without `?`. */
  search: string
  /** By their names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: { length: number; sha256(): Buffer }
  /** How far `created` may lie before or after now. */
  toleranceSeconds: number
}

/** A valid signature, as the history keeps it. */
export interface PartySignature {
  /** The text that was signed. */
  base: string
  /** Base64. */
  value: string
  /** When it was signed, in Unix seconds. */
  created: number
}

export type CheckedSignature =
  | { ok: true; signature: PartySignature }
  | { ok: false; message: string }

/** The form of `signing_key`: standard base64 of the 32 bytes. Undefined for anything else. */
export const parseSigningKey = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  const isKey = bytes.length === 32 && bytes.toString('base64') === text && !isWeakKey(bytes)
  return isKey ? bytes : undefined
}

export const checkRequestSignature = (
  request: ReceivedRequest,
  publicKey: Buffer,
  nowSeconds: number,
): CheckedSignature => {
  const { toleranceSeconds } = request
  const parsed = parseHeaders(request.headers)
  if ('message' in parsed) return refused(parsed.message)
  const { components, parameters, params, signature } = parsed
  const message =
    componentProblem(components, request) ??
    parameterProblem(parameters, publicKey, { nowSeconds, toleranceSeconds }) ??
    digestProblem(request)
  if (message !== undefined) return refused(message)
  const lines = components.map((name) => [name, componentValue(name, request)!] as const)
  const base = signatureBase(lines, params)
  if (!/^[\n -~]*$/.test(base)) return refused('Signed values are printable ASCII.')
  if (!isSignedBy(publicKey, base, signature)) {
    return refused('The signature is not that of this request and of the key’s signing_key.')
  }
  const created = parameters.get('created') as number
  return { ok: true, signature: { base, value: signature.toString('base64'), created } }
}

/** What the signed text does not say. */
interface Maker {
  organization: string
  /** Its last reset. */
  resetPosition: bigint
}

/**
 * The id of what a signed request creates: it creates one record of an organization, however often
 * it is sent. Two organizations may have the same signing key.
 */
export const idMadeBy = (
  { base, created }: PartySignature,
  { organization, resetPosition }: Maker,
): string => {
  const text = `made by ${organization} since ${resetPosition}\n${base}`
  return uuidv7(created * 1_000, hash('sha256', text, 'buffer'), 0)
}

const refused = (message: string): CheckedSignature => ({ ok: false, message })

/** RFC 9421 2.5; `params` is the member of Signature-Input as it was sent. */
export const signatureBase = (
  lines: readonly (readonly [name: string, value: string])[],
  params: string,
): string =>
  [...lines, ['@signature-params', params]].map(([name, value]) => `"${name}": ${value}`).join('\n')

/** Signatures on which libraries disagree are refused, as the published verifiers refuse them. */
export const isSignedBy = (publicKey: Buffer, base: string, signature: Buffer): boolean => {
  if (signature.length !== 64 || isWeakPoint(signature.subarray(0, 32))) return false
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  return verify(null, Buffer.from(base), key, signature)
}

interface ParsedHeaders {
  components: string[]
  parameters: Parameters
  params: string
  signature: Buffer
}

const howToSign =
  'This key signs its writes (RFC 9421): send Signature-Input and Signature, as /v1/docs describes.'

const parseHeaders = (headers: ReceivedRequest['headers']): ParsedHeaders | { message: string } => {
  const [input, value] = [headers['signature-input'], headers['signature']]
  if (typeof input !== 'string' || typeof value !== 'string') return { message: howToSign }
  const inputs = soleMember(input)
  const values = soleMember(value)
  if (inputs === undefined || values === undefined || inputs.label !== values.label) {
    const message =
      'Signature-Input and Signature have one member each, under the same label, in the spelling of RFC 8941.'
    return { message }
  }
  const [items, parameters] = inputs.member
  const [signature, more] = values.member
  const names = Array.isArray(items) ? items : []
  const components = names.map(([name, own]) => (own.size === 0 ? name : undefined))
  if (!Array.isArray(items) || !components.every((name) => typeof name === 'string')) {
    return { message: 'The member of Signature-Input is a list of component names.' }
  }
  if (!(signature instanceof ArrayBuffer) || more.size > 0) {
    return { message: 'The member of Signature is a byte sequence.' }
  }
  const params = serializeInnerList(inputs.member as InnerList)
  return { components, parameters, params, signature: Buffer.from(signature) }
}

/** The only member of a dictionary; undefined unless it is spelled as RFC 8941 writes it. */
const soleMember = (text: string) => {
  try {
    const dictionary = parseDictionary(text)
    const [first, ...others] = dictionary
    if (first === undefined || others.length > 0) return undefined
    return serializeDictionary(dictionary) === text
      ? { label: first[0], member: first[1] }
      : undefined
  } catch {
    return undefined
  }
}

/** The components of a signature, and whether it must always have them. */
const signedComponents: Readonly<Record<string, boolean>> = {
  '@method': true,
  '@path': true,
  '@query': false,
  'content-digest': false,
  'idempotency-key': true,
  'if-match': false,
  'svc-dry-run': false,
}

/** Undefined if the request does not have it. */
const componentValue = (name: string, request: ReceivedRequest): string | undefined => {
  if (name === '@method') return request.method
  if (name === '@path') return request.path
  if (name === '@query') return request.search === '' ? undefined : `?${request.search}`
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}

const componentProblem = (
  components: readonly string[],
  request: ReceivedRequest,
): string | undefined => {
  // Verifiers compare it as it was signed, so it has one spelling: nothing is percent-encoded.
  if (!/^[A-Za-z0-9/_.~-]+$/.test(request.path)) return 'The path is not in its plain spelling.'
  const unknown = components.find((name) => !Object.hasOwn(signedComponents, name))
  if (unknown !== undefined) return `${unknown.slice(0, 100)} is not a component to be signed.`
  if (new Set(components).size < components.length) return 'A component is listed twice.'
  const absent = components.find((name) => componentValue(name, request) === undefined)
  if (absent !== undefined) return `${absent} is signed, but the request does not have it.`
  const unsigned = Object.entries(signedComponents).find(
    ([name, isRequired]) =>
      !components.includes(name) && (isRequired || componentValue(name, request) !== undefined),
  )
  return unsigned === undefined ? undefined : `${unsigned[0]} is not signed.`
}

/** A text that needs no escape, so that the signed text has one spelling. */
const isPlainText = (value: unknown): boolean =>
  typeof value === 'string' && /^[ !#-[\]-~]*$/.test(value)
const isSeconds = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

const parameterForms: Readonly<Record<string, (value: unknown) => boolean>> = {
  alg: (value) => value === 'ed25519',
  created: isSeconds,
  expires: isSeconds,
  keyid: isPlainText,
  nonce: isPlainText,
  tag: isPlainText,
}

const parameterProblem = (
  parameters: Parameters,
  publicKey: Buffer,
  { nowSeconds, toleranceSeconds }: { nowSeconds: number; toleranceSeconds: number },
): string | undefined => {
  for (const [name, value] of parameters) {
    const holds = Object.hasOwn(parameterForms, name) ? parameterForms[name]! : () => false
    if (!holds(value)) return `The parameter ${name} is not one that can be signed with.`
  }
  if (parameters.get('keyid') !== publicKey.toString('base64')) {
    return 'The parameter keyid is not the signing_key of this key.'
  }
  const created = parameters.get('created')
  if (created === undefined || Math.abs(nowSeconds - Number(created)) > toleranceSeconds) {
    return `The parameter created is not within ${toleranceSeconds} seconds of now.`
  }
  const expires = parameters.get('expires')
  return expires !== undefined && Number(expires) < nowSeconds
    ? 'The signature has expired.'
    : undefined
}

/** A body is signed by its digest (RFC 9530). */
const digestProblem = ({ headers, body }: ReceivedRequest): string | undefined => {
  const given = headers['content-digest']
  if (given === undefined) return body.length === 0 ? undefined : 'content-digest is not signed.'
  return given === `sha-256=:${body.sha256().toString('base64')}:`
    ? undefined
    : 'Content-Digest is not the sha-256 of the body.'
}
