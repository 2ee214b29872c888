/**
 * Organizations that invoice each other and lend to each other at random, through the API. The
 * steps are data, so that a failing run can be shrunk and repeated.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Reply, callApi } from '../api-client.ts'
import { type TestOrganization, anOrganization, connectPair } from '../fixtures.ts'
import { anApprovedInvoice } from '../payments/approved-invoices.ts'
import type { TestService } from '../test-service.ts'
import { enableFinance } from './loans.ts'

/** The more often an action is named, the more often it happens. */
const actions = [
  ...(['loan', 'loan', 'loan', 'invoice', 'list', 'offer', 'offer', 'accept'] as const),
  ...(['fund', 'fund', 'fund', 'repay', 'pay invoice', 'pay invoice', 'schedule'] as const),
  ...(['cancel', 'dispute', 'resolve', 'reject', 'credit', 'simulate', 'end', 'wait'] as const),
] as const

export const arbitraryStep = fc.record({
  action: fc.constantFrom(...actions),
  /** Which of the latest invoices, listings, offers, agreements or payments. */
  at: fc.nat({ max: 11 }),
  /** Which organization, or which outcome. */
  by: fc.nat({ max: 11 }),
  percent: fc.integer({ min: 1, max: 100 }),
  source: fc.constantFrom(
    undefined,
    undefined,
    undefined,
    undefined,
    'acct_test_async',
    'acct_test_stuck',
    'acct_test_insufficient_funds',
    'acct_test_processor_down',
    'acct_test_return',
  ),
})
export type LoanStep = typeof arbitraryStep extends fc.Arbitrary<infer S> ? S : never

interface Trade {
  issuer: TestOrganization
  counterparty: TestOrganization
  connection: string
  connectionUuid: string
}

export interface SimulatedInvoice {
  id: string
  trade: Trade
}

export interface SimulatedAgreement {
  id: string
  borrower: TestOrganization
  lender: TestOrganization
  invoice: SimulatedInvoice
  documents: Record<'agreement_id' | 'disbursement_id' | 'repayment_id', string>
}

const dayMs = 86_400_000

export class LoanSimulation {
  readonly running: TestService
  readonly organizations: TestOrganization[] = []
  readonly invoices: SimulatedInvoice[] = []
  readonly agreements: SimulatedAgreement[] = []
  readonly #trades: Trade[] = []
  readonly #listings: { id: string; invoice: SimulatedInvoice }[] = []
  readonly #offers: {
    id: string
    digest: string
    lender: TestOrganization
    invoice: SimulatedInvoice
  }[] = []
  #sandboxNowMs = Date.now()

  private constructor(running: TestService) {
    this.running = running
  }

  /** All of them are connected to each other, and each borrows and lends. */
  static async start(running: TestService, count: number): Promise<LoanSimulation> {
    const simulation = new LoanSimulation(running)
    for (let i = 0; i < count; i += 1) {
      const organization = await anOrganization(running)
      await enableFinance(running, organization.key)
      for (const other of simulation.organizations) {
        const pair = await connectPair(running, organization, other)
        const reversed = { ...pair, issuer: other, counterparty: organization }
        simulation.#trades.push(pair, reversed)
      }
      simulation.organizations.push(organization)
    }
    return simulation
  }

  readonly #do: Record<LoanStep['action'], (step: LoanStep) => Promise<unknown>> = {
    /** From the invoice to the agreement in one go; the other actions do anything to it. */
    loan: async (step) => {
      const latestOnly = { ...step, at: 0 }
      for (const action of ['invoice', 'list', 'offer', 'accept'] as const) {
        await this.#do[action](latestOnly)
      }
    },
    invoice: async ({ at, by, percent }) => {
      const trade = this.#trades[(at + by) % this.#trades.length]!
      const unit_price = (percent * 12_345) / 100
      const line_items = [{ description: 'Work', quantity: 1, unit_price, tax_rate: 0 }]
      const { id } = await anApprovedInvoice(this.running, trade, { line_items })
      this.invoices.push({ id, trade })
    },
    list: async (step) => {
      const invoice = latest(this.invoices, step)
      if (invoice === undefined) return
      const { key } = invoice.trade.issuer
      const { body } = await callApi(this.running, 'GET', `/v1/documents/${invoice.id}`, { key })
      const principal = Math.max(0.01, Math.floor(body.balance_due * step.percent) / 100)
      const listing = await this.#post(key, '/v1/finance/listings', {
        document_id: invoice.id,
        terms: { principal, fee: { type: 'bps', value: step.by * 100 }, grace_days: step.at },
        notice: step.by % 2 === 0 ? 'disclosed' : 'undisclosed',
      })
      if (listing.status === 201) this.#listings.push({ id: listing.body.id, invoice })
    },
    offer: async (step) => {
      const listing = latest(this.#listings, step)
      if (listing === undefined) return
      const borrower = listing.invoice.trade.issuer
      const lenders = this.organizations.filter((one) => one !== borrower)
      const lender = lenders[step.by % lenders.length]!
      const path = `/v1/finance/listings/${listing.id}/offers`
      const { status, body } = await this.#post(lender.key, path, { kind: 'at_ask' })
      const { invoice } = listing
      if (status !== 201) return
      const { digest } = body.standing_authorization
      this.#offers.push({ id: body.id, digest, lender, invoice })
    },
    accept: async (step) => {
      const offer = latest(this.#offers, step)
      if (offer === undefined) return
      const { invoice, lender, digest } = offer
      const { issuer: borrower } = invoice.trade
      const path = `/v1/finance/offers/${offer.id}/accept`
      const { status, body } = await this.#post(borrower.key, path, {
        authorization_digest: digest,
      })
      if (status !== 201) return
      const { id, documents } = body.agreement
      this.agreements.push({ id, borrower, lender, invoice, documents })
    },
    fund: (step) =>
      this.#withAgreement(step, ({ lender, documents }) =>
        this.#pay(lender, documents.disbursement_id, step),
      ),
    repay: (step) =>
      this.#withAgreement(step, ({ id, borrower }) =>
        this.#post(borrower.key, `/v1/finance/agreements/${id}/repayment`, sourceOf(step)),
      ),
    'pay invoice': (step) =>
      this.#withInvoice(step, ({ id, trade }) => this.#pay(trade.counterparty, id, step)),
    schedule: (step) => {
      const body = {
        to: 'payment_scheduled',
        scheduled_for: new Date(this.#sandboxNowMs + (step.percent % 20) * dayMs)
          .toISOString()
          .slice(0, 10),
      }
      return this.#movePayable(step, body)
    },
    cancel: (step) => this.#movePayable(step, { to: 'approved' }),
    dispute: (step) =>
      this.#withInvoice(step, ({ id, trade }) => {
        const { key } = step.by % 2 === 0 ? trade.issuer : trade.counterparty
        return this.#post(key, `/v1/documents/${id}/transition`, { to: 'disputed' })
      }),
    resolve: (step) =>
      this.#withInvoice(step, ({ id, trade }) =>
        this.#post(trade.counterparty.key, `/v1/documents/${id}/transition`, { to: 'approved' }),
      ),
    reject: (step) =>
      this.#withInvoice(step, ({ id, trade }) => {
        const isIssuer = step.by % 2 === 0
        const { key } = isIssuer ? trade.issuer : trade.counterparty
        const to = isIssuer ? 'cancelled' : 'rejected'
        return this.#post(key, `/v1/documents/${id}/transition`, { to })
      }),
    credit: (step) =>
      this.#withInvoice(step, async ({ id, trade }) => {
        const { key } = trade.issuer
        const invoice = (await callApi(this.running, 'GET', `/v1/documents/${id}`, { key })).body
        const unit_price = Math.max(0.01, Math.floor(invoice.total * step.percent) / 100)
        const line_items = [{ description: 'Credit', quantity: 1, unit_price, tax_rate: 0 }]
        const path = `/v1/documents/${id}/convert`
        const note = await this.#post(key, path, { document_type: 'credit_note', line_items })
        if (note.status === 201) await this.#post(key, `/v1/documents/${note.body.id}/issue`)
      }),
    simulate: async (step) => {
      const { key } = this.organizations[step.by % this.organizations.length]!
      const { body } = await callApi(this.running, 'GET', '/v1/payments?limit=12', { key })
      const payment = body.data[step.at]
      if (payment === undefined) return
      const outcome = ['settle', 'fail', 'return'][step.percent % 3]
      await this.#post(key, `/v1/sandbox/payments/${payment.id}/simulate`, { outcome })
    },
    end: async (step) => {
      const offer = latest(this.#offers, step)
      const listing = latest(this.#listings, step)
      const kind = step.by % 4
      if (kind === 0) {
        return this.#withAgreement(step, ({ id, borrower, lender }) => {
          const { key } = step.percent % 2 === 0 ? borrower : lender
          return this.#post(key, `/v1/finance/agreements/${id}/withdraw`)
        })
      }
      if (kind === 1 && listing !== undefined) {
        const { key } = listing.invoice.trade.issuer
        return this.#post(key, `/v1/finance/listings/${listing.id}/withdraw`)
      }
      if (offer === undefined) return undefined
      const isDeclined = kind === 2
      const { key } = isDeclined ? offer.invoice.trade.issuer : offer.lender
      const move = isDeclined ? 'decline' : 'withdraw'
      return this.#post(key, `/v1/finance/offers/${offer.id}/${move}`)
    },
    wait: ({ percent }) => this.advanceClocks(percent * 2),
  }

  perform(step: LoanStep): Promise<unknown> {
    return this.#do[step.action](step)
  }

  /** Every payment follows the clock of its payer, so all of them move. */
  async advanceClocks(hours: number): Promise<void> {
    this.#sandboxNowMs += hours * 3_600_000
    for (const { key } of this.organizations) {
      await this.#post(key, '/v1/sandbox/clock', { advance_by: `PT${hours}H` })
    }
  }

  #withAgreement(
    step: LoanStep,
    act: (agreement: SimulatedAgreement) => Promise<unknown>,
  ): Promise<unknown> {
    const agreement = latest(this.agreements, step)
    return agreement === undefined ? Promise.resolve() : act(agreement)
  }

  /** One of the three documents of a loan that are paid, by who pays it. */
  #movePayable(step: LoanStep, body: object): Promise<unknown> {
    return this.#withAgreement(step, ({ borrower, lender, documents, invoice }) => {
      const [payer, id] = [
        [lender, documents.disbursement_id] as const,
        [borrower, documents.repayment_id] as const,
        [invoice.trade.counterparty, invoice.id] as const,
      ][step.by % 3]!
      return this.#post(payer.key, `/v1/documents/${id}/transition`, body)
    })
  }

  #withInvoice(
    step: LoanStep,
    act: (invoice: SimulatedInvoice) => Promise<unknown>,
  ): Promise<unknown> {
    const invoice = latest(this.invoices, step)
    return invoice === undefined ? Promise.resolve() : act(invoice)
  }

  #pay({ key }: TestOrganization, id: string, step: LoanStep): Promise<Reply> {
    return this.#post(key, `/v1/documents/${id}/pay`, sourceOf(step))
  }

  /** Expects success, or a refusal of the state. */
  async #post(key: string, path: string, body: object = {}): Promise<Reply> {
    const reply = await callApi(this.running, 'POST', path, { key, body })
    assert([200, 201, 400, 404, 409].includes(reply.status), `${path}: ${reply.text}`)
    return reply
  }
}

const sourceOf = ({ source }: LoanStep) =>
  source === undefined ? {} : { source_account_id: source }

const latest = <T>(all: readonly T[], { at }: LoanStep): T | undefined =>
  all[all.length - 1 - (at % Math.min(all.length, 6))]
