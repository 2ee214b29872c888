/** The invariants of the ledger over random transactions, and single rules (domain 4.4). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  type AccountBalances,
  type LedgerEntry,
  type LedgerTransaction,
  areEntriesOf,
  availableBalance,
  openTransaction,
  resolveTransaction,
  systemAccountId,
} from '../../src/core/payments/ledger.ts'

const account = (id: string): AccountBalances => ({
  id,
  posted: 0n,
  pending_debit: 0n,
  pending_credit: 0n,
  overdraft: 0n,
  version: 0n,
  last_posting: 0n,
})

const clearing = systemAccountId('test', 'simulator', 'clearing', 'USD')
const world = systemAccountId('test', 'simulator', 'world', 'USD')

/** An in-memory ledger that stores what the rules return. */
class ModelLedger {
  readonly accounts = new Map<string, AccountBalances>(
    ['a', 'b', 'c'].map((id) => [id, account(id)]),
  )
  readonly transactions = new Map<string, LedgerTransaction>()
  readonly entries: LedgerEntry[] = []
  #next = 0

  open(
    kind: LedgerTransaction['kind'],
    from: string,
    to: string,
    amount: bigint,
    phase: 'pending' | 'posted',
  ) {
    const own = this.accounts.get(from) ?? this.accounts.get(to) ?? null
    const id = `t${(this.#next += 1)}`
    const at = new Date(this.#next).toISOString()
    const transfer = { id, mode: 'test', currency: 'USD', paymentId: null, from, to, amount, at }
    const opened = openTransaction(
      { ...transfer, kind: kind as 'topup', reverses: null },
      own,
      phase,
    )
    this.transactions.set(id, opened.transaction)
    this.entries.push(...opened.entries)
    if (opened.account !== null) this.accounts.set(opened.account.id, opened.account)
    return id
  }

  resolve(id: string, outcome: 'posted' | 'voided'): void {
    const transaction = this.transactions.get(id)!
    const own = transaction.account_id === null ? null : this.accounts.get(transaction.account_id)!
    const resolved = resolveTransaction(transaction, own, outcome, new Date(0).toISOString())
    this.transactions.set(id, resolved.transaction)
    if (resolved.account !== null) this.accounts.set(resolved.account.id, resolved.account)
  }
}

const ids = fc.constantFrom('a', 'b', 'c')
const amount = fc.bigInt({ min: 1n, max: 10_000n })
const arbitraryStep = fc.oneof(
  fc.record({ does: fc.constant('topup' as const), to: ids, amount }),
  fc.record({ does: fc.constant('pay' as const), from: ids, to: ids, amount, later: fc.boolean() }),
  fc.record({ does: fc.constant('resolve' as const), nth: fc.nat(), settles: fc.boolean() }),
  fc.record({ does: fc.constant('return' as const), nth: fc.nat() }),
)

describe('domain 4.4: invariants over random transactions', () => {
  test('(1) (2) (3) (4) (7) all sums balance, clearing is zero, and only a return overdraws an account', () => {
    fc.assert(
      fc.property(fc.array(arbitraryStep, { maxLength: 60 }), (steps) => {
        const books = new ModelLedger()
        const pending: [string, string][] = []
        const settled: { from: string; to: string; amount: bigint }[] = []
        const returned = new Set<string>()
        for (const step of steps) {
          if (step.does === 'topup') books.open('topup', world, step.to, step.amount, 'posted')
          if (step.does === 'pay') {
            const { from, to, amount: sum, later } = step
            if (from === to || availableBalance(books.accounts.get(from)!) < sum) continue
            const phase = later ? 'pending' : 'posted'
            const out = books.open('payment_out', from, clearing, sum, phase)
            const into = books.open('payment_in', clearing, to, sum, phase)
            if (later) pending.push([out, into])
            else settled.push({ from, to, amount: sum })
          }
          if (step.does === 'resolve' && pending.length > 0) {
            const [pair] = pending.splice(step.nth % pending.length, 1)
            for (const id of pair!) books.resolve(id, step.settles ? 'posted' : 'voided')
          }
          if (step.does === 'return' && settled.length > 0) {
            const [payment] = settled.splice(step.nth % settled.length, 1)
            returned.add(payment!.to)
            books.open('return', payment!.to, clearing, payment!.amount, 'posted')
            books.open('return', clearing, payment!.from, payment!.amount, 'posted')
          }
          assertBalanced(books, returned)
        }
      }),
      { numRuns: process.env['LONG'] === '1' ? 5_000 : 300 },
    )
  })
})

const signed = ({ side, amount: sum }: LedgerEntry) => (side === 'credit' ? sum : -sum)

const assertBalanced = (
  { accounts, transactions, entries }: ModelLedger,
  returned: Set<string>,
): void => {
  const statusOf = (entry: LedgerEntry) => transactions.get(entry.tx_id)!.status
  const sum = (holds: (entry: LedgerEntry) => boolean, value = signed) =>
    entries.filter(holds).reduce((all, entry) => all + value(entry), 0n)
  for (const { id, amount: moved } of transactions.values()) {
    assert.equal(
      sum((entry) => entry.tx_id === id),
      0n,
    )
    assert.equal(entries.filter((entry) => entry.tx_id === id).length, 2)
    assert(moved !== 0n)
  }
  for (const [id, balances] of accounts) {
    const own = (status: string, side?: string) => (entry: LedgerEntry) =>
      entry.account_id === id && statusOf(entry) === status && (side ?? entry.side) === entry.side
    assert.equal(balances.posted, sum(own('posted')))
    assert.equal(
      balances.pending_debit,
      sum(own('pending', 'debit'), (entry) => entry.amount),
    )
    assert.equal(
      balances.pending_credit,
      sum(own('pending', 'credit'), (entry) => entry.amount),
    )
    assert(availableBalance(balances) >= -balances.overdraft!)
    if (!returned.has(id)) assert(availableBalance(balances) >= 0n && balances.overdraft === 0n)
  }
  for (const status of ['posted', 'pending']) {
    const cleared = sum((entry) => entry.account_id === clearing && statusOf(entry) === status)
    assert.equal(cleared, 0n)
  }
  assert.equal(
    sum(() => true),
    0n,
  )
}

describe('domain 4.4: opening a transaction', () => {
  test('a return overdraws an account, what comes in takes that back, and no payment adds to it', () => {
    const books = new ModelLedger()
    const shown = () => {
      const own = books.accounts.get('a')!
      return [availableBalance(own), own.overdraft]
    }
    books.open('topup', world, 'a', 5n, 'posted')
    books.open('payment_out', 'a', clearing, 5n, 'posted')
    books.open('return', 'a', clearing, 3n, 'posted')
    assert.deepEqual(shown(), [-3n, 3n])
    books.open('topup', world, 'a', 2n, 'posted')
    assert.deepEqual(shown(), [-1n, 1n])
    // PostgreSQL refuses what is below the overdraft.
    books.open('payment_out', 'a', clearing, 4n, 'pending')
    assert.deepEqual(shown(), [-5n, 1n])
    books.open('topup', world, 'a', 9n, 'posted')
    assert.deepEqual(shown(), [4n, 0n])
  })

  test('it moves the balance of an account at one of its ends', () => {
    const transfer = {
      id: 't',
      mode: 'test',
      currency: 'USD',
      paymentId: null,
      from: world,
      to: 'a',
    }
    const rest = {
      kind: 'topup',
      amount: 1n,
      at: new Date(0).toISOString(),
      reverses: null,
    } as const
    const other = account('b')
    assert.throws(() => openTransaction({ ...transfer, ...rest }, other, 'posted'), RangeError)
  })
})

describe('domain 4.4: resolving a transaction', () => {
  test('a transaction is resolved only once and moves more than nothing', () => {
    const books = new ModelLedger()
    books.open('topup', world, 'a', 10n, 'posted')
    const id = books.open('payment_out', 'a', clearing, 4n, 'pending')
    assert.equal(availableBalance(books.accounts.get('a')!), 6n)
    books.resolve(id, 'voided')
    assert.equal(availableBalance(books.accounts.get('a')!), 10n)
    assert.throws(() => books.resolve(id, 'posted'), RangeError)
    assert.throws(() => books.open('topup', world, 'a', 0n, 'posted'), RangeError)
  })

  test('balances and the chain of postings follow the order of posting, not of opening', () => {
    const books = new ModelLedger()
    books.open('topup', world, 'a', 10n, 'posted')
    const slow = books.open('payment_out', 'a', clearing, 3n, 'pending')
    books.open('payment_out', 'a', clearing, 4n, 'posted')
    books.resolve(slow, 'posted')
    const shown = [...books.transactions.values()].map(({ running_balance }) => running_balance)
    assert.deepEqual(shown, [10n, 3n, 6n])
    const chain = [...books.transactions.values()].map((one) => [
      one.posted_version,
      one.previous_posting,
    ])
    assert.deepEqual(chain, [
      [1n, 0n],
      [4n, 3n],
      [3n, 1n],
    ])
    assert.equal(books.accounts.get('a')!.last_posting, 4n)
  })
})

test('a transaction has the two entries that it says, and none besides', () => {
  const transfer = { id: 't1', mode: 'test', currency: 'USD', paymentId: null, amount: 500n }
  const opened = openTransaction(
    {
      ...transfer,
      kind: 'topup',
      from: world,
      to: 'a',
      at: new Date(0).toISOString(),
      reverses: null,
    },
    account('a'),
    'posted',
  )
  const entries = [`credit a test USD 500`, `debit ${world} test USD 500`]
  assert(areEntriesOf(opened.transaction, entries))
  const others = [
    [...entries, 'debit z test USD 1'],
    entries.slice(0, 1),
    [],
    ['credit a test USD 501', entries[1]!],
    [entries[0]!, `debit ${clearing} test USD 500`],
    [`credit ${world} test USD 500`, 'debit a test USD 500'],
  ]
  for (const wrong of others) assert(!areEntriesOf(opened.transaction, wrong), wrong.join())
})
