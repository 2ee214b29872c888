/** Opens the providers of the settings. The package behind them is loaded when it is used first. */
import type { Outbound } from '../outbound/client.ts'
import type { OidcProvider } from '../startup/oidc-setting.ts'
import type { IdentityProvider } from './identity-provider.ts'

export const openIdentityProviders = (
  settings: readonly OidcProvider[],
  outbound: Pick<Outbound, 'client'>,
): ReadonlyMap<string, IdentityProvider> =>
  new Map(settings.map((one) => [one.id, openProvider(one, outbound)]))

const openProvider = (
  settings: OidcProvider,
  outbound: Pick<Outbound, 'client'>,
): IdentityProvider => {
  let opened: Promise<Omit<IdentityProvider, 'settings'>> | undefined
  const library = () =>
    (opened ??= import('./openid-client.ts').then((module) =>
      module.openRelyingParty(settings, outbound),
    ))
  return {
    settings,
    authorizationUrl: async (...asked) => (await library()).authorizationUrl(...asked),
    identityOf: async (...asked) => (await library()).identityOf(...asked),
  }
}
