/** The life of a loan in the sandbox, with three organizations (domain 5.4). */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { move } from '../../support/fixtures.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { until } from '../../support/until.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const loans = loansClient(running)
const { posted, post, found, get, agreementOf, documentOf, eventTypesOf } = loans
const parties = await loanParties(running)
const { borrower, debtor, lender } = parties

test('domain 5.4: a loan is offered, accepted, funded, swept and closed', async () => {
  const offer = await loans.offered(parties)
  assert.deepEqual(offer.terms.total_repayable, 10_250)
  const authorization = await get(lender.key, `/v1/finance/offers/${offer.id}/authorization`)
  const digest = `sha256:${hash('sha256', authorization.text)}`
  assert.equal(offer.standing_authorization.digest, digest)
  const body = loans.acceptanceOf(offer)
  const { agreement, documents } = await posted(
    borrower.key,
    `/v1/finance/offers/${offer.id}/accept`,
    body,
  )
  assert.equal(agreement.status, 'accepted')
  assert.deepEqual(
    [documents.agreement, documents.disbursement, documents.repayment].map((one) => [
      one.document_type,
      one.status,
      one.total,
      one.number.slice(0, 4),
    ]),
    [
      ['agreement', 'accepted', 10_250, 'FIN-'],
      ['disbursement', 'approved', 10_000, 'DSB-'],
      ['repayment', 'submitted', 10_250, 'RPY-'],
    ],
  )
  const invoice = agreement.pledged_document_id
  const pledged = await documentOf(borrower.key, invoice)
  assert.equal(pledged.pledge.agreement_id, agreement.id)
  assert.equal('pledge' in (await documentOf(debtor.key, invoice)), false)
  assert.equal((await get(lender.key, `/v1/documents/${invoice}`)).status, 404)

  await posted(lender.key, `/v1/documents/${agreement.documents.disbursement_id}/pay`)
  const funded = await agreementOf(lender.key, agreement.id)
  assert.deepEqual([funded.status, funded.amount_owed], ['funded', 10_250])
  assert.equal('pledged_document_id' in funded, false)
  const payable = await documentOf(borrower.key, agreement.documents.repayment_id)
  assert.deepEqual([payable.status, payable.payable], ['approved', true])

  const paid = await posted(debtor.key, `/v1/documents/${invoice}/pay`)
  assert.deepEqual([paid.status, paid.balance_due], ['paid', 0])
  const closed = await agreementOf(borrower.key, agreement.id)
  assert.deepEqual(
    [closed.status, closed.closed_reason, closed.amount_repaid, closed.amount_owed],
    ['closed', 'repaid', 10_250, 0],
  )
  const repayment = await found(lender.key, `/v1/finance/agreements/${agreement.id}/repayment`)
  assert.deepEqual(
    repayment.sweeps.map(({ proceeds, amount, status }: Record<string, unknown>) => [
      proceeds,
      amount,
      status,
    ]),
    [[12_500, 10_250, 'settled']],
  )
  for (const { key } of [borrower, lender]) {
    const types = await eventTypesOf(key, agreement.documents.agreement_id)
    assert.deepEqual(
      types.filter((type) => type.startsWith('finance')),
      ['accepted', 'funded', 'repaid', 'closed'].map((name) => `finance.agreement.${name}`),
    )
    for (const id of Object.values(agreement.documents)) {
      const history = await found(key, `/v1/documents/${String(id)}/history`)
      assert.equal(history.verified, true)
      assert.equal((await get(key, `/v1/documents/${String(id)}/export`)).status, 200)
    }
  }
  for (const { key } of [borrower, debtor]) {
    assert.equal((await found(key, `/v1/documents/${invoice}/history`)).verified, true)
    assert.equal((await get(key, `/v1/documents/${invoice}/export`)).status, 200)
    assert.equal((await get(key, `/v1/documents/${invoice}/lineage`)).status, 200)
  }
})

test('domain 5.4: a sweep that does not suffice is flagged; the borrower pays the rest', async () => {
  const { id, documents, pledged_document_id: invoice } = await loans.funded(parties)
  const note = await posted(borrower.key, `/v1/documents/${invoice}/convert`, {
    document_type: 'credit_note',
    line_items: [{ description: 'Damaged', quantity: 1, unit_price: 4_000, tax_rate: 0 }],
  })
  await posted(borrower.key, `/v1/documents/${note.id}/issue`)
  const diluted = await agreementOf(lender.key, id)
  assert.deepEqual([diluted.status, diluted.flag.code], ['flagged', 'collateral_diluted'])
  await posted(debtor.key, `/v1/documents/${invoice}/pay`)
  const flagged = await agreementOf(lender.key, id)
  assert.deepEqual(
    [flagged.status, flagged.flag.code, flagged.amount_owed, flagged.amount_repaid],
    ['flagged', 'sweep_shortfall', 1_750, 8_500],
  )
  assert.equal((await documentOf(borrower.key, documents.repayment_id)).status, 'approved')
  const repaid = await posted(borrower.key, `/v1/finance/agreements/${id}/repayment`)
  assert.deepEqual([repaid.amount_owed, repaid.amount_repaid], [0, 10_250])
  assert.equal((await agreementOf(lender.key, id)).status, 'closed')
})

test('domain 5.4: what the borrower has repaid is not swept', async () => {
  const { id, pledged_document_id: invoice } = await loans.funded(parties)
  await posted(borrower.key, `/v1/finance/agreements/${id}/repayment`)
  assert.equal((await documentOf(borrower.key, invoice)).pledge.status, 'released')
  await posted(debtor.key, `/v1/documents/${invoice}/pay`)
  const { sweeps } = await found(borrower.key, `/v1/finance/agreements/${id}/repayment`)
  assert.deepEqual(sweeps, [])
})

test('domain 5.4: a scheduled repayment is cancelled by the sweep', async () => {
  const { id, documents, pledged_document_id: invoice } = await loans.funded(parties)
  const scheduled_for = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
  const more = { scheduled_for }
  const scheduled = await move(
    running,
    borrower.key,
    documents.repayment_id,
    'payment_scheduled',
    more,
  )
  assert.equal(scheduled.status, 200, scheduled.text)
  await posted(debtor.key, `/v1/documents/${invoice}/pay`)
  const view = await found(borrower.key, `/v1/finance/agreements/${id}/repayment`)
  assert.deepEqual(
    view.payments.map(({ kind, status }: Record<string, unknown>) => [kind, status]),
    [
      ['repayment', 'cancelled'],
      ['sweep', 'settled'],
    ],
  )
})

test('domain 5.4: a repayment under way covers the sweep; if it fails, that is a shortfall', async () => {
  const { id, pledged_document_id: invoice } = await loans.funded(parties)
  const source = { source_account_id: 'acct_test_stuck' }
  const repaying = await posted(borrower.key, `/v1/finance/agreements/${id}/repayment`, source)
  assert.equal(repaying.amount_in_flight, 10_250)
  await posted(debtor.key, `/v1/documents/${invoice}/pay`)
  const view = await found(borrower.key, `/v1/finance/agreements/${id}/repayment`)
  assert.deepEqual(view.sweeps, [])
  const [payment] = view.payments
  await posted(borrower.key, `/v1/sandbox/payments/${payment.id}/simulate`, { outcome: 'fail' })
  const flagged = await agreementOf(borrower.key, id)
  assert.deepEqual([flagged.status, flagged.flag.code], ['flagged', 'sweep_shortfall'])
})

test('domain 5.4: collateral that settles before funding closes the agreement', async () => {
  const { agreement } = await loans.accepted(parties)
  await posted(debtor.key, `/v1/documents/${agreement.pledged_document_id}/pay`)
  const closed = await agreementOf(lender.key, agreement.id)
  assert.deepEqual([closed.status, closed.closed_reason], ['closed', 'collateral_settled'])
  assert.deepEqual([closed.pledge.status, closed.pledge.balance_due], ['paid', 0])
  for (const id of [agreement.documents.disbursement_id, agreement.documents.repayment_id]) {
    assert.equal((await documentOf(lender.key, id)).status, 'cancelled')
  }
})

test('domain 5.4: a disbursement under way is awaited when the collateral settles', async () => {
  const { agreement } = await loans.accepted(parties)
  const stuck = { source_account_id: 'acct_test_stuck' }
  const path = `/v1/documents/${agreement.documents.disbursement_id}/pay`
  const { payment } = await posted(lender.key, path, stuck)
  await posted(debtor.key, `/v1/documents/${agreement.pledged_document_id}/pay`)
  assert.equal((await agreementOf(lender.key, agreement.id)).status, 'accepted')
  await posted(lender.key, `/v1/sandbox/payments/${payment.id}/simulate`, { outcome: 'settle' })
  const funded = await agreementOf(lender.key, agreement.id)
  assert.deepEqual([funded.status, funded.flag.code], ['flagged', 'sweep_shortfall'])
})

test('domain 5.4: proceeds that are returned leave the sweep and flag the agreement', async () => {
  const { id, pledged_document_id: invoice } = await loans.funded(parties)
  const note = await posted(borrower.key, `/v1/documents/${invoice}/convert`, {
    document_type: 'credit_note',
    line_items: [{ description: 'Damaged', quantity: 1, unit_price: 4_000, tax_rate: 0 }],
  })
  await posted(borrower.key, `/v1/documents/${note.id}/issue`)
  const { payment } = await posted(debtor.key, `/v1/documents/${invoice}/pay`)
  await posted(debtor.key, `/v1/sandbox/payments/${payment.id}/simulate`, { outcome: 'return' })
  const flagged = await agreementOf(borrower.key, id)
  assert.deepEqual(
    [flagged.status, flagged.flag.code, flagged.amount_repaid],
    ['flagged', 'proceeds_returned', 8_500],
  )
})

test('domain 5.4: a sweep that fails is flagged and not tried again', async () => {
  const { id, documents, pledged_document_id: invoice } = await loans.funded(parties)
  const returning = await loans.invoice(parties)
  const { payment } = await posted(debtor.key, `/v1/documents/${returning.id}/pay`)
  await spendEverything()
  await posted(debtor.key, `/v1/sandbox/payments/${payment.id}/simulate`, { outcome: 'return' })
  await posted(debtor.key, `/v1/documents/${invoice}/pay`)
  await posted(borrower.key, '/v1/sandbox/clock', { advance_by: 'PT10S' })
  const hasFailed = async () => (await agreementOf(lender.key, id)).flag?.code === 'sweep_failed'
  await until('the sweep fails', hasFailed)
  const flagged = await agreementOf(lender.key, id)
  assert.deepEqual([flagged.status, flagged.amount_owed], ['flagged', 10_250])
  await posted(borrower.key, '/v1/sandbox/topup', { currency: 'USD', amount: 1_000_000 })
  const { sweeps } = await found(lender.key, `/v1/finance/agreements/${id}/repayment`)
  assert.equal(sweeps.length, 1)
  await posted(borrower.key, `/v1/documents/${documents.repayment_id}/pay`)
  assert.equal((await agreementOf(lender.key, id)).status, 'closed')
})

/** Pays the debtor all that the borrower has. */
const spendEverything = async (): Promise<void> => {
  const { data } = await found(borrower.key, '/v1/treasury/accounts')
  const account = data.find(
    ({ purpose, currency }: Record<string, string>) =>
      purpose === 'settlement' && currency === 'USD',
  )
  const balances = await found(borrower.key, `/v1/treasury/balances?account=${account.id}`)
  const unit_price = balances.data[0].available
  const line_items = [{ description: 'All', quantity: 1, unit_price, tax_rate: 0 }]
  const trade = { ...parties.trade, issuer: debtor, counterparty: borrower }
  const { id } = await loans.invoice({ ...parties, trade }, { line_items })
  await posted(borrower.key, `/v1/documents/${id}/pay`)
}

test('domain 5.4: a dispute flags the agreement until it ends', async () => {
  const { id, pledged_document_id: invoice } = await loans.funded(parties)
  await move(running, debtor.key, invoice, 'disputed')
  const disputed = await agreementOf(lender.key, id)
  assert.deepEqual([disputed.status, disputed.flag.code], ['flagged', 'collateral_disputed'])
  await move(running, debtor.key, invoice, 'approved')
  const cured = await agreementOf(lender.key, id)
  assert.equal(cured.status, 'funded')
  assert.notEqual(cured.flag.cured_at, null)
})

test('domain 5.2: either party withdraws before funding, and nobody afterwards', async () => {
  for (const { key } of [borrower, lender]) {
    const { agreement } = await loans.accepted(parties)
    const closed = await posted(key, `/v1/finance/agreements/${agreement.id}/withdraw`)
    assert.deepEqual([closed.status, closed.closed_reason], ['closed', 'withdrawn'])
    const again = await post(key, `/v1/finance/agreements/${agreement.id}/withdraw`)
    assert.equal(again.body.error.details.reason, 'agreement_not_withdrawable')
    const invoice = await documentOf(borrower.key, agreement.pledged_document_id)
    assert.equal(invoice.pledge.status, 'released')
  }
  const { id } = await loans.funded(parties)
  const refused = await post(lender.key, `/v1/finance/agreements/${id}/withdraw`)
  assert.equal(refused.body.error.details.reason, 'agreement_not_withdrawable')
})

test('domain 5.6: a debtor who is told sees the assignment and the release, and nothing else', async () => {
  const { id, pledged_document_id: invoice } = await loans.funded(parties, { notice: 'disclosed' })
  const bill = await documentOf(debtor.key, invoice)
  assert.deepEqual(Object.keys(bill.pledge), ['status', 'since'])
  assert.equal(bill.pledge.status, 'assigned')
  await posted(borrower.key, `/v1/finance/agreements/${id}/repayment`)
  assert.equal((await documentOf(debtor.key, invoice)).pledge.status, 'released')
  for (const { key } of [borrower, debtor]) {
    const history = await found(key, `/v1/documents/${invoice}/history`)
    const types = history.entries.map(({ type }: { type: string }) => type)
    assert(types.includes('pledge.assigned') && types.includes('pledge.released'), types.join())
    const bundle = await get(key, `/v1/documents/${invoice}/export`)
    assert.equal(bundle.status, 200)
    const isDebtor = key === debtor.key
    assert.equal(bundle.text.includes(id), !isDebtor, 'only the issuer learns of the agreement')
    assert.equal(bundle.text.includes(lender.id), false)
  }
})

test('domain 5.4: the digest must be that of the offer, and the offer open', async () => {
  const offer = await loans.offered(parties)
  const path = `/v1/finance/offers/${offer.id}`
  const wrong = { authorization_digest: `sha256:${'0'.repeat(64)}` }
  const refused = await post(borrower.key, `${path}/accept`, wrong)
  assert.deepEqual(
    [refused.status, refused.body.error.details.reason],
    [409, 'authorization_digest_mismatch'],
  )
  await posted(borrower.key, `${path}/decline`)
  const closed = await post(borrower.key, `${path}/accept`, loans.acceptanceOf(offer))
  assert.equal(closed.body.error.details.reason, 'offer_not_open')
  const stranger = await callApi(running, 'GET', path, { key: debtor.key })
  assert.equal(stranger.status, 403, 'the debtor has not set up its finance')
})
