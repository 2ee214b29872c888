/**
 * Webhook signatures, verified with Web Crypto: `Svc-Signature`, or the three headers of Standard
 * Webhooks. Pass the body as it arrived, before any parser has touched it.
 */
import { SignatureError } from './errors.ts'
import type { Event } from './generated/types.ts'

export { SignatureError } from './errors.ts'
export type { Event } from './generated/types.ts'

/** The event of `webhooks.ping`. */
export interface PingEvent {
  id: string
  type: 'ping'
  created_at: string
  data: Record<string, never>
}

export type WebhookEvent = Event | PingEvent

type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>

/** A header that is not there is how a request without a signature arrives. */
type GivenHeaders = string | Headers | HeaderRecord | null | undefined

type RawBody = string | Uint8Array | ArrayBuffer

const toleranceSeconds = 300
const encoder = new TextEncoder()

/**
 * The event of a delivery. Throws SignatureError unless it was signed with the secret within 300
 * seconds. `header` is the value of `Svc-Signature`, or all headers.
 */
export const constructEvent = async (
  payload: RawBody,
  header: GivenHeaders,
  secret: string,
  { now = Date.now() / 1000 }: { now?: number | undefined } = {},
): Promise<WebhookEvent> => {
  const body = bytesOf(payload)
  const signed = signaturesOf(header ?? '')
  if (!/^\d{1,15}$/.test(signed.timestamp)) {
    throw new SignatureError('There is no signature: pass the header Svc-Signature.')
  }
  const age = now - Number(signed.timestamp)
  if (Math.abs(age) > toleranceSeconds) {
    const when = `${Math.round(Math.abs(age))} s ${age > 0 ? 'ago' : 'ahead'}`
    throw new SignatureError(`Signed ${when}; ${toleranceSeconds} are allowed.`)
  }
  if (!(await isSigned(body, signed, secret))) {
    throw new SignatureError('The signature does not match: check the secret and use the raw body.')
  }
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent
}

/** A value of `Svc-Signature`, for tests of a receiver. */
export const signPayload = async (
  payload: RawBody,
  secret: string,
  { now = Date.now() / 1000 }: { now?: number | undefined } = {},
): Promise<string> => {
  const seconds = Math.floor(now)
  const body = bytesOf(payload)
  const bytes = await crypto.subtle.sign(
    'HMAC',
    await keyOf(encoder.encode(secret)),
    joined(`${seconds}.`, body),
  )
  const hex = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0'))
  return `t=${seconds},v1=${hex.join('')}`
}

const bytesOf = (payload: RawBody): Uint8Array => {
  if (typeof payload === 'string') return encoder.encode(payload)
  if (ArrayBuffer.isView(payload)) {
    return new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength)
  }
  // `instanceof` would refuse those of another realm, such as jsdom.
  const isBuffer = Object.prototype.toString.call(payload) === '[object ArrayBuffer]'
  if (isBuffer) return new Uint8Array(payload)
  throw new TypeError('`payload` takes the raw body, before any parser has touched it.')
}

interface Signatures {
  /** `svc`: keyed by the secret as text. `standard`: keyed by its decoded bytes. */
  scheme: 'svc' | 'standard'
  timestamp: string
  id: string
  signatures: string[]
}

const signaturesOf = (header: NonNullable<GivenHeaders>): Signatures => {
  const own = headerOf(header, 'svc-signature')
  const id = headerOf(header, 'webhook-id')
  if (own !== undefined || id === undefined) {
    const entries = (own ?? '').split(',').map((entry) => entry.split('='))
    const valuesOf = (name: string) =>
      entries.filter(([key]) => key === name).map(([, value = '']) => value)
    const [timestamp = ''] = valuesOf('t')
    return { scheme: 'svc', timestamp, id: '', signatures: valuesOf('v1') }
  }
  const entries = (headerOf(header, 'webhook-signature') ?? '').split(' ')
  return {
    scheme: 'standard',
    timestamp: headerOf(header, 'webhook-timestamp') ?? '',
    id,
    signatures: entries.filter((one) => one.startsWith('v1,')).map((one) => one.slice(3)),
  }
}

const headerOf = (headers: NonNullable<GivenHeaders>, name: string): string | undefined => {
  if (typeof headers === 'string') return name === 'svc-signature' ? headers : undefined
  // `instanceof` would refuse those of another library or realm.
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : found?.[0]
}

/** `crypto.subtle.verify` compares in constant time. */
const isSigned = async (
  body: Uint8Array,
  { scheme, timestamp, id, signatures }: Signatures,
  secret: string,
): Promise<boolean> => {
  const isOwn = scheme === 'svc'
  const decode = isOwn ? fromHex : fromBase64
  const secretBytes = isOwn ? encoder.encode(secret) : fromBase64(secret.replace(/^whsec_/, ''))
  const key = await keyOf(secretBytes ?? new Uint8Array(1))
  const signed = joined(isOwn ? `${timestamp}.` : `${id}.${timestamp}.`, body)
  for (const text of signatures) {
    const signature = decode(text)
    if (signature === undefined || secretBytes === undefined) continue
    if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true
  }
  return false
}

/** Everybody can sign with a secret that is empty, such as a setting that is missing. */
const keyOf = async (bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> => {
  if (bytes.length === 0) throw new TypeError('`secret` is empty: pass the secret of the endpoint.')
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign', 'verify'])
}

const joined = (prefix: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const start = encoder.encode(prefix)
  const all = new Uint8Array(start.length + body.length)
  all.set(start)
  all.set(body, start.length)
  return all
}

const fromHex = (text: string): Uint8Array<ArrayBuffer> | undefined =>
  /^([0-9a-f]{2})+$/.test(text)
    ? Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    : undefined

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
