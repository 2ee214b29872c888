/** Recomputes loans from the responses that their parties get, and from nothing else. */
import assert from 'node:assert/strict'
import { callApi } from '../api-client.ts'
import type { TestOrganization } from '../fixtures.ts'
import { allPages } from '../http/all-pages.ts'
import type { TestService } from '../test-service.ts'
import type { SimulatedAgreement, SimulatedInvoice } from './loan-simulation.ts'

const cents = (amount: number): number => Math.round(amount * 100)
const sum = (amounts: readonly number[]): number => amounts.reduce((one, next) => one + next, 0)

/** What only one party may read, or reads under another name. */
const withoutOwn = (agreement: Record<string, unknown>): Record<string, unknown> => {
  const { role: _, pledged_document_id: __, ...shared } = agreement
  return shared
}

// oxlint-disable-next-line typescript/no-explicit-any -- responses
type Body = any

export const auditLoan = async (
  running: TestService,
  { id, borrower, lender, documents, invoice }: SimulatedAgreement,
): Promise<Body> => {
  const get = async (path: string, { key }: TestOrganization = borrower): Promise<Body> => {
    const reply = await callApi(running, 'GET', path, { key })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }
  const agreement = await get(`/v1/finance/agreements/${id}`)
  const theirs = await get(`/v1/finance/agreements/${id}`, lender)
  assert.deepEqual(withoutOwn(agreement), withoutOwn(theirs), 'both parties read one agreement')
  const { status, flag, terms, amount_owed, amount_repaid, closed_reason } = agreement

  const view = await get(`/v1/finance/agreements/${id}/repayment`)
  const total = cents(terms.total_repayable)
  const settled = sum(
    view.payments
      .filter((payment: Body) => payment.status === 'settled')
      .map(({ amount }: Body) => cents(amount)),
  )
  assert(settled <= total, `${settled} of ${total} is repaid`)
  assert(cents(amount_repaid) <= total)
  // A sandbox closes at once: what the bank returns afterwards is on the document alone.
  if (status !== 'closed') {
    assert.equal(cents(amount_repaid), settled, 'what was repaid has settled')
    const isFunded = agreement.funded_at !== null && cents(amount_owed) > 0
    if (isFunded) assert.equal(cents(amount_owed), total - settled)
  }
  if (closed_reason === 'repaid') assert.equal(cents(amount_repaid), total)
  if (closed_reason === null && cents(amount_owed) === 0 && cents(amount_repaid) === 0) {
    // All payments have ended, so that the lender is asked to pay: something must secure that.
    const collateral = await get(`/v1/documents/${invoice.id}`)
    assert(cents(collateral.balance_due) > 0, `${collateral.status} secures nothing`)
  }
  const triggers = new Set<string>()
  for (const sweep of view.sweeps) {
    assert(cents(sweep.amount) <= cents(sweep.proceeds), 'no more is swept than was paid')
    assert(!triggers.has(sweep.trigger_payment_id), 'one settlement is swept once')
    triggers.add(sweep.trigger_payment_id)
  }
  assert.equal(status === 'flagged', flag !== null && flag.cured_at === null && status !== 'closed')
  for (const [name, document] of Object.entries(documents)) {
    const own = await get(`/v1/documents/${document}`)
    assert.deepEqual(own.balance_due, (await get(`/v1/documents/${document}`, lender)).balance_due)
    if (name === 'agreement_id') assert.equal(own.status, status)
    for (const party of [borrower, lender]) {
      const history = await get(`/v1/documents/${document}/history`, party)
      assert.equal(history.verified, true)
    }
  }
  const events = await get(`/v1/events?document=${documents.agreement_id}&limit=100`, lender)
  // Each flag is told once, and so is every end.
  const told = events.data
    .map(({ type, data }: Body) => [type, data.flag?.code].join(' '))
    .filter((one: string) => /flagged|accepted|repaid|closed/.test(one))
  assert.equal(new Set(told).size, told.length, told.join())
  const payments = await get(`/v1/payments?document=${documents.disbursement_id}&limit=100`)
  const wasReturned = payments.data.some((payment: Body) => payment.status === 'returned')
  return { ...agreement, invoice: invoice.id, wasReturned }
}

/**
 * A pledge is held as long as the agreement is not over. It may also have ended if the disbursement
 * was returned after something was repaid, and has if nothing is left to be paid on the invoice.
 */
export const auditPledge = async (
  running: TestService,
  { id, trade }: SimulatedInvoice,
  agreements: readonly Body[],
): Promise<void> => {
  const { key } = trade.issuer
  const { body } = await callApi(running, 'GET', `/v1/documents/${id}`, { key })
  const isOpen = ({ status }: Body) => status !== 'closed' && status !== 'repaid'
  const open = agreements.filter((one) => one.invoice === id && isOpen(one))
  const secured = open.filter((one) => !one.wasReturned || one.amount_repaid === 0)
  assert(secured.length <= 1, 'a receivable is pledged once')
  const isPledged = body.pledge !== null && body.pledge.status !== 'released'
  const holder = isPledged ? open.find((one) => one.id === body.pledge.agreement_id) : undefined
  assert.equal(isPledged, holder !== undefined, JSON.stringify(body.pledge))
  if (secured.length === 1) assert.equal(holder, secured[0])
  else if (holder?.amount_owed === 0) assert(body.balance_due > 0, 'nothing secures it any more')
}

/** The balances add up from the transactions; returns what came in from outside, in cents. */
const auditTreasury = async (
  running: TestService,
  { key }: TestOrganization,
): Promise<{ posted: number; payments: Body[] }> => {
  const transactions = await allPages(running, key, '/v1/treasury/transactions?limit=100')
  const payments = await allPages(running, key, '/v1/payments?limit=100')
  const { body } = await callApi(running, 'GET', '/v1/treasury/balances', { key })
  const kinds = new Map(payments.map((payment) => [payment.id, payment.kind]))
  for (const { payment_id, payment_kind, type } of transactions) {
    assert.equal(payment_kind, payment_id === null ? null : kinds.get(payment_id))
    assert.equal(type.startsWith('sweep_'), payment_kind === 'sweep' && type !== 'return')
  }
  for (const balance of body.data) {
    const own = transactions.filter(({ account_id }) => account_id === balance.account_id)
    const moved = own.filter(({ status }) => status === 'posted')
    assert.equal(cents(balance.posted), sum(moved.map(({ amount }) => cents(amount))))
    assert.deepEqual([balance.pending_in, balance.pending_out], [0, 0])
  }
  return { posted: sum(body.data.map(({ posted }: Body) => cents(posted))), payments }
}

/** No money appears or disappears among the organizations, but what came from outside. */
export const auditMoney = async (
  running: TestService,
  organizations: readonly TestOrganization[],
): Promise<void> => {
  const books = await Promise.all(organizations.map((one) => auditTreasury(running, one)))
  const opening = 4 * 125_000_000
  const fromOutside = books
    .flatMap(({ payments }) => payments)
    .filter(({ direction, status, source_account_id }) => {
      const isOutside = /^acct_test/.test(source_account_id ?? '')
      return direction === 'outgoing' && status === 'settled' && isOutside
    })
  assert.equal(
    sum(books.map(({ posted }) => posted)),
    opening * organizations.length + sum(fromOutside.map(({ amount }) => cents(amount))),
  )
  const statuses = new Set(books.flatMap(({ payments }) => payments.map(({ status }) => status)))
  assert(statuses.isSubsetOf(new Set(['settled', 'failed', 'cancelled', 'returned'])))
}
