/** Which invoices secure a loan, within which bounds, and what follows from the terms. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addDays } from '../../../src/core/dates.ts'
import type { Reply } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import {
  type LoanParties,
  askedTerms,
  enableFinance,
  loanParties,
  loansClient,
  setToNoon,
} from '../../support/finance/loans.ts'
import { anInvoice, move } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, post, found } = loans
const parties = await loanParties(running)
const { borrower, debtor, lender } = parties

const dayMs = 86_400_000

const advance = ({ key }: { key: string }, advance_by: string) =>
  posted(key, '/v1/sandbox/clock', { advance_by })

const list = (document_id: string, more: object = {}, { key } = borrower): Promise<Reply> =>
  post(key, '/v1/finance/listings', { document_id, terms: askedTerms, ...more })

/** The reason of a conflict, the problem of a request, the code of another refusal, or `done`. */
const outcomeOf = ({ status, body }: Reply): string => {
  if (status < 300) return 'done'
  const { code, details } = body.error
  const problem = details?.errors?.[0]
  return problem === undefined ? (details?.reason ?? code) : `${problem.param} ${problem.code}`
}

const pay = (key: string, id: string, body: object = {}) =>
  posted(key, `/v1/documents/${id}/pay`, body)

const credit = async (invoice: string, unit_price: number): Promise<void> => {
  const line_items = [{ description: 'Damaged', quantity: 1, unit_price, tax_rate: 0 }]
  const body = { document_type: 'credit_note', line_items }
  const { id } = await posted(borrower.key, `/v1/documents/${invoice}/convert`, body)
  await posted(borrower.key, `/v1/documents/${id}/issue`)
}

/** What happens to an approved invoice of 12,500.00 before it is listed for 10,000.00. */
const invoices: readonly (readonly [string, string, (id: string) => Promise<unknown>])[] = [
  ['approved', 'done', async () => {}],
  ['disputed', 'not_payable', (id) => move(running, debtor.key, id, 'disputed')],
  ['paid', 'not_payable', (id) => pay(debtor.key, id)],
  [
    'scheduled to be paid',
    'payment_in_progress',
    (id) => {
      const later = { scheduled_for: inDays(4) }
      return move(running, debtor.key, id, 'payment_scheduled', later)
    },
  ],
  [
    'being paid',
    'payment_in_progress',
    (id) => pay(debtor.key, id, { source_account_id: 'acct_test_stuck' }),
  ],
  ['credited to the principal', 'done', (id) => credit(id, 2_500)],
  ['credited below the principal', '/terms/principal out_of_range', (id) => credit(id, 2_500.01)],
  ['listed', 'already_pledged', (id) => list(id)],
]

describe('domain 5.1: whether an invoice secures a loan', () => {
  for (const [what, expected, prepare] of invoices) {
    test(`one that is ${what}: ${expected}`, async () => {
      const { id } = await loans.invoice(parties)
      await prepare(id)
      assert.equal(outcomeOf(await list(id)), expected)
    })
  }

  test('one that is pledged does not, until the pledge is released', async () => {
    const { agreement } = await loans.accepted(parties)
    const { id, pledged_document_id: invoice } = agreement
    assert.equal(outcomeOf(await list(invoice)), 'already_pledged')
    await posted(borrower.key, `/v1/finance/agreements/${id}/withdraw`)
    assert.equal(outcomeOf(await list(invoice)), 'done')
  })

  test('one that is not approved yet does not', async () => {
    const { id } = await anInvoice(running, parties.trade)
    assert.equal(outcomeOf(await list(id)), 'not_payable')
    await move(running, debtor.key, id, 'acknowledged')
    assert.equal(outcomeOf(await list(id)), 'not_payable')
  })

  test('only an invoice does, and only for its issuer', async () => {
    const { id } = await loans.invoice(parties)
    const { agreement } = await loans.accepted(parties)
    const { disbursement_id, repayment_id } = agreement.documents
    for (const document of [disbursement_id, repayment_id]) {
      assert.equal(outcomeOf(await list(document)), '/document_id invalid_value')
    }
    await enableFinance(running, debtor.key)
    assert.equal(outcomeOf(await list(id, {}, debtor)), '/document_id invalid_value')
    assert.equal(outcomeOf(await list(id, {}, lender)), 'not_found')
  })

  test('one is not too late on its due date, and is the day after', async () => {
    const others = await loanParties(running)
    await setToNoon(running, others)
    const { id } = await loans.invoice(others)
    await advance(others.borrower, 'P31D')
    assert.equal(outcomeOf(await list(id, {}, others.borrower)), 'terms_date_past')
    const today = await loanParties(running)
    await setToNoon(running, today)
    const due = await loans.invoice(today)
    await advance(today.borrower, 'P30D')
    assert.equal(outcomeOf(await list(due.id, {}, today.borrower)), 'done')
  })
})

test('domain 5.2: only a sandbox plays scenarios', async () => {
  const live = await loanParties(running, 'live')
  const { id } = await loans.invoice(live)
  const played = await list(id, { sandbox_scenario: 'silent' }, live.borrower)
  assert.equal(outcomeOf(played), '/sandbox_scenario invalid_value')
  assert.equal(outcomeOf(await list(id, {}, live.borrower)), 'done')
})

test('domain 5.2: a lender sees the open listings of borrowers to whom it is connected', async () => {
  const others = await loanParties(running)
  const { id } = await loans.listed(others)
  const path = `/v1/finance/listings/${id}`
  const seen = await found(others.lender.key, path)
  const { currency, balance_due, status } = seen.collateral
  assert.deepEqual([currency, balance_due, status], ['USD', 12_500, 'approved'])
  assert.deepEqual(Object.keys(seen.collateral), ['currency', 'balance_due', 'due_date', 'status'])
  assert.deepEqual([seen.role, 'document_id' in seen], ['lender', false])
  assert.equal(outcomeOf(await loans.get(lender.key, path)), 'not_found')
  assert.equal(outcomeOf(await post(lender.key, `${path}/offers`, { kind: 'at_ask' })), 'not_found')
  const { data } = await found(others.lender.key, '/v1/connections')
  const { session } = others.lender
  await posted(session, `/v1/connections/${data[0].id}/end`)
  assert.equal(outcomeOf(await loans.get(others.lender.key, path)), 'not_found')
})

test('domain 5.1: whoever reads a listing by an earlier offer is told that the connection has ended', async () => {
  const { lender: former, ...others } = await loanParties(running)
  const { id } = await loans.listed({ lender: former, ...others })
  const path = `/v1/finance/listings/${id}`
  await posted(former.key, `${path}/offers`, { kind: 'at_ask' })
  const { data } = await found(former.key, '/v1/connections')
  await posted(former.session, `/v1/connections/${data[0].id}/end`)
  assert.equal((await found(former.key, path)).status, 'open')
  const again = await post(former.key, `${path}/offers`, { kind: 'at_ask' })
  assert.equal(outcomeOf(again), 'connection_not_active')
})

const terms = (more: object) => ({ terms: { ...askedTerms, ...more } })
const bps = (value: number) => terms({ fee: { type: 'bps', value } })

const bounds: readonly (readonly [object, string])[] = [
  [terms({ grace_days: 0 }), 'done'],
  [terms({ grace_days: 90 }), 'done'],
  [terms({ grace_days: 91 }), '/terms/grace_days out_of_range'],
  [terms({ grace_days: -1 }), '/terms/grace_days out_of_range'],
  [terms({ grace_days: 1.5 }), '/terms/grace_days wrong_type'],
  [bps(0), 'done'],
  [bps(10_000), 'done'],
  [bps(10_001), '/terms/fee/value out_of_range'],
  [bps(-1), '/terms/fee/value out_of_range'],
  [bps(1.5), '/terms/fee/value out_of_range'],
  [terms({ principal: 12_500 }), 'done'],
  [terms({ principal: 12_500.01 }), '/terms/principal out_of_range'],
  [terms({ principal: 0.01 }), 'done'],
]

describe('domain 5.2: the bounds of terms', () => {
  for (const [more, expected] of bounds) {
    test(`${JSON.stringify(more)}: ${expected}`, async () => {
      const { id } = await loans.invoice(parties)
      assert.equal(outcomeOf(await list(id, more)), expected)
    })
  }
})

const fees = [
  [1_000, 250, 25] as const,
  [1_234.56, 175, 21.6] as const,
  [333.33, 125, 4.17] as const,
  [0.4, 125, 0.01] as const,
  [100.2, 250, 2.51] as const,
] as const

test('domain 5.2: what follows from the terms', async () => {
  for (const [principal, value, fee_amount] of fees) {
    const fee = { type: 'bps', value }
    const { id, due_date } = await loans.invoice(parties)
    const { body } = await list(id, terms({ principal, fee, grace_days: 90 }))
    assert.deepEqual(body.terms, {
      principal,
      fee,
      grace_days: 90,
      currency: 'USD',
      fee_amount,
      total_repayable: Math.round((principal + fee_amount) * 100) / 100,
      due_date,
      flag_after: addDays(due_date, 90),
    })
  }
})

const after = (days: number, more = 0): string =>
  new Date(Date.now() + days * dayMs + more).toISOString()

const daysUntil = ({ created_at, expires_at }: Record<string, string>): number =>
  Math.round((Date.parse(expires_at!) - Date.parse(created_at!)) / dayMs)

test('domain 5.2: a listing lasts 14 days, or as long as is asked for, up to 60', async () => {
  assert.equal(daysUntil(await loans.listed(parties)), 14)
  const hourMs = 3_600_000
  const expires_at = after(60, -hourMs)
  assert.equal((await loans.listed(parties, { expires_at })).expires_at, expires_at)
  for (const wrong of [after(60, hourMs), after(0, -hourMs), inDays(0)]) {
    const { id } = await loans.invoice(parties)
    assert.equal(outcomeOf(await list(id, { expires_at: wrong })), '/expires_at out_of_range')
  }
})

/** The clock stands on the day that is named, and what is owed is past due for that long. */
const daysPastDue = async ({ borrower: { key } }: LoanParties, id: string): Promise<number> =>
  (await found(key, `/v1/finance/agreements/${id}/repayment`)).days_past_due

test('domain 5.2: days past due are counted from the due date, while something is owed', async () => {
  const others = await loanParties(running)
  await setToNoon(running, others)
  const { agreement } = await loans.accepted(others)
  const { id, documents } = agreement
  await advance(others.borrower, 'P30D')
  assert.equal(await daysPastDue(others, id), 0, 'the due date')
  await advance(others.borrower, 'P2D')
  assert.equal(await daysPastDue(others, id), 0, 'nothing is owed before the funding')
  await pay(others.lender.key, documents.disbursement_id)
  assert.equal(await daysPastDue(others, id), 2)
  await advance(others.borrower, 'P8D')
  assert.equal(await daysPastDue(others, id), 10)
  await posted(others.borrower.key, `/v1/finance/agreements/${id}/repayment`)
  assert.equal(await daysPastDue(others, id), 0, 'everything is repaid')
})

test('domain 5.2: an agreement and its repayment say when, of what and how much', async () => {
  const { agreement } = await loans.accepted(parties)
  const { id, documents, pledged_document_id: invoice } = agreement
  assert.equal(
    Date.parse(agreement.funding_deadline) - Date.parse(agreement.accepted_at),
    5 * dayMs,
  )
  assert.deepEqual(
    [agreement.funded_at, agreement.repaid_at, agreement.closed_at, agreement.flag],
    [null, null, null, null],
  )
  await pay(lender.key, documents.disbursement_id)
  const { payment, due_date } = await pay(debtor.key, invoice)
  const closed = await loans.agreementOf(lender.key, id)
  const times = ['accepted_at', 'funded_at', 'repaid_at', 'closed_at', 'updated_at'] as const
  const at = times.map((name) => closed[name] as string)
  assert.deepEqual(at, at.toSorted())
  assert.deepEqual(closed.pledge, { currency: 'USD', balance_due: 0, due_date, status: 'paid' })
  const view = await found(lender.key, `/v1/finance/agreements/${id}/repayment`)
  const { payments, sweeps, ...rest } = view
  assert.deepEqual(rest, {
    agreement_id: id,
    document_id: documents.repayment_id,
    principal: 10_000,
    fee_amount: 250,
    total_repayable: 10_250,
    amount_repaid: 10_250,
    amount_in_flight: 0,
    amount_owed: 0,
    due_date,
    flag_after: addDays(due_date, 7),
    days_past_due: 0,
  })
  assert.deepEqual(
    payments.map(({ kind, status }: Record<string, unknown>) => [kind, status]),
    [['sweep', 'settled']],
  )
  assert.deepEqual(sweeps, [
    {
      payment_id: payments[0].id,
      trigger_payment_id: payment.id,
      proceeds: 12_500,
      amount: 10_250,
      status: 'settled',
    },
  ])
})
