/**
 * Decision 0285: payments that fail and loans that are withdrawn make a history only so long.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi } from '../../support/api-client.ts'
import { askedTerms, loanParties, loansClient } from '../../support/finance/loans.ts'
import { aPair, exampleLine } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

const contractMax = limits.eventsOfDocumentMax
const setBound = (eventsOfDocumentMax: number) => Object.assign(limits, { eventsOfDocumentMax })
after(() => setBound(contractMax))

const running = await startTestService()

test('the bound of the contract is above all other bounds of a history together', () => {
  assert.equal(contractMax, 6_000)
  assert(contractMax > 2 * limits.changesPerDocumentMax + 3 * limits.referencesPerSideMax)
})

test('after as many events no payment is tried again, and the document can still be credited', async () => {
  const pair = await aPair(running)
  const { key } = pair.counterparty
  const { id } = await anApprovedInvoice(running, pair)
  const body = { source_account_id: 'acct_test_insufficient_funds' }
  const eventsOf = async () =>
    (await running.database.row<{ events: number }>(
      sql`select counterparty_events as events from documents where id = ${decodeId('doc', id)!}`,
    ))!.events
  const limit = (await eventsOf()) + 4
  setBound(limit)
  for (let failures = 0; (await eventsOf()) < limit; failures += 1) {
    assert(failures < 4, 'each payment that fails adds an event')
    const { status, text } = await pay(running, key, id, { body })
    assert.equal(status, 200, text)
    await until('the payment fails', async () => {
      const document = await callApi(running, 'GET', `/v1/documents/${id}`, { key })
      return document.body.status === 'approved'
    })
  }
  const details = assertRefused(await pay(running, key, id), 'conflict', 'too_many_changes')
  assert.equal(details.limit, limit)
  const note = await callApi(running, 'POST', '/v1/documents', {
    key: pair.issuer.key,
    body: {
      connection_id: pair.connection,
      document_type: 'credit_note',
      references: [{ rel: 'credits', document_id: id }],
      line_items: [exampleLine],
    },
  })
  const issue = `/v1/documents/${note.body.id}/issue`
  const issued = await callApi(running, 'POST', issue, { key: pair.issuer.key })
  assert.equal(issued.status, 200, issued.text)
  const { body: credited } = await callApi(running, 'GET', `/v1/documents/${id}`, { key })
  assert.equal(credited.balance_due, 0)
  setBound(contractMax)
})

test('with as many events an invoice is not listed for a loan again', async () => {
  const parties = await loanParties(running)
  const { invoice, post } = loansClient(running)
  const { id } = await invoice(parties)
  const body = { document_id: id, terms: askedTerms }
  const list = () => post(parties.borrower.key, '/v1/finance/listings', body)
  const { seq } = (await running.database.row<{ seq: number }>(
    sql`select head_seq as seq from documents where id = ${decodeId('doc', id)!}`,
  ))!
  setBound(seq)
  assertRefused(await list(), 'conflict', 'too_many_changes')
  setBound(seq + 1)
  const { status, text } = await list()
  assert.equal(status, 201, text)
  setBound(contractMax)
})
