/**
 * An identity provider on this machine (OpenID Connect Core 1.0): discovery, keys, authorization
 * with PKCE and nonce, tokens. It does what the standard says, unless a test makes it lie.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'

export interface Person {
  sub: string
  email?: string
  email_verified?: boolean
}

type Claims = Record<string, unknown>

export interface StandInProvider {
  issuer: string
  settings: Record<string, string>
  /** Who signs in next. */
  person: Person
  /** What it says instead, for the next sign-ins. */
  lies: {
    claims?: (claims: Claims) => Claims
    header?: Claims
    /** Signs with a key that it does not publish. */
    hasUnknownKey?: boolean
    /** Of the answer to the browser. */
    answer?: (answer: URLSearchParams) => void
    /** Answers to nothing, or to tokens alone. */
    isSilent?: 'everywhere' | 'at the token endpoint'
  }
  /** Its token endpoint was asked so often. */
  tokenRequests: number
}

const clientId = 'docex'
const clientSecret = 'secret of the client'

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 })

interface Grant {
  challenge: string
  nonce: string
  redirectUri: string
  person: Person
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export const startIdentityProvider = async (prefix = 'OIDC'): Promise<StandInProvider> => {
  const [key, unknownKey] = [newKey(), newKey()]
  const grants = new Map<string, Grant>()
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider: StandInProvider = {
    issuer,
    settings: {
      [`${prefix}_ISSUER`]: issuer,
      [`${prefix}_CLIENT_ID`]: clientId,
      [`${prefix}_CLIENT_SECRET`]: clientSecret,
      [`${prefix}_NAME`]: 'Stand-in',
    },
    person: { sub: 'nobody' },
    lies: {},
    tokenRequests: 0,
  }
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const tokenOf = ({ nonce, person }: Grant): string => {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: clientId, iat: now, exp: now + 300, nonce, ...person }
    const { lies } = provider
    const header = { alg: 'RS256', kid: 'first', ...lies.header }
    const content = `${encoded(header)}.${encoded(lies.claims?.(claims) ?? claims)}`
    if (header.alg === 'none') return `${content}.`
    const { privateKey } = lies.hasUnknownKey === true ? unknownKey : key
    return `${content}.${sign('sha256', Buffer.from(content), privateKey).toString('base64url')}`
  }

  const authorize = (asked: URLSearchParams, response: ServerResponse): void => {
    const code = randomBytes(16).toString('hex')
    const redirectUri = asked.get('redirect_uri')!
    grants.set(code, {
      challenge: asked.get('code_challenge')!,
      nonce: asked.get('nonce')!,
      redirectUri,
      person: provider.person,
    })
    const back = new URL(redirectUri)
    const { searchParams } = back
    searchParams.set('code', code)
    searchParams.set('state', asked.get('state')!)
    searchParams.set('iss', issuer)
    provider.lies.answer?.(searchParams)
    response.writeHead(303, { Location: back.href }).end()
  }

  const exchange = async (request: IncomingMessage): Promise<[number, object]> => {
    provider.tokenRequests += 1
    const sent = new URLSearchParams(await text(request))
    const credentials = [clientId, clientSecret].map((part) =>
      encodeURIComponent(part).replaceAll('%20', '+'),
    )
    const basic = `Basic ${Buffer.from(credentials.join(':')).toString('base64')}`
    if (request.headers.authorization !== basic) return [401, { error: 'invalid_client' }]
    const code = sent.get('code') ?? ''
    const grant = grants.get(code)
    grants.delete(code)
    const challenge = createHash('sha256').update(sent.get('code_verifier') ?? '')
    const isRight =
      grant?.challenge === challenge.digest('base64url') &&
      grant.redirectUri === sent.get('redirect_uri')
    if (!isRight) return [400, { error: 'invalid_grant' }]
    const token = { access_token: 'access', token_type: 'Bearer', expires_in: 300 }
    return [200, { ...token, id_token: tokenOf(grant) }]
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url!, issuer)
    const isToken = pathname === '/token'
    const { isSilent } = provider.lies
    if (isSilent === 'everywhere' || (isSilent !== undefined && isToken)) return
    const say = (status: number, body: object) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    if (pathname === '/authorize') return authorize(searchParams, response)
    if (isToken) return void say(...(await exchange(request)))
    if (pathname === '/keys') {
      const jwk = key.publicKey.export({ format: 'jwk' })
      return void say(200, { keys: [{ ...jwk, kid: 'first', use: 'sig', alg: 'RS256' }] })
    }
    if (pathname !== '/.well-known/openid-configuration') return void say(404, {})
    say(200, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ['S256'],
    })
  }

  return provider
}
