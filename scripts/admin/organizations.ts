/** Commands that create, change and list organizations. */
import { createOrganization } from '../../src/changes/identity/organizations.ts'
import { grantMembership } from '../../src/changes/identity/users.ts'
import { encodeId } from '../../src/core/ids.ts'
import { databaseNow } from '../../src/database/database-clock.ts'
import type { Queryable } from '../../src/database/sql.ts'
import { organizationForUpdate } from '../../src/store/identity/access-versions.ts'
import { countedTables, recountRows } from '../../src/store/identity/row-counts.ts'
import * as organizations from '../../src/store/identity/organizations.ts'
import {
  BadInput,
  type Command,
  type CommandRun,
  type CommandResult,
  type CommandInput,
  parseCurrency,
  listMaxRows,
  listResult,
  requiredOption,
  organizationOf,
  quotedName,
} from './admin-command.ts'
import { signInHint } from './users.ts'

const create = async (tx: Queryable, { options }: CommandInput): Promise<CommandResult> => {
  const name = requiredOption(options, 'name')
  const currency = parseCurrency(options['currency'] ?? 'USD')
  if (options['adminName'] !== undefined && options['adminEmail'] === undefined) {
    throw new BadInput('--admin-name needs --admin-email.')
  }
  const verified = options['verified'] !== undefined
  const mode = options['sandbox'] === undefined ? 'live' : 'test'
  const organization = await createOrganization(tx, { name, mode, verified, currency })
  const subject = encodeId('org', organization)
  const state = verified ? 'verified' : 'not verified'
  const kind = mode === 'live' ? 'live' : 'sandbox'
  const detail = { mode: kind, verified, currency }
  const lines = [`Created ${name} (${subject}): ${kind}, ${state}, ${currency}.`]
  if (options['adminEmail'] === undefined) return { subject, detail, lines }
  const { user, isNew } = await grantMembership(tx, {
    email: options['adminEmail'],
    name: options['adminName'],
    organization,
    role: 'owner',
    passwordHash: null,
  })
  const owner = encodeId('usr', user.id)
  lines.push(`${user.email} (${owner}${isNew ? ', new' : ''}) is its owner.`, ...signInHint(user))
  return { subject, detail: { ...detail, owner }, lines }
}

/** verify, suspend and resume fail when the organization already has the state. */
const stateCommand =
  (column: 'verified_at' | 'suspended_at', isSet: boolean, state: string): CommandRun =>
  async (tx, { positionals: [id = ''] }) => {
    const { id: uuid, name } = await organizationOf(tx, id)
    const { [column]: since } = (await organizationForUpdate(tx, uuid))!
    if ((since !== null) === isSet) throw new BadInput(`${name} (${id}) is already ${state}.`)
    const at = isSet ? await databaseNow(tx) : null
    await organizations.changeOrganization(tx, uuid, { [column]: at })
    return { subject: id, detail: {}, lines: [`${name} (${id}) is now ${state}.`] }
  }

/** Ends the alarm for a row that is gone, once it is known why. */
const recount: CommandRun = async (tx, { positionals: [id = ''] }) => {
  const { id: uuid, name } = await organizationOf(tx, id)
  const { before, now } = await recountRows(tx, uuid)
  const counts = countedTables.map(
    (table) => `  ${table}: ${now[table]}, was ${before[table] ?? 0}`,
  )
  return { subject: id, detail: { before, now }, lines: [`${name} (${id}) now has`, ...counts] }
}

const list = async (tx: Queryable, { options }: CommandInput): Promise<CommandResult> => {
  const rows = await organizations.organizationsLike(tx, options['name'] ?? '', listMaxRows)
  return listResult(
    rows.map(({ id, mode, name, verified_at, suspended_at }) => {
      const kind = mode === 'live' ? 'live' : 'sandbox'
      const state = verified_at === null ? 'not verified' : 'verified'
      const suspension = suspended_at === null ? '' : ', suspended'
      return `${encodeId('org', id)}  ${quotedName(name)}: ${kind}, ${state}${suspension}`
    }),
    'There is no such organization.',
  )
}

export const organizationCommands: Readonly<Record<string, Command>> = {
  'organization create': {
    summary: 'create an organization, and its owner',
    required: ['--name <name>'],
    options: [
      '--sandbox',
      '--verified',
      '--currency <code>',
      '--admin-email <email>',
      '--admin-name <name>',
    ],
    run: create,
  },
  'organization list': { summary: 'list organizations', options: ['--name <part>'], run: list },
  'organization verify': {
    summary: 'mark an organization as verified',
    arguments: '<org_id>',
    run: stateCommand('verified_at', true, 'verified'),
  },
  'organization suspend': {
    summary: 'refuse every credential of an organization',
    arguments: '<org_id>',
    run: stateCommand('suspended_at', true, 'suspended'),
  },
  'organization recount': {
    summary: 'accept that rows of an organization are gone',
    arguments: '<org_id>',
    run: recount,
  },
  'organization resume': {
    summary: 'end a suspension',
    arguments: '<org_id>',
    run: stateCommand('suspended_at', false, 'active'),
  },
}
