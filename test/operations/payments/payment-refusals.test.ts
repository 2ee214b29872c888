/** Refused payments state the cause and a remedy. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { connectTestProcessor } from '../../support/payments/connect-test-processor.ts'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import {
  aKey,
  exampleLine,
  anInvoice,
  anOrganization,
  aPair,
  connectPair,
  move,
} from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const payer = await anOrganization(running)
const pair = await connectPair(running, await anOrganization(running, { isDemo: true }), payer)
const { key } = payer

const post = (path: string, body: object, by = key) =>
  callApi(running, 'POST', path, { key: by, body })
const accounts = (await callApi(running, 'GET', '/v1/treasury/accounts', { key })).body.data as {
  id: string
  purpose: string
  currency: string
}[]
const accountOf = (currency: string) =>
  accounts.find((account) => account.currency === currency && account.purpose === 'settlement')!.id
const issueCreditNote = async (id: string) => {
  const line = { ...exampleLine, quantity: 1, unit_price: 40 }
  const note = await post(
    `/v1/documents/${id}/convert`,
    { document_type: 'credit_note', line_items: [line] },
    pair.issuer.key,
  )
  return post(`/v1/documents/${note.body.id}/issue`, {}, pair.issuer.key)
}

const approved = await anApprovedInvoice(running, pair)

describe('contract 2: a refusal names the field at fault, with a remedy', () => {
  const transition = `/v1/documents/${approved.id}/transition`
  const paying = `/v1/documents/${approved.id}/pay`
  const demo = '/v1/sandbox/demo/documents'
  const topup = '/v1/sandbox/topup'
  const clock = '/v1/sandbox/clock'
  const table = [
    [clock, { advance_by: 'P99999999999999999999D' }, '/advance_by', /two years/, /up to \d{4}/],
    [clock, { advance_by: 'P99999Y' }, '/advance_by', /two years/, /up to \d{4}/],
    [clock, { advance_by: 'P1.5D' }, '/advance_by', /whole numbers/, /P6D/],
    [transition, { to: 'scheduled' }, '/to', /not known/, /did you mean payment_scheduled\?/],
    [transition, { to: 'cancel' }, '/to', /not known/, /did you mean cancelled\?/],
    [transition, { to: 'pay' }, '/to', /not known/, /^send one of/],
    [paying, { amount: 5 }, '/amount', /whole balance/, /credit note/],
    [paying, { scheduled_for: '2027-01-01' }, '/scheduled_for', /pays now/, /payment_scheduled/],
    [
      transition,
      { scheduled_for: '2020-02-03' },
      '/scheduled_for',
      /2020-02-03.*today is/,
      /later/,
    ],
    [transition, { scheduled_for: inDays(500) }, '/scheduled_for', /365 days/, /up to \d{4}/],
    [
      transition,
      { source_account_id: accountOf('EUR') },
      '/source_account_id',
      /holds EUR; this needs USD/,
      new RegExp(accountOf('USD')),
    ],
    [
      transition,
      { source_account_id: 'acct_test_asink' },
      '/source_account_id',
      /acct_test_asink/,
      /did you mean acct_test_async\?.*treasury\/accounts/,
    ],
    [topup, { currency: 'USD', amount: 0.001 }, '/amount', /2 decimals/, /2500.00/],
    [topup, { currency: 'USD', amount: -1 }, '/amount', /from 0.01 /, /to 999999999999.99/],
    [topup, { currency: 'USD', amount: 999_999_999_999.99 }, '/amount', /hold/, /999998999999.99/],
    [
      topup,
      { currency: 'EUR', amount: 5, account_id: accountOf('USD') },
      '/account_id',
      /holds USD, not EUR/,
      new RegExp(accountOf('EUR')),
    ],
    [clock, { advance_by: '6 days' }, '/advance_by', /ISO 8601/, /P6D/],
    [clock, { advance_by: 'P3Y' }, '/advance_by', /two years/, /up to 20.*reset/],
    [clock, { advance_by: 'P0D' }, '/advance_by', /only moves forward/, /later time/],
    [clock, { advance_by: 'P1D', advance_to: '2027-01-01' }, '/advance_by', /not both/, /P6D/],
    [
      demo,
      { document_type: 'quote', scenario: 'acept' },
      '/scenario',
      /is not a scenario of a quote/,
      /did you mean accept\?/,
    ],
  ] as const
  for (const [path, wrong, param, message, fix] of table) {
    const name = path.split('/').at(-1)!
    const sent = JSON.stringify(wrong).replaceAll(/acct_0\w+/g, 'acct_…')
    test(`${name} refuses ${sent}`, async () => {
      const body = path === transition ? { to: 'payment_scheduled', ...wrong } : wrong
      const reply = await post(path, body)
      assert.equal(reply.status, 400, reply.text)
      const [problem] = reply.body.error.details.errors
      assert.equal(problem.param, param)
      assert.match(problem.message, message)
      assert.match(problem.fix, fix)
    })
  }
})

describe('domain 4.2: a refused payment or transition states the cause and a remedy', () => {
  const messageOf = (reply: { status: number; body: { error: { message: string } } }) => {
    assert.equal(reply.status, 409)
    return reply.body.error.message
  }

  test('only the counterparty can pay an invoice, and nobody can pay a quote', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const byIssuer = await pay(running, pair.issuer.key, id)
    assert.match(messageOf(byIssuer), /The counterparty pays an invoice, not its issuer/)
    const quote = await anInvoice(running, pair, { document_type: 'quote' })
    assert.match(messageOf(await pay(running, key, quote.id)), /Nobody pays a quote/)
  })

  test('a payment in progress blocks transitions and credit notes', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    await pay(running, key, id, { body: { source_account_id: 'acct_test_stuck' } })
    for (const to of ['approved', 'disputed', 'paid']) {
      assert.match(messageOf(await move(running, key, id, to)), /under way/)
    }
    const refused = await issueCreditNote(id)
    assert.match(messageOf(refused), /a payment of 1080.00 USD under way.*settled or failed/)
    assert.equal(refused.body.error.details.creditable, 0)
  })

  test('while a payment is scheduled, refusals say that its payer can cancel it', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const scheduled_for = inDays(20)
    await move(running, key, id, 'payment_scheduled', { scheduled_for })
    assert.match(
      messageOf(await move(running, key, id, 'disputed')),
      /move to approved to cancel it/,
    )
    const byIssuer = await move(running, pair.issuer.key, id, 'disputed')
    assert.match(messageOf(byIssuer), /only the payer/)
    assert.match(
      messageOf(await issueCreditNote(id)),
      new RegExp(`scheduled for ${scheduled_for}.*calls it off`),
    )
  })

  test('domain 4.3: a payment over a limit is refused with the limit, its use and its reset', async () => {
    const scopes = ['documents:read', 'documents:write', 'payments:write'] as const
    const { secret } = await aKey(running, payer, scopes, { dailyVolume: 150_000n })
    const ids = [await anApprovedInvoice(running, pair), await anApprovedInvoice(running, pair)]
    await pay(running, secret, ids[0].id)
    const { status, body } = await pay(running, secret, ids[1].id)
    assert.equal(status, 403)
    assert.match(
      body.error.message,
      /1080.00 USD exceeds daily_volume of this key, 1500.00 USD, of which 1080.00 are used until 2/,
    )
  })
  test('settings: without a processor, live payments are refused, whoever is connected to one', async () => {
    const live = await aPair(running, 'live')
    for (const party of [live.issuer, live.counterparty]) await connectTestProcessor(running, party)
    const { id } = await anApprovedInvoice(running, live)
    const { status, body } = await pay(running, live.counterparty.key, id)
    assert.deepEqual([status, body.error?.code], [403, 'capability_unavailable'])
    const blockers = ['payer_processor', 'payee_processor']
    assert.deepEqual(body.error.details, {
      capability: 'payments',
      reason: 'processor_not_connected',
      blockers,
    })
  })
})
