/**
 * One large advance of the clock ends where many small ones do: what falls due on its way finds the
 * day, the money and the documents that it would have found without the jump (domain 6). The tasks
 * of the service run beside the advances.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertServiceConsistent } from '../../support/database/consistency-auditor.ts'
import { inDays } from '../../support/dates.ts'
import { enableFinance, loansClient } from '../../support/finance/loans.ts'
import { type Pair, anOrganization, connectPair, move } from '../../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off', SANDBOX_STEP_MS: '1h' })
const loans = loansClient(running)
const { posted, found } = loans

const manual = { external_refs: { sandbox_scenario: 'manual' } }

const aPracticePair = async (): Promise<Pair> => {
  const me = await anOrganization(running)
  return connectPair(running, me, await anOrganization(running, { isDemo: true }))
}

const reversed = (pair: Pair): Pair => ({
  ...pair,
  issuer: pair.counterparty,
  counterparty: pair.issuer,
})

const advance = (pair: Pair, body: object) => posted(pair.issuer.key, '/v1/sandbox/clock', body)

const schedule = async (pair: Pair, id: string, days: number): Promise<void> => {
  const more = { scheduled_for: inDays(days) }
  const reply = await move(running, pair.counterparty.key, id, 'payment_scheduled', more)
  assert.equal(reply.status, 200, reply.text)
}

const priced = (unit_price: number) => ({
  ...manual,
  line_items: [{ description: 'Work', quantity: 1, unit_price, tax_rate: 0 }],
})

/** Of 92.25 in all, against an invoice of 100 that is due in six days, without days of grace. */
const aFundedLoan = async () => {
  const pair = await aPracticePair()
  const { issuer: borrower, counterparty: debtor } = pair
  for (const { key } of [borrower, debtor]) await enableFinance(running, key)
  const parties = { borrower, debtor, lender: debtor, trade: pair }
  const terms = { principal: 90, fee: { type: 'bps', value: 250 }, grace_days: 0 }
  const more = { terms, sandbox_scenario: 'silent' }
  const invoiceFields = { ...priced(100), due_date: inDays(6) }
  return { pair, borrower, agreement: await loans.funded(parties, more, invoiceFields) }
}

describe('domain 6: an advance over several due times', () => {
  test('a payment is made with the money that arrived before its day', async () => {
    const pair = await aPracticePair()
    const { issuer } = pair
    const { data } = await found(issuer.key, '/v1/treasury/balances?currency=USD')
    const most = Math.max(...data.map(({ available }: { available: number }) => available))
    const all = await anApprovedInvoice(running, reversed(pair), priced(most))
    assert.equal((await pay(running, issuer.key, all.id)).body.status, 'paid')
    const ids: string[] = []
    for (let day = 2; day < 10; day += 2) {
      const income = await anApprovedInvoice(running, pair, priced(1_000))
      const cost = await anApprovedInvoice(running, reversed(pair), priced(1_000))
      await schedule(reversed(pair), cost.id, day + 1)
      await schedule(pair, income.id, day)
      ids.push(income.id, cost.id)
    }
    await advance(pair, { advance_by: 'P20D' })
    const documents = ids.map((id) => found(issuer.key, `/v1/documents/${id}`))
    for (const { status } of await Promise.all(documents)) assert.equal(status, 'paid')
    await assertServiceConsistent(running)
  })

  test('a loan that was repaid on the due date was never overdue', async () => {
    const { pair, borrower, agreement } = await aFundedLoan()
    await schedule(pair, agreement.pledged_document_id, 6)
    await advance(pair, { advance_by: 'P20D' })
    const { status, closed_reason, flag } = await loans.agreementOf(borrower.key, agreement.id)
    assert.deepEqual([status, closed_reason, flag], ['closed', 'repaid', null])
    await assertServiceConsistent(running)
  })

  test('a loan is flagged for each cause at its own time', async () => {
    const { pair, borrower, agreement } = await aFundedLoan()
    const { id, documents, pledged_document_id } = agreement
    const note = await posted(borrower.key, `/v1/documents/${pledged_document_id}/convert`, {
      document_type: 'credit_note',
      ...priced(60),
    })
    await posted(borrower.key, `/v1/documents/${note.id}/issue`)
    await schedule(pair, pledged_document_id, 2)
    await advance(pair, { advance_by: 'P20D' })
    const path = `/v1/events?document=${documents.agreement_id}&limit=100`
    const { data } = await found(borrower.key, path)
    const flags = data
      .filter(({ type }: { type: string }) => type === 'finance.agreement.flagged')
      .map((event: { data: { flag: { code: string } } }) => event.data.flag.code)
    const inTurn = ['collateral_diluted', 'sweep_shortfall', 'repayment_overdue']
    assert.deepEqual(flags.toReversed(), inTurn)
    assert.equal((await loans.agreementOf(borrower.key, id)).amount_owed, 52.25)
    await assertServiceConsistent(running)
  })
})
