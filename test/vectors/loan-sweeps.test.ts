/** The sweep cases of domain 5.4 (loan-sweeps.json), driven through the API. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { idsOf, loanSteps, outcomeOf } from '../support/finance/loan-steps.ts'
import { loanParties, loansClient } from '../support/finance/loans.ts'
import { startTestService } from '../support/test-service.ts'
import vectors from './loan-sweeps.json' with { type: 'json' }

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, documentOf } = loans
const parties = await loanParties(running)

const slowly = { source_account_id: 'acct_test_stuck' }

const step = loanSteps(loans, parties, {
  pay: (key, document, isSlow) =>
    posted(key, `/v1/documents/${document}/pay`, isSlow ? slowly : {}),
  happens: async (outcome, key, document) => {
    const { payment } = await documentOf(key, document)
    await posted(key, `/v1/sandbox/payments/${payment.id}/simulate`, { outcome })
  },
})

describe('domain 5.4: what is swept, owed and flagged', () => {
  for (const { case: title, steps: names, expected, terms } of vectors.cases) {
    test(`${title}: ${names.join(', ')}`, async () => {
      const ids = idsOf(await loans.accepted(parties, terms === undefined ? {} : { terms }))
      for (const name of names) await step(name, ids)
      assert.deepEqual(await outcomeOf(loans, parties, ids), expected)
    })
  }
})
