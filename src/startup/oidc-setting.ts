/**
 * OIDC_ISSUER and its companions: one identity provider, with the id `oidc`. OIDC_PROVIDERS names
 * several, each with settings of its own: `acme` has OIDC_ACME_ISSUER.
 */
import { hostOf, isLoopback } from '../core/identity/ip-addresses.ts'
import { type Environment, SettingError } from './setting.ts'

export interface OidcProvider {
  /** In paths, and in the address that the provider sends browsers back to. */
  id: string
  /** Shown to people. */
  name: string
  issuer: string
  clientId: string
  /** Undefined: a public client. */
  clientSecret: string | undefined
  /** The domains of e-mail addresses that may sign in; empty means all. */
  allowedDomains: readonly string[]
}

export const oidcProvidersOf = (env: Environment): readonly OidcProvider[] => {
  const listed = env['OIDC_PROVIDERS'] || ''
  const ofOne = settingsOfOne.find((name) => env[name])
  if (listed === '') {
    if (ofOne === undefined) return []
    if (env['OIDC_ISSUER']) return [providerOf(env, 'oidc', 'OIDC')]
    throw new SettingError('OIDC_ISSUER', '', `${issuerForm}, since other OIDC settings are set`)
  }
  if (ofOne !== undefined) throw new SettingError(ofOne, '…', besideSeveral)
  const ids = listed.split(',').map((id) => id.trim())
  if (!ids.every((id) => /^[a-z][a-z0-9]{0,19}$/.test(id)) || new Set(ids).size < ids.length) {
    const accepted = 'different names of lower-case letters and digits, such as acme,google'
    throw new SettingError('OIDC_PROVIDERS', listed, accepted)
  }
  return ids.map((id) => providerOf(env, id, `OIDC_${id.toUpperCase()}`))
}

const settingsOfOne = ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET', 'NAME', 'ALLOWED_DOMAINS'].map(
  (name) => `OIDC_${name}`,
)

const besideSeveral =
  'nothing beside OIDC_PROVIDERS, since each of these has settings of its own, such as OIDC_ACME_ISSUER'

const issuerForm = 'the https URL of the provider, without query, such as https://id.example.com'

const providerOf = (env: Environment, id: string, prefix: string): OidcProvider => {
  const issuer = env[`${prefix}_ISSUER`] || ''
  const clientId = env[`${prefix}_CLIENT_ID`] || ''
  const domains = env[`${prefix}_ALLOWED_DOMAINS`] || ''
  const name = env[`${prefix}_NAME`] || ''
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  if (url === undefined || !isIssuer(url)) {
    throw new SettingError(`${prefix}_ISSUER`, issuer, issuerForm)
  }
  if (clientId === '') {
    throw new SettingError(`${prefix}_CLIENT_ID`, '', 'required: the client id at the provider')
  }
  const allowedDomains = domains
    .split(',')
    .map((domain) => domain.trim().toLowerCase())
    .filter((domain) => domain !== '')
  if (!allowedDomains.every((domain) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain))) {
    const accepted = 'domains of e-mail addresses such as example.com, with commas'
    throw new SettingError(`${prefix}_ALLOWED_DOMAINS`, domains, accepted)
  }
  const clientSecret = env[`${prefix}_CLIENT_SECRET`] || undefined
  return { id, name: name || url.host, issuer, clientId, clientSecret, allowedDomains }
}

/** Over http only on this machine, for practice. */
const isIssuer = (url: URL): boolean => {
  const { protocol, search, hash, username, password } = url
  const isPlain = search === '' && hash === '' && username === '' && password === ''
  const isPractice = protocol === 'http:' && isLoopback(hostOf(url))
  return isPlain && (protocol === 'https:' || isPractice)
}
