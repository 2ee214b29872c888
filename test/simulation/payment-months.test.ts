/**
 * Simulates months of two organizations: random bills, payments, schedules, failures, returns and
 * clock jumps; texts are erased, keys and members go, and an organization is suspended for a while.
 * Then an auditor recomputes every balance from API responses alone. `LONG=1` runs more
 * simulations; fast-check prints the seed of a failure.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertServiceConsistent } from '../support/database/consistency-auditor.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { Departures, departures } from '../support/simulation/departures.ts'
import { allPages } from '../support/http/all-pages.ts'
import { type TestOrganization, type Pair, aPair, move } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const runs = process.env['LONG'] === '1' ? 60 : 2

const sources = [
  undefined,
  undefined,
  undefined,
  'acct_test_ok',
  'acct_test_async',
  'acct_test_stuck',
  'acct_test_insufficient_funds',
  'acct_test_processor_down',
  'acct_test_return',
]
const billIndex = fc.nat({ max: 1_000 })
const arbitrarySide = fc.constantFrom(0, 1)
const arbitraryStep = fc.oneof(
  fc.record({
    action: fc.constant('bill' as const),
    side: arbitrarySide,
    amount: fc.integer({ min: 1, max: 40_000_000 }),
    currency: fc.constantFrom('USD', 'EUR'),
  }),
  fc.record({
    action: fc.constant('pay' as const),
    billIndex,
    source: fc.constantFrom(...sources),
  }),
  fc.record({ action: fc.constant('pay' as const), billIndex, source: fc.constant(undefined) }),
  fc.record({
    action: fc.constant('schedule' as const),
    billIndex,
    days: fc.integer({ min: 1, max: 40 }),
  }),
  fc.record({ action: fc.constant('cancel' as const), billIndex }),
  fc.record({
    action: fc.constant('simulate' as const),
    billIndex,
    outcome: fc.constantFrom('settle', 'fail', 'return'),
  }),
  fc.record({
    action: fc.constant('topup' as const),
    side: arbitrarySide,
    cents: fc.integer({ min: 1, max: 9_999 }),
  }),
  fc.record({
    action: fc.constant('depart' as const),
    billIndex,
    departure: fc.constantFrom(...departures),
  }),
  fc.record({ action: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 240 }) }),
)
type Step = typeof arbitraryStep extends fc.Arbitrary<infer S> ? S : never

interface Bill {
  id: string
  payer: TestOrganization
  notes: string
}

class PaymentSimulation {
  readonly #actors: readonly [TestOrganization, TestOrganization]
  readonly #pairs: readonly [Pair, Pair]
  readonly #bills: Bill[] = []
  readonly #departures = new Departures(running)
  #sandboxNow = Date.now()

  constructor(pair: Pair) {
    this.#actors = [pair.issuer, pair.counterparty]
    const reversed = { ...pair, issuer: pair.counterparty, counterparty: pair.issuer }
    this.#pairs = [pair, reversed]
  }

  async perform(step: Step): Promise<void> {
    if (step.action === 'bill') return this.#bill(step)
    if (step.action === 'topup') {
      const body = { currency: 'USD', amount: step.cents / 100 }
      return this.#expectDoneOrConflict(this.#post(this.#actors[step.side]!, '/topup', body))
    }
    if (step.action === 'wait') {
      this.#sandboxNow += step.hours * 3_600_000
      return this.#advanceClocks(`PT${step.hours}H`)
    }
    const bill = this.#bills[step.billIndex % Math.max(1, this.#bills.length)]
    if (bill === undefined) return
    const { id, payer } = bill
    if (step.action === 'depart') return this.#departures.perform(step.departure, bill)
    if (step.action === 'pay') {
      const body = step.source === undefined ? {} : { source_account_id: step.source }
      return this.#expectDoneOrConflict(pay(running, payer.key, id, { body }))
    }
    if (step.action === 'cancel')
      return this.#expectDoneOrConflict(move(running, payer.key, id, 'approved'))
    if (step.action === 'schedule') {
      const scheduled_for = new Date(this.#sandboxNow + step.days * 86_400_000)
        .toISOString()
        .slice(0, 10)
      return this.#expectDoneOrConflict(
        move(running, payer.key, id, 'payment_scheduled', { scheduled_for }),
      )
    }
    const { body } = await callApi(running, 'GET', `/v1/documents/${id}`, { key: payer.key })
    if (body.payment === null) return
    const path = `/payments/${body.payment.id}/simulate`
    await this.#expectDoneOrConflict(this.#post(payer, path, { outcome: step.outcome }))
  }

  async #bill({
    side: issuer,
    amount,
    currency,
  }: Extract<Step, { action: 'bill' }>): Promise<void> {
    const line = { description: 'Work', quantity: 1, unit_price: amount / 100, tax_rate: 0 }
    const pair = this.#pairs[issuer]!
    const notes = `Secret ${crypto.randomUUID()}`
    const more = { line_items: [line], currency, notes }
    const { id } = await anApprovedInvoice(running, pair, more)
    this.#bills.push({ id, payer: pair.counterparty, notes })
  }

  /** A payment follows the clock of its payer, so both move. */
  async #advanceClocks(advance_by: string): Promise<void> {
    for (const actor of this.#actors) {
      await this.#expectDoneOrConflict(this.#post(actor, '/clock', { advance_by }))
    }
  }

  #post(actor: TestOrganization, path: string, body: object): Promise<Reply> {
    return callApi(running, 'POST', `/v1/sandbox${path}`, { key: actor.key, body })
  }

  /** Expects success or a conflict. */
  async #expectDoneOrConflict(call: Promise<Reply>): Promise<void> {
    const { status, text } = await call
    assert([200, 201, 409].includes(status), text)
  }

  /** Lets pending payments finish, then audits the books of each side. */
  async assertBooksAgree(): Promise<void> {
    for (let i = 0; i < 3; i += 1) {
      await this.#advanceClocks('P45D')
    }
    const books = await Promise.all(this.#actors.map(audit))
    const [mine, theirs] = books.map(({ payments }) => payments)
    // Both sides show the same payments, amounts and outcomes.
    assert.deepEqual(mine, theirs)
    await this.#departures.assertGone(this.#actors)
  }
}

const cents = (amount: number): number => Math.round(amount * 100)
const sum = (amounts: number[]): number => amounts.reduce((one, next) => one + next, 0)

/** Checks from responses alone that balances, payments and documents agree to the cent. */
const audit = async (actor: TestOrganization): Promise<{ payments: unknown[] }> => {
  const [transactions, payments, documents] = await Promise.all([
    allPages(running, actor.key, '/v1/treasury/transactions?limit=100'),
    allPages(running, actor.key, '/v1/payments?limit=100'),
    allPages(running, actor.key, '/v1/documents?limit=100'),
  ])
  const { body } = await callApi(running, 'GET', '/v1/treasury/balances', { key: actor.key })
  for (const balance of body.data) {
    const own = transactions.filter((one) => one.account_id === balance.account_id)
    const posted = own.filter(({ status }) => status === 'posted')
    assert.equal(cents(balance.posted), sum(posted.map(({ amount }) => cents(amount))))
    assert.deepEqual([balance.pending_in, balance.pending_out], [0, 0])
    assert(own.every(({ status }) => status !== 'pending'))
    // Each running balance is an earlier balance plus the amount.
    const balances = new Set([0, ...posted.map((one) => cents(one.running_balance))])
    for (const { running_balance, amount } of posted) {
      assert(balances.has(cents(running_balance) - cents(amount)))
    }
  }
  for (const payment of payments) {
    const own = transactions.filter((one) => one.payment_id === payment.id)
    const moved = sum(
      own.filter(({ status }) => status === 'posted').map(({ amount }) => cents(amount)),
    )
    const isOutgoing = payment.direction === 'outgoing'
    const isExternal = isOutgoing && /^acct_test/.test(payment.source_account_id)
    const settled = payment.status === 'settled' && !isExternal ? cents(payment.amount) : 0
    assert.equal(moved, isOutgoing ? 0 - settled : settled, JSON.stringify([payment, own]))
    assert(['settled', 'failed', 'cancelled', 'returned'].includes(payment.status))
  }
  for (const document of documents) {
    const own = payments.filter((one) => one.document_id === document.id)
    const settled = sum(
      own.filter(({ status }) => status === 'settled').map(({ amount }) => cents(amount)),
    )
    assert.equal(cents(document.amount_paid), settled)
    assert.equal(cents(document.balance_due), cents(document.total) - settled)
    assert.equal(document.status, settled === 0 ? 'approved' : 'paid')
    assert.equal(document.payment?.id, own[0]?.id)
  }
  const summaries = payments.map(({ id, amount, status, currency }) => ({
    id,
    amount,
    status,
    currency,
  }))
  return { payments: summaries.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }
}

test(`in ${runs} simulations of months, every cent can be recomputed from the API`, async () => {
  const arbitrarySteps = fc.array(arbitraryStep, { minLength: 40, maxLength: 90 })
  await fc.assert(
    fc.asyncProperty(arbitrarySteps, async (steps) => {
      const simulation = new PaymentSimulation(await aPair(running))
      for (const step of steps) await simulation.perform(step)
      await simulation.assertBooksAgree()
    }),
    { numRuns: runs, endOnFailure: true },
  )
  await assertServiceConsistent(running)
})
