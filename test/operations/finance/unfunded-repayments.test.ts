/** Nothing of a repayment is owed before the loan is funded (domain 5.2). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inDays } from '../../support/dates.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, found } = loans
const parties = await loanParties(running)
const { borrower, lender } = parties

type Point = { group: string; amount: number }

/**
 * What the repayment counts as: in the ageing, by connection, in the projection, whose bars open
 * the same list, and how it is listed and shown.
 */
const countedAs = async (repayment: string) => {
  const sides = []
  for (const [{ key }, group, due] of [
    [borrower, 'payable', 'due_out'],
    [lender, 'receivable', 'due_in'],
  ] as const) {
    const sumOf = async (metric: string): Promise<number> => {
      const { points } = await found(key, `/v1/statistics?metric=${metric}`)
      const counted = metric === 'projection' ? due : group
      const sums = (points as Point[]).filter((point) => point.group === counted)
      return sums.reduce((sum, { amount }) => sum + amount, 0)
    }
    const { data } = await found(key, `/v1/documents?owed=${group}&limit=100`)
    const isListed = data.some(({ id }: { id: string }) => id === repayment)
    const { overdue } = await loans.documentOf(key, repayment)
    const metrics = await Promise.all(['ageing', 'connections', 'projection'].map(sumOf))
    sides.push([...metrics, isListed, overdue])
  }
  assert.deepEqual(sides[0], sides[1], 'both sides count it alike')
  return sides[0]
}

test('domain 5.2: a repayment is owed once the loan is funded, and while it is', async () => {
  const { agreement } = await loans.accepted(parties)
  const { disbursement_id: disbursement, repayment_id: repayment } = agreement.documents
  assert.deepEqual(await countedAs(repayment), [0, 0, 0, false, false])
  for (const { key } of [borrower, lender])
    await posted(key, '/v1/sandbox/clock', { advance_to: inDays(60) })
  assert.deepEqual(await countedAs(repayment), [0, 0, 0, false, false], 'it is past its due date')
  const { payment } = await posted(lender.key, `/v1/documents/${disbursement}/pay`)
  assert.deepEqual(await countedAs(repayment), [10_250, 10_250, 10_250, true, true])
  const path = `/v1/sandbox/payments/${payment.id}/simulate`
  await posted(lender.key, path, { outcome: 'return' })
  assert.deepEqual(
    await countedAs(repayment),
    [0, 0, 0, false, false],
    'the disbursement is returned',
  )
  await posted(lender.key, `/v1/documents/${disbursement}/pay`)
  assert.deepEqual(await countedAs(repayment), [10_250, 10_250, 10_250, true, true])
})
