/**
 * Simulates months of two to five organizations that lend to each other, with failures, returns,
 * disputes, credits and jumps of the clock. An auditor then recomputes every loan from API
 * responses alone. `LONG=1` runs more simulations, and `SIMULATIONS` as many as it says; fast-check
 * prints the seed of a failure.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertServiceConsistent } from '../support/database/consistency-auditor.ts'
import { auditLoan, auditMoney, auditPledge } from '../support/finance/loan-audit.ts'
import { LoanSimulation, arbitraryStep } from '../support/finance/loan-simulation.ts'
import { assertBundlesHold } from '../support/provenance/verifiers.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off' })
const runs = Number(process.env.SIMULATIONS ?? (process.env.LONG === '1' ? 60 : 1))

const assertLoansAgree = async (simulation: LoanSimulation): Promise<void> => {
  const { organizations, invoices } = simulation
  for (let i = 0; i < 2; i += 1) await simulation.advanceClocks(24 * 60)
  const agreements = []
  for (const agreement of simulation.agreements) {
    agreements.push(await auditLoan(running, agreement))
  }
  for (const invoice of invoices) await auditPledge(running, invoice, agreements)
  await auditMoney(running, organizations)
  // The last loan, with its invoice, is also proven to whoever has nothing but the bundles.
  const last = simulation.agreements.at(-1)
  if (last === undefined) return
  const { borrower, lender, documents, invoice } = last
  await assertBundlesHold(running, documents.repayment_id, [borrower.key, lender.key])
  await assertBundlesHold(running, invoice.id, [
    invoice.trade.issuer.key,
    invoice.trade.counterparty.key,
  ])
}

test(`domain 5.6: in ${runs} simulations of months, loans can be recomputed from the API`, async (t) => {
  const arbitraryRun = fc.record({
    count: fc.integer({ min: 2, max: 5 }),
    steps: fc.array(arbitraryStep, { minLength: 60, maxLength: 110 }),
  })
  let loans = 0
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async ({ count, steps }) => {
      const simulation = await LoanSimulation.start(running, count)
      for (const step of steps) await simulation.perform(step)
      await assertLoansAgree(simulation)
      loans += simulation.agreements.length
    }),
    { numRuns: runs, endOnFailure: true },
  )
  t.diagnostic(`${loans} loans audited`)
  assert(loans > runs, 'there were loans to audit')
  await assertServiceConsistent(running)
})
