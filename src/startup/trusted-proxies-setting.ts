/** TRUSTED_PROXIES: whose `X-Forwarded-For` is believed. */
import { type Cidr, parseAddress, parseCidr } from '../core/identity/ip-addresses.ts'
import { type Environment, SettingError } from './setting.ts'

export const trustedProxiesOf = (env: Environment): readonly Cidr[] => {
  const value = env['TRUSTED_PROXIES'] ?? ''
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const address = parseAddress(entry)
      const range = address === undefined ? entry : `${entry}/${address.length * 8}`
      const parsed = parseCidr(range)
      if (!parsed.ok) {
        const accepted = `addresses and CIDR ranges, with commas. ${parsed.message}`
        throw new SettingError('TRUSTED_PROXIES', value, accepted)
      }
      return parsed.cidr
    })
}
