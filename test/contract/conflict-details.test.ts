/** OpenAPI declares what a refusal tells a program in `details` (contract 2). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Reply, callApi } from '../support/api-client.ts'
import { askedTerms, loanParties, loansClient } from '../support/finance/loans.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const parties = await loanParties(running)
const { borrower, debtor } = parties

/** The names of the details of `conflict`. */
const declaredDetails = async (): Promise<ReadonlySet<string>> => {
  const { body } = await callApi(running, 'GET', '/v1/openapi.json', {})
  return new Set(Object.keys(body.components.schemas.ConflictError.properties.details.properties))
}

test('contract 2: OpenAPI declares every detail of a conflict', async () => {
  const declared = await declaredDetails()
  const { agreement } = await loans.accepted(parties)
  const { pledged_document_id: invoice } = agreement
  const { id: offer } = await loans.offered(parties)
  const digest = `sha256:${'0'.repeat(64)}`
  const refuse = (method: string, path: string, body?: object, by = borrower.key): Promise<Reply> =>
    callApi(running, method, path, { key: by, body })
  const refusals = {
    convertible_in: await refuse('POST', `/v1/documents/${invoice}/convert`, {
      document_type: 'purchase_order',
    }),
    fields: await refuse('GET', `/v1/documents/${invoice}/render?format=ubl`),
    document_id: await refuse('POST', '/v1/finance/listings', {
      document_id: invoice,
      terms: askedTerms,
    }),
    offer_id: await refuse('POST', `/v1/finance/offers/${offer}/accept`, {
      authorization_digest: digest,
    }),
    connection_id: await refuse(
      'POST',
      '/v1/connections',
      { organization_id: debtor.id },
      borrower.session,
    ),
  }
  for (const [name, reply] of Object.entries(refusals)) {
    const details = Object.keys(assertRefused(reply, 'conflict'))
    assert(details.includes(name), reply.text)
    assert.deepEqual(
      details.filter((one) => !declared.has(one)),
      [],
      reply.text,
    )
  }
})
