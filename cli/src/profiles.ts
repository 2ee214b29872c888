/**
 * Profiles: where a service is, and a credential for it. All are in one file that only its owner
 * can read. A credential is only ever sent to the service that it was stored for.
 */
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { CredentialsError, UsageError } from './failures.ts'
import type { Io } from './io.ts'
import { changePrivate, isObject, parsedPrivate, readPrivate } from './private-files.ts'

export const defaultBaseUrl = 'http://localhost:8080'

export interface Profile {
  base_url: string
  api_key: string
  /** The name of the organization, as a reminder. */
  organization?: string
  /** Of a session that login --device has opened: when it ends, unless logout ends it before. */
  session_ends_at?: string
}

export interface ProfileFile {
  current?: string | undefined
  profiles: Record<string, Profile>
}

export interface Credential {
  /** Undefined: of the environment. */
  profile: string | undefined
  baseUrl: string
  apiKey: string
}

export const configFolder = ({ env }: Pick<Io, 'env'>): string =>
  env['DOCEX_CONFIG_DIR'] || join(userConfigFolder(env), 'docex')

/** A path that is empty or relative is as none (XDG Base Directory Specification). */
const userConfigFolder = ({ XDG_CONFIG_HOME: folder = '' }: Io['env']): string =>
  isAbsolute(folder) ? folder : join(homedir(), '.config')

export const profilesFile = (io: Pick<Io, 'env'>): string => join(configFolder(io), 'profiles.json')

export const readProfiles = (io: Pick<Io, 'env'>): ProfileFile => {
  const file = profilesFile(io)
  return profilesIn(file, readPrivate(file))
}

/** What other processes store at the same time stays. */
export const changeProfiles = (
  io: Pick<Io, 'env' | 'signal'>,
  change: (file: ProfileFile) => ProfileFile,
): Promise<void> => {
  const file = profilesFile(io)
  return changePrivate(file, (text) => change(profilesIn(file, text)), io.signal)
}

const profilesIn = (file: string, text: string | undefined): ProfileFile => {
  if (text === undefined) return { profiles: {} }
  const { current, profiles } = parsedPrivate<ProfileFile>(text, isProfileFile) ?? {}
  if (profiles !== undefined) return { current, profiles: { ...profiles } }
  throw new CredentialsError(`${file} is damaged: mend or remove it, then run docex login.`)
}

const isProfileFile = ({ current, profiles }: Partial<ProfileFile>): boolean =>
  (current === undefined || typeof current === 'string') &&
  isObject(profiles) &&
  Object.values(profiles).every(isProfile)

const isProfile = (value: unknown): boolean =>
  isObject(value) &&
  isServiceUrl(value['base_url']) &&
  ['string', 'undefined'].includes(typeof value['session_ends_at']) &&
  typeof value['api_key'] === 'string' &&
  isHeaderText(value['api_key'])

/** The name of the profile that holds without a key in the environment. */
export const profileInUse = (
  { env }: Pick<Io, 'env'>,
  { current }: ProfileFile,
  asked: string | undefined,
): string | undefined => asked ?? (env['DOCEX_PROFILE'] || current)

export const profileNamed = ({ profiles }: ProfileFile, name: string): Profile => {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile !== undefined) return profile
  const known = Object.keys(profiles).join(', ') || 'none'
  throw new CredentialsError(`There is no profile ${name} (there are: ${known}).`)
}

/**
 * `--profile`, else the environment, else DOCEX_PROFILE, else the profile in use. A key of the
 * environment without an address belongs to the service of the profile that would be used.
 */
export const findCredential = (io: Io, asked: string | undefined): Credential | undefined => {
  const { env } = io
  const apiKey = env['DOCEX_API_KEY']
  if (asked === undefined && apiKey) {
    return { profile: undefined, baseUrl: addressOf(io), apiKey: usableKey(apiKey) }
  }
  const file = readProfiles(io)
  const name = profileInUse(io, file, asked)
  if (name === undefined) return undefined
  const profile = profileNamed(file, name)
  const elsewhere = env['DOCEX_BASE_URL']
  if (elsewhere && trimmed(elsewhere) !== profile.base_url) {
    throw new CredentialsError(
      `DOCEX_BASE_URL is ${elsewhere}, but the key of profile ${name} belongs to` +
        ` ${profile.base_url}: set DOCEX_API_KEY too, or unset DOCEX_BASE_URL.`,
    )
  }
  return { profile: name, baseUrl: profile.base_url, apiKey: profile.api_key }
}

/** Also of a file with line ends of Windows. An error of fetch would show the key. */
export const usableKey = (given: string): string => {
  const key = given.trim()
  if (key === '') {
    throw new CredentialsError('No key arrived: type it, send it on stdin, or set DOCEX_API_KEY.')
  }
  if (isHeaderText(key)) return key
  throw new CredentialsError('The key has characters that no key has: copy the whole of it again.')
}

/** Whether a header can carry it, and nothing beside it. */
export const isHeaderText = (text: string): boolean => /^[!-~]*$/.test(text)

/** Where a service is that is not named with its key. */
const addressOf = (io: Io): string => {
  const given = io.env['DOCEX_BASE_URL']
  if (given) return trimmed(given)
  const file = readProfiles(io)
  const name = profileInUse(io, file, undefined)
  return name === undefined ? defaultBaseUrl : profileNamed(file, name).base_url
}

export const credentialOf = (io: Io, asked: string | undefined): Credential => {
  const found = findCredential(io, asked)
  if (found !== undefined) return found
  const names = Object.keys(readProfiles(io).profiles).join(', ')
  throw new CredentialsError(
    names === ''
      ? 'There is no credential: run docex login or docex sandbox use, or set DOCEX_API_KEY.'
      : `No profile is in use (there are: ${names}): run docex profiles use NAME, or send --profile.`,
  )
}

/** Where the service is, also without a credential. */
export const baseUrlOf = (io: Io, asked: string | undefined): string =>
  findCredential(io, asked)?.baseUrl ?? trimmed(io.env['DOCEX_BASE_URL'] || defaultBaseUrl)

export const trimmed = (url: string): string => {
  if (isServiceUrl(url)) return url.replace(/\/+$/, '')
  const shown = url.replace(/\/\/.*@/, '//…@')
  throw new UsageError(`${shown} is not the URL of a service, such as ${defaultBaseUrl}.`)
}

const isServiceUrl = (value: unknown): boolean =>
  typeof value === 'string' && /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/.test(value) && URL.canParse(value)
