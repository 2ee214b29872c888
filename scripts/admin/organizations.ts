/** Organizations, as operators make, change and list them. */
import { createOrganization } from '../../src/changes/identity/organizations.ts'
import { grantMembership } from '../../src/changes/identity/users.ts'
import { encodeId } from '../../src/core/ids.ts'
import type { Queryable } from '../../src/database/sql.ts'
import * as organizations from '../../src/store/identity/organizations.ts'
import {
  BadInput,
  type Command,
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
  const verified = options['verified'] !== undefined
  const mode = options['sandbox'] === undefined ? 'live' : 'test'
  const made = { name, mode, verified, currency } as const
  const organization = await createOrganization(tx, made)
  const subject = encodeId('org', organization)
  const state = verified ? 'verified' : 'not verified'
  const kind = mode === 'live' ? 'live' : 'sandbox'
  const detail = { mode: kind, verified, currency }
  const lines = [`Created ${name} (${subject}): ${kind}, ${state}, ${currency}.`]
  if (options['admin-email'] === undefined) return { subject, detail, lines }
  const { user, isNew } = await grantMembership(tx, {
    email: options['admin-email'],
    name: options['admin-name'],
    organization,
    role: 'owner',
    passwordHash: null,
  })
  const owner = encodeId('usr', user.id)
  lines.push(`${user.email} (${owner}${isNew ? ', new' : ''}) is its owner.`, ...signInHint(user))
  return { subject, detail: { ...detail, owner }, lines }
}

/** verify, suspend and resume leave the state before, and say so when there is nothing to leave. */
const stateCommand =
  (set: typeof organizations.setVerified, state: string): Command['run'] =>
  async (tx, { positionals: [id = ''] }) => {
    const { id: uuid, name } = await organizationOf(tx, id)
    if ((await set(tx, uuid)) === 0) throw new BadInput(`${name} (${id}) is ${state} already.`)
    return { subject: id, detail: {}, lines: [`${name} (${id}) is ${state} now.`] }
  }

const list = async (tx: Queryable, { options }: CommandInput): Promise<CommandResult> => {
  const rows = await organizations.organizationsLike(tx, options['name'] ?? '', listMaxRows)
  return listResult(
    rows.map(({ id, mode, name, verified_at, suspended_at }) => {
      const kind = mode === 'live' ? 'live' : 'sandbox'
      const state = verified_at === null ? 'not verified' : 'verified'
      const halt = suspended_at === null ? '' : ', suspended'
      return `${encodeId('org', id)}  ${quotedName(name)}: ${kind}, ${state}${halt}`
    }),
    'There is no such organization.',
  )
}

export const organizationCommands: Readonly<Record<string, Command>> = {
  'organization create': {
    usage: '--name N [--sandbox] [--verified] [--currency USD] [--admin-email E --admin-name N]',
    run: create,
  },
  'organization list': { usage: '[--name N]', run: list },
  'organization verify': {
    usage: '<org_id>',
    run: stateCommand(organizations.setVerified, 'verified'),
  },
  'organization suspend': {
    usage: '<org_id>',
    run: stateCommand(organizations.setSuspended, 'suspended'),
  },
  'organization resume': {
    usage: '<org_id>',
    run: stateCommand(organizations.setResumed, 'active'),
  },
}
