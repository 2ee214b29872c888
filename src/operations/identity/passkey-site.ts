/** Where the passkeys of this deployment are used. */
import type { Context } from '../../context.ts'
import { refuse } from '../../contract/errors.ts'
import { type PasskeySite, passkeySiteOf } from '../../core/identity/passkey-challenges.ts'

/** Refuses where browsers allow no passkeys. */
export const siteOf = ({ config }: Pick<Context, 'config'>): PasskeySite => {
  const site = passkeySiteOf(config.baseUrl)
  if (site !== undefined) return site
  throw refuse(
    'capability_unavailable',
    `Browsers allow no passkeys at ${config.baseUrl}: the operator sets BASE_URL to an https address with a name, or to http://localhost.`,
    { capability: 'passkeys', reason: 'base_url_without_passkeys' },
  )
}
