/** The sweep cases of domain 5.4 (loan-sweeps.json), driven through the API. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { idsOf, loanSteps, outcomeOf, simulatedRail } from '../support/finance/loan-steps.ts'
import { loanParties, loansClient } from '../support/finance/loans.ts'
import { startTestService } from '../support/test-service.ts'
import vectors from './loan-sweeps.json' with { type: 'json' }

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const parties = await loanParties(running)

const step = loanSteps(loans, parties, simulatedRail(loans))

describe('domain 5.4: what is swept, owed and flagged', () => {
  for (const { case: title, steps: names, expected, terms } of vectors.cases) {
    test(`${title}: ${names.join(', ')}`, async () => {
      const ids = idsOf(await loans.accepted(parties, terms === undefined ? {} : { terms }))
      for (const name of names) await step(name, ids)
      assert.deepEqual(await outcomeOf(loans, parties, ids), expected)
    })
  }
})
