/** Organizations, as operators make, change and list them. */
import { createOrganization } from '../../src/changes/identity/organizations.ts'
import { appoint } from '../../src/changes/identity/users.ts'
import { encodeId } from '../../src/core/ids.ts'
import type { Session } from '../../src/database/sql.ts'
import * as organizations from '../../src/store/identity/organizations.ts'
import {
  BadInput,
  type Command,
  type Done,
  type Given,
  currencyOf,
  listMaxRows,
  listed,
  needed,
  organizationOf,
  quoted,
} from './command.ts'
import { howToSignIn } from './users.ts'

const create = async (tx: Session, { options }: Given): Promise<Done> => {
  const name = needed(options, 'name')
  const currency = currencyOf(options['currency'] ?? 'USD')
  const verified = options['verified'] !== undefined
  const mode = options['sandbox'] === undefined ? 'live' : 'test'
  const made = { name, mode, verified, currency } as const
  const organization = await createOrganization(tx, made)
  const subject = encodeId('org', organization)
  const state = verified ? 'verified' : 'not verified'
  const kind = mode === 'live' ? 'live' : 'sandbox'
  const detail = { mode: kind, verified, currency }
  const says = [`Created ${name} (${subject}): ${kind}, ${state}, ${currency}.`]
  if (options['admin-email'] === undefined) return { subject, detail, says }
  const { user, isNew } = await appoint(tx, {
    email: options['admin-email'],
    name: options['admin-name'],
    organization,
    role: 'owner',
    passwordHash: null,
  })
  const owner = encodeId('usr', user.id)
  says.push(`${user.email} (${owner}${isNew ? ', new' : ''}) is its owner.`, ...howToSignIn(user))
  return { subject, detail: { ...detail, owner }, says }
}

/** verify, suspend and resume leave the state before, and say so when there is nothing to leave. */
const changing =
  (set: typeof organizations.setVerified, state: string): Command['run'] =>
  async (tx, { words: [id = ''] }) => {
    const { id: uuid, name } = await organizationOf(tx, id)
    if ((await set(tx, uuid)) === 0) throw new BadInput(`${name} (${id}) is ${state} already.`)
    return { subject: id, detail: {}, says: [`${name} (${id}) is ${state} now.`] }
  }

const list = async (tx: Session, { options }: Given): Promise<Done> => {
  const rows = await organizations.organizationsLike(tx, options['name'] ?? '', listMaxRows)
  return listed(
    rows.map(({ id, mode, name, verified_at, suspended_at }) => {
      const kind = mode === 'live' ? 'live' : 'sandbox'
      const state = verified_at === null ? 'not verified' : 'verified'
      const halt = suspended_at === null ? '' : ', suspended'
      return `${encodeId('org', id)}  ${quoted(name)}: ${kind}, ${state}${halt}`
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
    run: changing(organizations.setVerified, 'verified'),
  },
  'organization suspend': {
    usage: '<org_id>',
    run: changing(organizations.setSuspended, 'suspended'),
  },
  'organization resume': { usage: '<org_id>', run: changing(organizations.setResumed, 'active') },
}
