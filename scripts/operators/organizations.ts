/** Organizations and what joins them, as operators make, change and list them. */
import * as organizations from '../../src/changes/organizations.ts'
import { encodeId } from '../../src/core/ids.ts'
import type { Session } from '../../src/sql.ts'
import { namedConnections } from '../../src/store/connections.ts'
import * as users from '../../src/store/users.ts'
import {
  BadInput,
  type Command,
  type Done,
  type Given,
  currencyOf,
  listMaxRows,
  listed,
  needed,
  organizationId,
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
  const organization = await organizations.createOrganization(tx, made)
  const subject = encodeId('org', organization)
  const state = verified ? 'verified' : 'not verified'
  const kind = mode === 'live' ? 'live' : 'sandbox'
  const detail = { mode: kind, verified, currency }
  const says = [`Created ${name} (${subject}): ${kind}, ${state}, ${currency}.`]
  if (options['admin-email'] === undefined) return { subject, detail, says }
  const { user, isNew } = await organizations.appoint(tx, {
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
  (set: typeof users.setVerified, state: string): Command['run'] =>
  async (tx, { words: [id = ''] }) => {
    const { id: uuid, name } = await organizationOf(tx, id)
    if ((await set(tx, uuid)) === 0) throw new BadInput(`${name} (${id}) is ${state} already.`)
    return { subject: id, detail: {}, says: [`${name} (${id}) is ${state} now.`] }
  }

const list = async (tx: Session, { options }: Given): Promise<Done> => {
  const rows = await users.organizationsLike(tx, options['name'] ?? '', listMaxRows)
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

const join = async (tx: Session, { words, options }: Given): Promise<Done> => {
  const inviting = await organizationOf(tx, words[0] ?? '')
  const invited = await organizationOf(tx, words[1] ?? '')
  const terms = options['terms'] ?? null
  const currency = currencyOf(options['currency'] ?? inviting.default_currency)
  const id = await organizations.connectAtOnce(tx, inviting, invited, { terms, currency })
  const subject = encodeId('con', id)
  const agreed = `${terms ?? 'no default terms'}, ${currency}`
  const says = [`Connected ${inviting.name} and ${invited.name} (${subject}): active, ${agreed}.`]
  return { subject, detail: { organizations: words, terms, currency }, says }
}

const listConnections = async (tx: Session, { options }: Given): Promise<Done> => {
  const wanted = options['organization']
  const organization = wanted === undefined ? undefined : organizationId(wanted)
  const rows = await namedConnections(tx, organization, listMaxRows)
  return listed(
    rows.map(({ id, a_id, a_name, b_id, b_name, status, default_payment_terms, currency }) => {
      const one = `${quoted(a_name)} (${encodeId('org', a_id)})`
      const other = `${quoted(b_name)} (${encodeId('org', b_id)})`
      const terms = default_payment_terms ?? 'no default terms'
      return `${encodeId('con', id)}  ${one} and ${other}: ${status}, ${terms}, ${currency}`
    }),
    'There is no such connection.',
  )
}

export const organizationCommands: Readonly<Record<string, Command>> = {
  'organization create': {
    usage: '--name N [--sandbox] [--verified] [--currency USD] [--admin-email E --admin-name N]',
    run: create,
  },
  'organization list': { usage: '[--name N]', run: list },
  'organization verify': { usage: '<org_id>', run: changing(users.setVerified, 'verified') },
  'organization suspend': { usage: '<org_id>', run: changing(users.setSuspended, 'suspended') },
  'organization resume': { usage: '<org_id>', run: changing(users.setResumed, 'active') },
  'connection create': {
    usage: '<org_id> <org_id> [--terms "Net 30"] [--currency USD]',
    run: join,
  },
  'connection list': { usage: '[--organization <org_id>]', run: listConnections },
}
