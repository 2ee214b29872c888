/** Signs requests as a party's client does (RFC 9421), independently of the service. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { type Reply, callApi, freshIdempotencyKey } from '../api-client.ts'
import type { TestService } from '../test-service.ts'

export const aSigner = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
  return { privateKey, raw, signingKey: raw.toString('base64') }
}
export type Signer = ReturnType<typeof aSigner>

export const nowInSeconds = (): number => Math.floor(Date.now() / 1000)

/** What is signed, in the order of the signature; a test changes it before or after signing. */
export interface Unsigned {
  method: string
  /** With its query. */
  path: string
  body: string
  headers: Record<string, string>
}

const pathOf = (path: string): string => path.split('?')[0]!

export const valuesOf = ({ method, path, headers }: Unsigned): [string, string][] => [
  ['@method', method],
  ['@path', pathOf(path)],
  ...(path.includes('?') ? [['@query', path.slice(pathOf(path).length)] as [string, string]] : []),
  ...Object.entries(headers),
]

export const digestOf = (body: string | Buffer): string =>
  `sha-256=:${createHash('sha256').update(body).digest('base64')}:`

export const unsigned = (method: string, path: string, body = '', more = {}): Unsigned => ({
  method,
  path,
  body,
  headers: {
    ...(body === '' ? {} : { 'content-digest': digestOf(body) }),
    'idempotency-key': freshIdempotencyKey(),
    ...more,
  },
})

export const paramsOf = (
  values: readonly (readonly [string, string])[],
  { signingKey }: Signer,
  created = nowInSeconds(),
): string =>
  `(${values.map(([name]) => `"${name}"`).join(' ')});created=${created};keyid="${signingKey}"`

export const baseOf = (values: readonly (readonly [string, string])[], params: string): string =>
  [...values, ['@signature-params', params]]
    .map(([name, value]) => `"${name}": ${value}`)
    .join('\n')

/** The two headers of a signature over these components. */
export const signatureHeaders = (
  signer: Signer,
  values: readonly (readonly [string, string])[],
  params = paramsOf(values, signer),
): Record<string, string> => {
  const value = sign(null, Buffer.from(baseOf(values, params)), signer.privateKey)
  return { 'signature-input': `sig=${params}`, signature: `sig=:${value.toString('base64')}:` }
}

export const signed = (signer: Signer, request: Unsigned): Unsigned => ({
  ...request,
  headers: { ...request.headers, ...signatureHeaders(signer, valuesOf(request)) },
})

export const sendTo =
  (running: Pick<TestService, 'baseUrl'>, key: string) =>
  ({ method, path, body, headers }: Unsigned): Promise<Reply> =>
    callApi(running, method, path, { key, headers, ...(body === '' ? {} : { raw: body }) })
