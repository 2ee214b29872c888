/** What of a loan counts for payment_limits, and what the treasury shows (domain 4.3, 5.4). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { type TestOrganization, aKey } from '../../support/fixtures.ts'
import { allPages } from '../../support/http/all-pages.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const loans = loansClient(running)
const { posted, post, found } = loans
const parties = await loanParties(running)
const { borrower, debtor, lender } = parties

const limitedKey = async (
  organization: TestOrganization,
  limits: { maxPerPayment?: bigint; dailyVolume?: bigint },
): Promise<string> => {
  const scopes = ['documents:read', 'documents:write', 'payments:write'] as const
  return (await aKey(running, organization, scopes, limits)).secret
}

const limitOf = ({ status, body }: Awaited<ReturnType<typeof post>>) =>
  status === 403 ? body.error.details.limit : status

test('domain 4.3: funding and repayment count for the limits of their keys', async () => {
  const { agreement } = await loans.accepted(parties)
  const disbursement = `/v1/documents/${agreement.documents.disbursement_id}/pay`
  const repayment = `/v1/finance/agreements/${agreement.id}/repayment`
  const small = await limitedKey(lender, { maxPerPayment: 999_999n })
  assert.equal(limitOf(await post(small, disbursement)), 'max_per_payment')
  const daily = await limitedKey(lender, { dailyVolume: 1_500_000n })
  assert.equal(limitOf(await post(daily, disbursement)), 200)
  const next = await loans.accepted(parties)
  const second = `/v1/documents/${next.agreement.documents.disbursement_id}/pay`
  assert.equal(limitOf(await post(daily, second)), 'daily_volume')
  const short = await limitedKey(borrower, { maxPerPayment: 1_024_999n })
  assert.equal(limitOf(await post(short, repayment)), 'max_per_payment')
  const enough = await limitedKey(borrower, { maxPerPayment: 1_025_000n })
  assert.equal(limitOf(await post(enough, repayment)), 200)
})

test('domain 4.3: no limit holds up a sweep, and a sweep uses none', async () => {
  const key = await limitedKey(borrower, { maxPerPayment: 1n, dailyVolume: 1n })
  const offer = await loans.offered(parties)
  const path = `/v1/finance/offers/${offer.id}/accept`
  const { agreement } = await posted(key, path, loans.acceptanceOf(offer))
  await posted(lender.key, `/v1/documents/${agreement.documents.disbursement_id}/pay`)
  const exact = await limitedKey(debtor, { maxPerPayment: 1_250_000n, dailyVolume: 1_250_000n })
  await posted(exact, `/v1/documents/${agreement.pledged_document_id}/pay`)
  const closed = await loans.agreementOf(borrower.key, agreement.id)
  assert.deepEqual([closed.status, closed.amount_repaid], ['closed', 10_250])
  const { limits } = await found(key, '/v1/me')
  assert.deepEqual(
    limits.daily_volume_left.map(({ left }: { left: number }) => left),
    [0.01, 0.01, 0.01, 0.01],
  )
})

test('domain 4.6: payments and transactions say which part of a loan they are', async () => {
  const own = await loanParties(running)
  const { id, pledged_document_id: invoice } = await loans.funded(own)
  await posted(own.borrower.key, `/v1/finance/agreements/${id}/repayment`)
  const swept = await loans.funded(own)
  await posted(own.debtor.key, `/v1/documents/${swept.pledged_document_id}/pay`)
  await posted(own.debtor.key, `/v1/documents/${invoice}/pay`)
  const kindsOf = async ({ key }: TestOrganization, list: string, field: string) => {
    const rows = await allPages(running, key, `/v1/${list}?limit=100`)
    return rows.map((row) => row[field]).filter((kind) => kind !== null)
  }
  const kinds = ['disbursement', 'disbursement', 'repayment', 'sweep']
  assert.deepEqual((await kindsOf(own.lender, 'payments', 'kind')).toSorted(), kinds)
  assert.deepEqual(
    (await kindsOf(own.lender, 'treasury/transactions', 'payment_kind')).toSorted(),
    kinds,
  )
  assert.deepEqual((await kindsOf(own.borrower, 'treasury/transactions', 'type')).toSorted(), [
    'payment_in',
    'payment_in',
    'payment_in',
    'payment_in',
    'payment_out',
    'sweep_out',
    ...Array.from({ length: 8 }, () => 'topup'),
  ])
  const sweeps = await found(own.borrower.key, '/v1/payments?kind=sweep')
  assert.deepEqual(
    sweeps.data.map(({ agreement_id, initiated_by }: Record<string, { kind: string }>) => [
      agreement_id,
      initiated_by!.kind,
    ]),
    [[swept.id, 'system']],
  )
})
