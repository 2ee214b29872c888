/** Specification 4.1, domain 5.1: without a setup, nothing of a loan is looked at. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeId } from '../../../src/core/ids.ts'
import { operations } from '../../../src/operations/index.ts'
import { callApi } from '../../support/api-client.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { anOrganization, connectPair } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const { key } = await anOrganization(running)

const missing = encodeId('lst', '00000000-0000-7000-8000-000000000000').slice('lst_'.length)
const prefixes = { listings: 'lst', offers: 'ofr', agreements: 'agr' } as const

/** Of a record that does not exist. */
const pathOf = (path: string): string => {
  const [, collection = 'listings'] = /finance\/(listings|offers|agreements)/.exec(path) ?? []
  return path.replace('{id}', `${prefixes[collection as keyof typeof prefixes]}_${missing}`)
}

const terms = { principal: 1_000, fee: { type: 'flat', value: 10 }, grace_days: 7 }
const bodies: Readonly<Record<string, object>> = {
  'finance.offers.create': { kind: 'counter', terms },
  'finance.offers.accept': { authorization_digest: `sha256:${'0'.repeat(64)}` },
}

const ofLoans = operations.filter(
  ({ family, path }) => family === 'finance' && path.includes('{id}') && !path.includes('setup'),
)

test('every operation on a loan refuses an organization without a setup', async () => {
  assert(ofLoans.length >= 12)
  for (const { id, method, path } of ofLoans) {
    const body = method === 'GET' ? {} : { body: bodies[id] ?? {} }
    const refused = await callApi(running, method, pathOf(path), { key, ...body })
    const { code, details } = refused.body.error
    assert.deepEqual([code, details?.reason], ['capability_unavailable', 'not_set_up'], id)
  }
})

test('nor does one without a setup accept an offer that exists', async () => {
  const parties = await loanParties(running)
  const offer = await loansClient(running).offered(parties)
  const stranger = await anOrganization(running)
  await connectPair(running, stranger, parties.borrower)
  const path = `/v1/finance/offers/${offer.id}/accept`
  const body = { authorization_digest: offer.standing_authorization.digest }
  const refused = await callApi(running, 'POST', path, { key: stranger.key, body })
  assert.equal(refused.body.error.details.reason, 'not_set_up', refused.text)
})
