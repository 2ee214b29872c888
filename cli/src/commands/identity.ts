/** Credentials: login, logout, whoami, status, sandbox use. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { createClient } from '../../../sdk/src/client.ts'
import { ConnectionError } from '../../../sdk/src/errors.ts'
import type { Caller } from '../../../sdk/src/generated/types.ts'
import { type Context, contextOf } from '../context.ts'
import { CredentialsError, UsageError } from '../failures.ts'
import type { Io } from '../io.ts'
import { printJson, recordText } from '../output.ts'
import {
  type Profile,
  type ProfileFile,
  baseUrlOf,
  changeProfiles,
  defaultBaseUrl,
  findCredential,
  profileInUse,
  profilesFile,
  trimmed,
  usableKey,
} from '../profiles.ts'
import { readSecret } from '../secrets.ts'
import { endDeviceSession, openDeviceSession } from './device-login.ts'
import { noteInUse } from './profiles.ts'
import { groupOf } from './groups.ts'

export const addIdentity = (program: Command, io: Io): void => {
  const login = program
    .command('login')
    .summary('Store a key or session as a profile')
    .description(
      'Read an API key (rk_…) or the token of a session (rs_…) from a prompt without echo, from stdin' +
        ' or from DOCEX_API_KEY, check it, and store it as a profile. It is never an argument. With' +
        ' --device, no secret is read: you approve a short code in a browser, on any machine, and a' +
        ' session of twelve hours is stored.',
    )
    .option('--device', 'Sign in by approving a code in a browser.')
    .option('--base-url <url>', `The service. Default: DOCEX_BASE_URL, else ${defaultBaseUrl}.`)
    .addHelpText(
      'after',
      '\nExamples:\n  docex login\n  docex login --device\n  docex login --profile live < key.txt',
    )
    .action(() => runLogin(contextOf(io, login)))
  const logout = program
    .command('logout')
    .summary('Remove a profile')
    .description(
      'Remove the profile in use, or the one that --profile names. A session of login --device ends,' +
        ' as it does when its profile is replaced; a key or another session stays valid.',
    )
    .option('--all', 'Remove all profiles.')
    .action(() => runLogout(contextOf(io, logout)))
  const whoami = program
    .command('whoami')
    .summary('Show who the credential belongs to')
    .action(() => runWhoami(contextOf(io, whoami)))
  const status = program
    .command('status')
    .summary('Show the service, the profile and whether both work')
    .action(() => runStatus(contextOf(io, status)))
  const use = groupOf(program, ['sandbox'])
    .command('use')
    .argument('[file]', 'The sandbox.json of a local service.', '.data/sandbox.json')
    .summary('Store the keys of a local sandbox as profiles')
    .description(
      'Take the keys of sandbox.json, which the first start of a local service writes, as the' +
        ' profiles sandbox, sandbox-admin, demo and demo-admin, and use the first.',
    )
    .addHelpText('after', '\nExample:\n  docex sandbox use .data/sandbox.json')
    .action((file: string) => runSandboxUse(contextOf(io, use), file))
}

const callerOf = (io: Io, baseUrl: string, apiKey: string): Promise<Caller> =>
  createClient({ baseUrl, apiKey }).json<Caller>(
    { method: 'GET', path: '/v1/me' },
    { signal: io.signal },
  )

const show = ({ io, options }: Context, value: Readonly<Record<string, unknown>>): void => {
  if (options.json === true) printJson(io, value)
  else io.stdout.write(recordText(io, value))
}

const runLogin = async (context: Context): Promise<void> => {
  const { io, options } = context
  const given = (options['baseUrl'] as string | undefined) ?? io.env['DOCEX_BASE_URL']
  const baseUrl = trimmed(given || defaultBaseUrl)
  const opened = options['device'] === true ? await openDeviceSession(io, baseUrl) : undefined
  const apiKey = usableKey(
    opened?.token ??
      (io.env['DOCEX_API_KEY'] || (await readSecret(io, 'API key', !options.nonInteractive))),
  )
  const caller = await callerOf(io, baseUrl, apiKey)
  const name = options.profile ?? (io.env['DOCEX_PROFILE'] || 'default')
  const profile: Profile = {
    base_url: baseUrl,
    api_key: apiKey,
    organization: caller.organization.name,
    ...(opened && { session_ends_at: opened.expires_at }),
  }
  await store(io, { [name]: profile }, name)
  noteInUse(io)
  show(context, { profile: name, base_url: baseUrl, organization: caller.organization })
}

const store = async (io: Io, added: ProfileFile['profiles'], current: string): Promise<void> => {
  let before: ProfileFile['profiles'] = {}
  await changeProfiles(io, ({ profiles }) => {
    before = profiles
    return { current, profiles: { ...profiles, ...added } }
  })
  for (const [name, { api_key: key }] of Object.entries(added)) {
    const replaced = Object.hasOwn(before, name) ? before[name]! : undefined
    if (replaced !== undefined && replaced.api_key !== key) await endSessionOf(io, name, replaced)
  }
}

const endSessionOf = async (io: Io, name: string, profile: Profile): Promise<void> => {
  if (profile.session_ends_at !== undefined) await endDeviceSession(io, name, profile)
}

const runLogout = async (context: Context): Promise<void> => {
  const { io, options } = context
  let removed: string[] = []
  let profiles: Readonly<Record<string, Profile>> = {}
  await changeProfiles(io, (file) => {
    const name = profileInUse(io, file, options.profile)
    removed = options['all'] === true ? Object.keys(file.profiles) : [name ?? '']
    profiles = file.profiles
    return withoutProfiles(file, removed)
  })
  for (const name of removed) await endSessionOf(io, name, profiles[name]!)
  show(context, { removed })
}

const withoutProfiles = (file: ProfileFile, removed: readonly string[]): ProfileFile => {
  const { current } = file
  const missing = removed.find((one) => !Object.hasOwn(file.profiles, one))
  if (missing !== undefined) {
    throw new CredentialsError(missing === '' ? 'No profile is in use.' : `No profile ${missing}.`)
  }
  const kept = Object.entries(file.profiles).filter(([name]) => !removed.includes(name))
  const isCurrentKept = kept.some(([name]) => name === current)
  return { profiles: Object.fromEntries(kept), ...(isCurrentKept ? { current } : {}) }
}

const runWhoami = async (context: Context): Promise<void> => {
  const { profile, baseUrl, apiKey } = context.credential()
  const caller = await callerOf(context.io, baseUrl, apiKey)
  const { organization, key, user, effective_scopes: scopes } = caller
  show(context, {
    profile: profile ?? null,
    base_url: baseUrl,
    organization,
    key: key === null ? null : { id: key.id, prefix: key.prefix },
    user,
    scopes,
  })
}

/** Says what works; fails as the first thing that does not. */
const runStatus = async (context: Context): Promise<void> => {
  const { io, options } = context
  const credential = findCredential(io, options.profile)
  const baseUrl = baseUrlOf(io, options.profile)
  const health = await fetch(`${baseUrl}/readyz`, { signal: io.signal }).catch((cause: unknown) => {
    throw new ConnectionError(`There is no service at ${baseUrl}.`, { cause })
  })
  const status = {
    base_url: baseUrl,
    service: health.ok ? 'ready' : `not ready (${health.status})`,
    profile: credential?.profile ?? null,
    credential: credential === undefined ? 'none' : credential.profile ? 'profile' : 'environment',
    profiles_file: profilesFile(io),
  }
  if (!health.ok) throw new ConnectionError(`${baseUrl} is ${status.service}.`)
  if (credential === undefined) return show(context, { ...status, organization: null })
  const { organization, api_version: version } = await callerOf(io, baseUrl, credential.apiKey)
  show(context, { ...status, api_version: version, organization })
}

interface SandboxFile {
  base_url: string
  organization: SandboxSide
  demo: SandboxSide
}

interface SandboxSide {
  name: string
  api_key: string
  admin_session_token: string
}

const runSandboxUse = async (context: Context, path: string): Promise<void> => {
  const { io } = context
  const file = sandboxFileIn(path)
  const baseUrl = trimmed(file.base_url)
  const profile = ({ name }: SandboxSide, apiKey: string): Profile => ({
    base_url: baseUrl,
    api_key: apiKey,
    organization: name,
  })
  const { organization, demo } = file
  const added = {
    sandbox: profile(organization, organization.api_key),
    'sandbox-admin': profile(organization, organization.admin_session_token),
    demo: profile(demo, demo.api_key),
    'demo-admin': profile(demo, demo.admin_session_token),
  }
  const caller = await callerOf(io, baseUrl, organization.api_key)
  await store(io, added, 'sandbox')
  noteInUse(io)
  show(context, {
    profile: 'sandbox',
    base_url: baseUrl,
    organization: caller.organization,
    profiles: Object.keys(added),
  })
}

const sandboxFileIn = (path: string): SandboxFile => {
  try {
    const file = JSON.parse(readFileSync(path, 'utf8')) as SandboxFile
    const keys = [file.organization.api_key, file.demo.api_key]
    if (keys.every((key) => key.startsWith('rk_test_'))) return file
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) {
      throw new UsageError(`${path} is not there: start the service, or name its sandbox.json.`)
    }
  }
  throw new UsageError(`${path} is not the sandbox.json of a service.`)
}
