/** Groups of commands: `docex sandbox clock …`. */
import type { Command } from 'commander'

const summaries: Readonly<Record<string, string>> = {
  documents: 'Documents: create, issue, move, pay, export',
  attachments: 'Files of a document',
  connections: 'Connections to other organizations',
  payments: 'Payments',
  treasury: 'Accounts, balances and transactions',
  finance: 'Loans: setup, listings, offers, agreements',
  events: 'The feed of events',
  webhooks: 'Webhook endpoints',
  deliveries: 'Deliveries to webhook endpoints',
  log: 'The transparency log',
  keys: 'API keys',
  requests: 'The log of calls',
  sandboxes: 'Practice pairs',
  sandbox: 'The sandbox: clock, test money, demo counterparty',
  me: 'The caller',
  idempotency: 'What became of an Idempotency-Key',
  enablement: 'What this service offers',
  specification: 'The OpenAPI document',
  clock: 'The clock of the sandbox',
  logs: 'The log of calls, as it grows',
}

/** The group with these words, made when it is asked for first. */
export const groupOf = (program: Command, words: readonly string[]): Command =>
  words.reduce((parent, word) => {
    const existing = parent.commands.find((one) => one.name() === word)
    return existing ?? parent.command(word).summary(summaries[word] ?? word)
  }, program)
