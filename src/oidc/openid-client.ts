/**
 * Runs the package openid-client over the guarded outbound client (docs/decisions/0122): the code
 * flow with PKCE, state and nonce. The signature of the ID token is always verified, although the
 * token comes over TLS from the provider itself.
 */
import * as client from 'openid-client'
import { limits } from '../contract/limits.ts'
import { isLine } from '../core/forbidden-characters.ts'
import type { Outbound, OutboundClient } from '../outbound/client.ts'
import type { OidcProvider } from '../startup/oidc-setting.ts'
import type { IdentityProvider, Provided } from './identity-provider.ts'

/** The provider cannot be reached. */
class Unreachable extends Error {}

export const openRelyingParty = (
  settings: OidcProvider,
  outbound: Pick<Outbound, 'client'>,
): Omit<IdentityProvider, 'settings'> => {
  const fetchGuarded = guardedFetch(settings, outbound)
  let known: { endsAt: number; configuration: Promise<client.Configuration> } | undefined
  /** What the provider says of itself is asked for again now and then, and after a failure. */
  const configured = async (): Promise<client.Configuration> => {
    if (known === undefined || known.endsAt < performance.now()) {
      const configuration = discover(settings, fetchGuarded)
      const endsAt = performance.now() + limits.oidcDiscoveryKeptMs
      known = { endsAt, configuration }
      configuration.catch(() => (known = undefined))
    }
    return known.configuration
  }
  return {
    authorizationUrl: (redirectUri, { state, nonce, verifier }) =>
      provided(async () => {
        const configuration = await configured()
        const url = client.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: 'openid email',
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        })
        return url.href
      }),
    identityOf: (callback, { state, nonce, verifier }) =>
      provided(async () => {
        const tokens = await client.authorizationCodeGrant(await configured(), callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const { sub: subject, email, email_verified } = tokens.claims()!
        return {
          issuer: settings.issuer,
          subject,
          email: isEmail(email) ? email : undefined,
          isEmailVerified: email_verified === true,
        }
      }),
  }
}

/** What no account can have as its address, or PostgreSQL cannot store, is none. */
const isEmail = (claim: client.JsonValue | undefined): claim is string =>
  typeof claim === 'string' && isLine(claim, limits.emailMaxLength)

const discover = async (
  { issuer, clientId, clientSecret }: OidcProvider,
  fetchGuarded: client.CustomFetch,
): Promise<client.Configuration> => {
  const server = new URL(issuer)
  const insecure = server.protocol === 'http:' ? [client.allowInsecureRequests] : []
  const metadata = { [client.clockTolerance]: limits.oidcClockToleranceSeconds }
  return client.discovery(server, clientId, metadata, authenticationWith(clientSecret), {
    [client.customFetch]: fetchGuarded,
    timeout: limits.oidcTimeoutMs / 1000,
    execute: [client.enableNonRepudiationChecks, ...insecure],
  })
}

/** As the provider wants it; by default, as the standard says. */
const authenticationWith = (secret: string | undefined): client.ClientAuth => {
  if (secret === undefined) return client.None()
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...request)
  }
}

/**
 * The operator has chosen the issuer, which may be in a private network. What it names beside its
 * own host must be public.
 */
const guardedFetch = (
  { issuer }: OidcProvider,
  outbound: Pick<Outbound, 'client'>,
): client.CustomFetch => {
  const { origin: own } = new URL(issuer)
  const clients = new Map<string, OutboundClient>()
  const clientFor = (origin: string): OutboundClient => {
    const reach = origin === own ? 'private' : 'public'
    const opened = clients.get(origin) ?? outbound.client(origin, { reach })
    clients.set(origin, opened)
    return opened
  }
  return async (address, { method, headers, body }) => {
    const form = body instanceof URLSearchParams ? body.toString() : ''
    const { origin, pathname, search } = new URL(address)
    const response = await clientFor(origin).send({
      method,
      path: pathname + search,
      headers,
      body: form,
      bounds: {
        totalMs: limits.oidcTimeoutMs,
        responseMaxBytes: limits.oidcResponseMaxBytes,
        responseKeptBytes: limits.oidcResponseMaxBytes,
      },
    })
    const { status, error, body: text } = response
    if (status === null || error !== null) throw new Unreachable(error ?? 'no response')
    const type = response.headers['content-type'] ?? ''
    const content = text === null || text === '' ? null : text
    return new Response(content, { status, headers: { 'Content-Type': type } })
  }
}

const provided = async <T>(work: () => Promise<T>): Promise<Provided<T>> => {
  try {
    return { value: await work() }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { failure: failureOf(error), reason: reasonOf(error) }
  }
}

const failureOf = (error: Error) => {
  if (error instanceof client.AuthorizationResponseError) return 'provider_refused'
  const { cause, code } = error as Error & { code?: string }
  const isAway = cause instanceof Unreachable || code === 'OAUTH_TIMEOUT'
  return isAway ? 'provider_away' : 'provider_wrong'
}

/** Without what the provider has sent, which may hold tokens. */
const reasonOf = ({ message, cause }: Error): string =>
  cause instanceof Error && cause.message !== message ? `${message}: ${cause.message}` : message
