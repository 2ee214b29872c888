/** What signs people in elsewhere. */
import type { AttemptSecrets } from '../core/identity/oidc-attempts.ts'
import type { OidcProvider } from '../startup/oidc-setting.ts'

/** Who the provider says has signed in. */
export interface ProvidedIdentity {
  issuer: string
  subject: string
  email: string | undefined
  isEmailVerified: boolean
}

/**
 * `provider_away`: it cannot be reached, or is too slow. `provider_refused`: it says no.
 * `provider_wrong`: what it says does not hold. The reason is for the service log.
 */
export type ProviderFailure = 'provider_away' | 'provider_refused' | 'provider_wrong'

export type Provided<T> = { value: T } | { failure: ProviderFailure; reason: string }

export interface IdentityProvider {
  settings: OidcProvider
  /** Where a browser goes to sign in. */
  authorizationUrl(redirectUri: string, secrets: AttemptSecrets): Promise<Provided<string>>
  /** Who came back, at this address with its query. */
  identityOf(callback: URL, secrets: AttemptSecrets): Promise<Provided<ProvidedIdentity>>
}
