/** Commands that create connections on behalf of both parties, and list them. */
import { connectByOperator } from '../../src/changes/identity/connections.ts'
import { encodeId } from '../../src/core/ids.ts'
import type { Queryable } from '../../src/database/sql.ts'
import { namedConnections } from '../../src/store/identity/connections.ts'
import {
  type Command,
  type CommandResult,
  type CommandInput,
  parseCurrency,
  listMaxRows,
  listResult,
  parseOrganizationId,
  organizationOf,
  quotedName,
} from './admin-command.ts'

const connectOrganizations = async (
  tx: Queryable,
  { positionals, options }: CommandInput,
): Promise<CommandResult> => {
  const inviting = await organizationOf(tx, positionals[0] ?? '')
  const invited = await organizationOf(tx, positionals[1] ?? '')
  const terms = options['terms'] ?? null
  const currency = parseCurrency(options['currency'] ?? inviting.default_currency)
  const id = await connectByOperator(tx, inviting, invited, { terms, currency })
  const subject = encodeId('con', id)
  const agreement = `${terms ?? 'no default terms'}, ${currency}`
  const lines = [
    `Connected ${inviting.name} and ${invited.name} (${subject}): active, ${agreement}.`,
  ]
  return { subject, detail: { organizations: positionals, terms, currency }, lines }
}

const list = async (tx: Queryable, { options }: CommandInput): Promise<CommandResult> => {
  const organizationOption = options['organization']
  const organization =
    organizationOption === undefined ? undefined : parseOrganizationId(organizationOption)
  const rows = await namedConnections(tx, organization, listMaxRows)
  return listResult(
    rows.map(({ id, a_id, a_name, b_id, b_name, status, default_payment_terms, currency }) => {
      const one = `${quotedName(a_name)} (${encodeId('org', a_id)})`
      const other = `${quotedName(b_name)} (${encodeId('org', b_id)})`
      const terms = default_payment_terms ?? 'no default terms'
      return `${encodeId('con', id)}  ${one} and ${other}: ${status}, ${terms}, ${currency}`
    }),
    'There is no such connection.',
  )
}

export const connectionCommands: Readonly<Record<string, Command>> = {
  'connection create': {
    summary: 'connect two organizations without an invitation',
    arguments: '<org_id> <other_org_id>',
    options: ['--terms <text>', '--currency <code>'],
    run: connectOrganizations,
  },
  'connection list': {
    summary: 'list connections',
    options: ['--organization <org_id>'],
    run: list,
  },
}
