/** contract 3: the docs say of each scope all that a key with it may read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Scope, scopes } from '../../src/contract/scopes.ts'
import { operations } from '../../src/operations/index.ts'

/** What the text of a scope calls the records with which operations answer, by their ids. */
const words: Readonly<Record<string, RegExp>> = {
  'documents.comments': /\bcomments\b/,
  'documents.history': /who did what and when/,
  'documents.export': /an export holds the whole content/,
  documents: /\bdocuments?\b/,
  attachments: /\battachments\b/,
  connections: /\bconnections\b/,
  'finance.listings': /\blistings\b/,
  'finance.offers': /\boffers\b/,
  'finance.agreements': /\bagreements\b|\bexport\b/,
  'finance.setup': /\bfinance family\b/,
  events: /`GET \/v1\/events`/,
  organization: /organization its profile/,
  statistics: /\bstatistics\b/,
  // It names the documents that have changed, no more.
  stream: /\bdocuments\b/,
  'sandbox.clock': /\bclock\b/,
  'sandbox.payments': /\bpayment\b/,
  'sandbox.topup': /\btop-up\b/,
  'sandbox.reset': /\bclock\b/,
  'sandbox.demo.create_listing': /\blistings\b/,
  'sandbox.demo': /\bdocument\b/,
  payments: /\bpayments?\b/,
  'treasury.accounts': /\baccounts\b/,
  'treasury.balances': /\bbalances\b/,
  treasury: /\btransaction\b|\bstatements\b/,
  webhooks: /\bURLs, signing secrets\b/,
  deliveries: /\bdeliveries\b/,
  keys: /\bkeys\b/,
  log: /\bexport\b/,
}

/** The longest name that the id begins with. */
const wordOf = (id: string): RegExp => {
  const names = Object.keys(words).filter((name) => id === name || id.startsWith(`${name}.`))
  const [longest] = names.toSorted((a, b) => b.length - a.length)
  assert(longest !== undefined, `${id}: say which word the texts of its scopes need`)
  return words[longest]!
}

test('the text of a scope names whatever the operations that need no other scope answer', () => {
  const told = new Set<Scope>()
  for (const { id, scopes: needed = [] } of operations) {
    const [scope, ...others] = needed as readonly Scope[]
    if (scope === undefined || others.length > 0) continue
    assert.match(scopes[scope].reveals, wordOf(id), `${scope}: ${id}`)
    told.add(scope)
  }
  // Each operation that needs payments:write needs documents:write, which shows what it answers.
  const alone = Object.keys(scopes).filter((scope) => !told.has(scope as Scope))
  assert.deepEqual(alone, ['payments:write'])
})
