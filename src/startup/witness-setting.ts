/** WITNESSES and WITNESS_QUORUM: who cosigns the checkpoints of the logs. */
import { type WitnessKey, cosignatureType, parseVkey } from '../../verifier/verify-bundle.mjs'
import { type Environment, SettingError } from './setting.ts'

export interface WitnessConfig extends WitnessKey {
  /** The submission prefix, without a trailing slash. */
  url: string
}

export interface WitnessSettings {
  witnesses: readonly WitnessConfig[]
  /** A checkpoint is published once so many of them have cosigned it. */
  quorum: number
}

const accepted = '`<verifier key> <URL>` of each witness (C2SP tlog-witness), with commas'

export const witnessesOf = (env: Environment): WitnessSettings => {
  const value = env['WITNESSES'] ?? ''
  const entries = value.split(',').map((entry) => entry.trim())
  const witnesses = entries
    .filter((entry) => entry !== '')
    .map((entry): WitnessConfig => {
      const [vkey = '', url = '', ...rest] = entry.split(/ +/)
      const isUrl = /^https?:\/\/[^?#]+$/.test(url) && URL.canParse(url) && rest.length === 0
      if (!isUrl) throw new SettingError('WITNESSES', value, accepted)
      return { ...witnessKeyOf(vkey, value), url: url.replace(/\/+$/, '') }
    })
  if (new Set(witnesses.map(({ vkey }) => vkey)).size < witnesses.length) {
    throw new SettingError('WITNESSES', value, 'each witness once')
  }
  return { witnesses, quorum: quorumOf(env, witnesses.length) }
}

const witnessKeyOf = (vkey: string, value: string): WitnessKey => {
  try {
    return parseVkey(vkey, cosignatureType)
  } catch {
    throw new SettingError('WITNESSES', value, accepted)
  }
}

/** More than half of them, unless it is set. */
const quorumOf = (env: Environment, count: number): number => {
  const majority = count === 0 ? 0 : Math.floor(count / 2) + 1
  const value = env['WITNESS_QUORUM'] || String(majority)
  if (!/^\d{1,3}$/.test(value) || Number(value) > count) {
    throw new SettingError('WITNESS_QUORUM', value, `a number from 0 to ${count}, the witnesses`)
  }
  return Number(value)
}
