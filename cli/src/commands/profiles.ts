/** `docex profiles`: what is stored on this machine, and which of it is used. */
import type { Command } from 'commander'
import { contextOf } from '../context.ts'
import type { Io } from '../io.ts'
import { note, printJson, recordText, tableText } from '../output.ts'
import { changeProfiles, profileInUse, profileNamed, readProfiles } from '../profiles.ts'
import { groupOf } from './groups.ts'

export const addProfiles = (program: Command, io: Io): void => {
  const group = groupOf(program, ['profiles'])
  const list = group
    .command('list', { isDefault: true })
    .summary('List the profiles, with the one in use')
    .description('List the profiles. No key is printed.')
    .addHelpText('after', '\nExample:\n  docex profiles')
    .action(() => runList(io, contextOf(io, list).options))
  const use = group
    .command('use')
    .argument('<name>', 'The profile to use from now on.')
    .summary('Use another profile from now on')
    .addHelpText('after', '\nExample:\n  docex profiles use sandbox-admin')
    .action((name: string) => runUse(io, name, contextOf(io, use).options))
}

const runUse = async (io: Io, name: string, options: { json?: boolean }): Promise<void> => {
  let used: Record<string, unknown> = {}
  await changeProfiles(io, (file) => {
    const { base_url, organization } = profileNamed(file, name)
    used = { profile: name, base_url, organization: organization ?? null }
    return { ...file, current: name }
  })
  noteInUse(io)
  if (options.json === true) printJson(io, used)
  else io.stdout.write(recordText(io, used))
}

const runList = (io: Io, options: { json?: boolean; profile?: string }): void => {
  const file = readProfiles(io)
  const isOfEnvironment = options.profile === undefined && Boolean(io.env['DOCEX_API_KEY'])
  const used = isOfEnvironment ? undefined : profileInUse(io, file, options.profile)
  const rows = Object.entries(file.profiles).map(([name, profile]) => ({
    name,
    in_use: name === used,
    organization: profile.organization ?? null,
    credential: profile.api_key.startsWith('rs_') ? 'session' : 'key',
    base_url: profile.base_url,
  }))
  if (isOfEnvironment) note(io, 'DOCEX_API_KEY is set, and takes precedence over every profile.')
  if (rows.length === 0) note(io, 'There is no profile: run docex login or docex sandbox use.')
  if (options.json === true) return printJson(io, { data: rows })
  const shown = rows.map(({ in_use: isUsed, ...row }) => ({ '': isUsed ? '*' : ' ', ...row }))
  io.stdout.write(tableText(io, shown, ['', 'name', 'organization', 'credential', 'base_url']))
}

/** Says which profile the next command uses, and what takes precedence over it. */
export const noteInUse = (io: Io): void => {
  const { current } = readProfiles(io)
  const other = ['DOCEX_API_KEY', 'DOCEX_PROFILE'].find(
    (name) => io.env[name] && io.env[name] !== current,
  )
  const exception =
    other === undefined ? '.' : `, but ${other} is set and takes precedence over it.`
  note(io, `Profile ${current} is in use now${exception}`)
}
