/** The resources of the reference: each has a page with its operations and objects. */
import type { Operation } from '../../operations/operation.ts'
import { pagePath } from '../addresses.ts'
import { isVersioned } from '../operation-facts.ts'

export interface Resource {
  /** Part of the address of its page, `reference-documents`. */
  name: string
  title: string
  summary: string
  operations: readonly Operation[]
}

/** A resource is the first word of an operation's id, unless it is listed with another. */
const shownWith: Readonly<Record<string, string>> = {
  approval_rules: 'approvals',
  deliveries: 'webhooks',
  audit: 'members',
  invitations: 'members',
  preferences: 'account',
  saved_views: 'account',
  stream: 'events',
  requests: 'account',
  idempotency: 'account',
  me: 'account',
  enablement: 'account',
  specification: 'account',
  sandboxes: 'sandbox',
}

const described: Readonly<Record<string, readonly [title: string, summary: string]>> = {
  documents: ['Documents', 'Invoices, orders, quotes and other documents that two sides share.'],
  search: ['Search', 'Everything that the caller may read, by number, reference, name or id.'],
  statistics: ['Statistics', 'Sums of documents and payments for charts.'],
  attachments: ['Attachments', 'Files that belong to a document.'],
  connections: ['Connections', 'Who may exchange documents with whom.'],
  approvals: [
    'Approvals',
    'Payments that wait for the decision of a person, and the rules for them.',
  ],
  payments: ['Payments', 'What was paid for documents, and how it went.'],
  treasury: ['Treasury', 'Accounts, balances and transactions of an organization.'],
  finance: ['Finance', 'Direct loans between verified members, secured by an invoice.'],
  events: ['Events', 'Everything that happened, in the order in which it was committed.'],
  webhooks: ['Webhook endpoints', 'Endpoints that receive events, and their deliveries.'],
  log: ['Transparency log', 'Keys, checkpoints and consistency proofs of the log.'],
  keys: ['API keys', 'Keys with scopes, limits and address lists.'],
  members: [
    'Members and invitations',
    'The people of an organization, their roles, and what they did.',
  ],
  account: [
    'Account and service',
    'The caller, its writes and its views, and what this deployment serves.',
  ],
  sandbox: ['Sandbox', 'Clock, test money, outcomes and the demo counterparty.'],
}

const resourceNameOf = (operationId: string): string => {
  const [first = ''] = operationId.split('.')
  return shownWith[first] ?? first
}

/** The address of the section of an operation, on the page of its resource. */
export const operationDocsUrl = (baseUrl: string, operationId: string): string =>
  `${baseUrl}${pagePath(`reference-${resourceNameOf(operationId)}`)}#${operationId}`

/** In the order of the operations; those outside of the contract have no page. */
export const resourcesOf = (operations: readonly Operation[]): Resource[] => {
  const byName = new Map<string, Operation[]>()
  for (const operation of operations) {
    if (!isVersioned(operation)) continue
    const name = resourceNameOf(operation.id)
    byName.set(name, [...(byName.get(name) ?? []), operation])
  }
  return [...byName].map(([name, own]) => {
    const [title, summary] = described[name] ?? [titleOf(name), `Operations of ${name}.`]
    return { name, title, summary, operations: own }
  })
}

const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
