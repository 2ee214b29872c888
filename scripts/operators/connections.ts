/** Connections, as operators vouch for and list them. */
import { connectAtOnce } from '../../src/changes/identity/connections.ts'
import { encodeId } from '../../src/core/ids.ts'
import type { Session } from '../../src/database/sql.ts'
import { namedConnections } from '../../src/store/identity/connections.ts'
import {
  type Command,
  type Done,
  type Given,
  currencyOf,
  listMaxRows,
  listed,
  organizationId,
  organizationOf,
  quoted,
} from './command.ts'

const join = async (tx: Session, { words, options }: Given): Promise<Done> => {
  const inviting = await organizationOf(tx, words[0] ?? '')
  const invited = await organizationOf(tx, words[1] ?? '')
  const terms = options['terms'] ?? null
  const currency = currencyOf(options['currency'] ?? inviting.default_currency)
  const id = await connectAtOnce(tx, inviting, invited, { terms, currency })
  const subject = encodeId('con', id)
  const agreed = `${terms ?? 'no default terms'}, ${currency}`
  const says = [`Connected ${inviting.name} and ${invited.name} (${subject}): active, ${agreed}.`]
  return { subject, detail: { organizations: words, terms, currency }, says }
}

const list = async (tx: Session, { options }: Given): Promise<Done> => {
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

export const connectionCommands: Readonly<Record<string, Command>> = {
  'connection create': {
    usage: '<org_id> <org_id> [--terms "Net 30"] [--currency USD]',
    run: join,
  },
  'connection list': { usage: '[--organization <org_id>]', run: list },
}
