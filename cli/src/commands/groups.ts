/** Groups of commands: `docex sandbox clock …`. */
import type { Command } from 'commander'

const summaries: Readonly<Record<string, string>> = {
  documents: 'Documents: create, issue, move, pay, export',
  attachments: 'Files of a document',
  comments: 'What your own side says about a document',
  statistics: 'Sums by period, status or age: what is overdue',
  connections: 'Connections to other organizations',
  payments: 'Payments',
  approvals: 'Payments and loans that wait for a person',
  'approval-rules': 'Which of them have to wait, and for whom',
  treasury: 'Accounts, balances and transactions',
  accounts: 'Accounts and their statements',
  balances: 'Balances, now or at a point in time',
  transactions: 'What was posted',
  finance: 'Loans: setup, listings, offers, agreements',
  setup: 'Who may borrow or lend, through which accounts',
  listings: 'What borrowers ask for',
  offers: 'What lenders offer',
  agreements: 'Loans, from acceptance to repayment',
  events: 'The feed of events',
  webhooks: 'Webhook endpoints',
  deliveries: 'Deliveries to webhook endpoints',
  log: 'The transparency log',
  keys: 'API keys',
  organization: 'Your organization, and the profile that exports show',
  members: 'Who belongs to your organization, in which role',
  invitations: 'Invitations of members',
  audit: 'What people did',
  'saved-views': 'Saved filters of lists',
  preferences: 'Your own settings',
  profiles: 'The profiles on this machine: list them, use another one',
  requests: 'The log of calls',
  sandboxes: 'Practice pairs',
  sandbox: 'The sandbox: clock, test money, demo counterparty',
  demo: 'What the demo counterparty does',
  me: 'The caller',
  idempotency: 'What became of an Idempotency-Key',
  enablement: 'What this service offers',
  specification: 'The OpenAPI document',
  clock: 'The clock of the sandbox',
  logs: 'The log of calls, as it grows',
}

/** The group with these words, made when it is first asked for. Each has a summary. */
export const groupOf = (program: Command, words: readonly string[]): Command =>
  words.reduce((parent, word) => {
    const existing = parent.commands.find((one) => one.name() === word)
    return existing ?? parent.command(word).summary(summaries[word] ?? '')
  }, program)
