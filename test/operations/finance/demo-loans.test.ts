/** The demo counterparty as lender, debtor and borrower of a loan (domain 6). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../../src/core/ids.ts'
import { playDemoLoans } from '../../../src/tasks/demo-loans.ts'
import { assertProblems } from '../../support/http/error-responses.ts'
import { exampleLine } from '../../support/fixtures.ts'
import { askedTerms, loansClient } from '../../support/finance/loans.ts'
import { sandboxClient } from '../../support/sandbox/sandbox-client.ts'
import { startSandboxService } from '../../support/sandbox/sandbox-service.ts'
import { until } from '../../support/until.ts'

const { running, advance, assertConsistent } = await startSandboxService()
const { provisionSandbox } = sandboxClient(running)
const loans = loansClient(running)
const { posted, post, found, documentOf, agreementOf } = loans

type Sandbox = Awaited<ReturnType<typeof provisionSandbox>>

const invoiceLine = { ...exampleLine, quantity: 1, unit_price: 12_500, tax_rate: 0 }

/** An invoice to the demo counterparty, who approves it. */
const anApprovedInvoice = async (sandbox: Sandbox): Promise<string> => {
  const { id } = await posted(sandbox.key, '/v1/documents', {
    connection_id: sandbox.connection,
    document_type: 'invoice',
    line_items: [invoiceLine],
  })
  await posted(sandbox.key, `/v1/documents/${id}/issue`)
  await advance(sandbox, 'PT2H')
  return id
}

const aListing = async (sandbox: Sandbox, sandbox_scenario?: string) => {
  const document_id = await anApprovedInvoice(sandbox)
  const scenario = sandbox_scenario === undefined ? {} : { sandbox_scenario }
  const body = { document_id, terms: askedTerms, ...scenario }
  return posted(sandbox.key, '/v1/finance/listings', body)
}

const offersFor = async (sandbox: Sandbox, listing: string) =>
  (await found(sandbox.key, `/v1/finance/offers?listing=${listing}`)).data

/** The offer that arrives within a step, and is accepted. */
const acceptedOffer = async (sandbox: Sandbox, scenario?: string) => {
  const listing = await aListing(sandbox, scenario)
  await advance(sandbox, 'PT1H')
  const [offer] = await offersFor(sandbox, listing.id)
  const path = `/v1/finance/offers/${offer.id}/accept`
  const { agreement } = await posted(sandbox.key, path, loans.acceptanceOf(offer))
  return { listing, offer, agreement }
}

const dueDatesOf = ({ terms }: { terms: { due_date: string; flag_after: string } }) => terms

describe('domain 6: the demo counterparty lends', () => {
  test('offer_and_fund shows a whole loan with the clock: offer, funding, sweep and closing', async () => {
    const sandbox = await provisionSandbox()
    const { agreement, offer } = await acceptedOffer(sandbox, 'offer_and_fund')
    assert.deepEqual(
      [offer.kind, offer.role, offer.terms.total_repayable],
      ['at_ask', 'borrower', 10_250],
    )
    assert.equal((await agreementOf(sandbox.key, agreement.id)).status, 'accepted')
    await advance(sandbox, 'PT1H')
    assert.equal((await agreementOf(sandbox.key, agreement.id)).status, 'funded')
    await advance(sandbox, 'P30D')
    const closed = await agreementOf(sandbox.key, agreement.id)
    assert.deepEqual(
      [closed.status, closed.closed_reason, closed.amount_repaid, closed.flag],
      ['closed', 'repaid', 10_250, null],
    )
    const { sweeps } = await found(sandbox.key, `/v1/finance/agreements/${agreement.id}/repayment`)
    assert.deepEqual(
      sweeps.map(({ proceeds, amount }: Record<string, number>) => [proceeds, amount]),
      [[12_500, 10_250]],
    )
    await assertConsistent()
  })

  test('a step that two tasks have found is played once, and the next waits for its day', async () => {
    const quick = await running.startAnother({ SANDBOX_STEP_MS: '1ms' })
    const { context } = quick.service
    const sandbox = await provisionSandbox()
    const listing = await aListing(sandbox, 'offer_and_fund')
    await advance(sandbox, 'PT1H')
    const [offer] = await offersFor(sandbox, listing.id)
    const path = `/v1/finance/offers/${offer.id}/accept`
    const { agreement } = await loansClient(quick).posted(
      sandbox.key,
      path,
      loans.acceptanceOf(offer),
    )
    const me = await found(sandbox.demo, '/v1/me')
    const organizations = [decodeId('org', me.organization.id)!]
    const dueSteps = () => playDemoLoans.findDue(context, { organizations, withinSeconds: 0 }, 0)
    await until('the lender has a step to play', async () => (await dueSteps()).length === 1)
    const [step] = await dueSteps()
    await step!.run(context)
    await step!.run(context)
    assert.equal((await agreementOf(sandbox.key, agreement.id)).status, 'funded')
  })

  test('one jump of the clock plays every step at the time it was due', async () => {
    const sandbox = await provisionSandbox()
    const { agreement } = await acceptedOffer(sandbox, 'debtor_pays_late')
    const { flag_after } = dueDatesOf(agreement)
    await advance(sandbox, 'P90D')
    const closed = await agreementOf(sandbox.key, agreement.id)
    assert.deepEqual(
      [closed.status, closed.flag.code, closed.flag.cured_at !== null],
      ['closed', 'repayment_overdue', true],
    )
    const types = await loans.eventTypesOf(sandbox.key, agreement.documents.agreement_id)
    assert.deepEqual(
      types.filter((type) => type.startsWith('finance')),
      ['accepted', 'funded', 'flagged', 'repaid', 'closed'].map(
        (name) => `finance.agreement.${name}`,
      ),
    )
    assert(flag_after < '9', flag_after)
  })

  test('the default offers at the ask and funds, and the debtor waits to be told', async () => {
    const sandbox = await provisionSandbox()
    const { agreement, offer } = await acceptedOffer(sandbox)
    assert.equal(offer.kind, 'at_ask')
    await advance(sandbox, 'P33D')
    const funded = await agreementOf(sandbox.key, agreement.id)
    assert.deepEqual([funded.status, funded.amount_owed], ['funded', 10_250])
    const body = { document_id: agreement.pledged_document_id, to: 'paid' }
    await posted(sandbox.key, '/v1/sandbox/demo/transitions', body)
    assert.equal((await agreementOf(sandbox.key, agreement.id)).status, 'closed')
  })

  test('counter asks for half as much again', async () => {
    const sandbox = await provisionSandbox()
    const { agreement, offer } = await acceptedOffer(sandbox, 'counter')
    assert.deepEqual(
      [offer.kind, offer.terms.fee, offer.terms.total_repayable],
      ['counter', { type: 'bps', value: 375 }, 10_375],
    )
    await advance(sandbox, 'PT1H')
    assert.equal((await agreementOf(sandbox.key, agreement.id)).status, 'funded')
  })

  test('counter asks for no fee that a loan cannot have', async () => {
    const sandbox = await provisionSandbox()
    const highest = { type: 'flat', value: 999_999_999.99 }
    const listing = await posted(sandbox.key, '/v1/finance/listings', {
      document_id: await anApprovedInvoice(sandbox),
      terms: { ...askedTerms, fee: highest },
      sandbox_scenario: 'counter',
    })
    await advance(sandbox, 'PT1H')
    const [offer] = await offersFor(sandbox, listing.id)
    assert.deepEqual([offer.kind, offer.terms.fee], ['counter', highest])
    const path = `/v1/finance/offers/${offer.id}/accept`
    await posted(sandbox.key, path, loans.acceptanceOf(offer))
  })

  for (const scenario of ['never_funds', 'offer_no_funding']) {
    test(`${scenario} lets the funding deadline pass`, async () => {
      const sandbox = await provisionSandbox()
      const { agreement } = await acceptedOffer(sandbox, scenario)
      await advance(sandbox, 'P6D')
      const flagged = await agreementOf(sandbox.key, agreement.id)
      assert.deepEqual([flagged.status, flagged.flag.code], ['flagged', 'funding_overdue'])
      await posted(sandbox.key, `/v1/finance/agreements/${agreement.id}/withdraw`)
    })
  }

  test('silent makes no offer, and the listing expires', async () => {
    const sandbox = await provisionSandbox()
    const { id } = await aListing(sandbox, 'silent')
    await advance(sandbox, 'P15D')
    assert.deepEqual(await offersFor(sandbox, id), [])
    assert.equal((await found(sandbox.key, `/v1/finance/listings/${id}`)).status, 'expired')
  })

  test('what either side does by hand ends the scenario', async () => {
    const sandbox = await provisionSandbox()
    const { agreement } = await acceptedOffer(sandbox, 'offer_and_fund')
    const disbursement = agreement.documents.disbursement_id
    await posted(sandbox.demo, `/v1/documents/${disbursement}/pay`)
    await posted(sandbox.demo, `/v1/documents/${agreement.pledged_document_id}/transition`, {
      to: 'disputed',
    })
    await advance(sandbox, 'P60D')
    const { payments } = await found(
      sandbox.key,
      `/v1/finance/agreements/${agreement.id}/repayment`,
    )
    assert.deepEqual(payments, [])
    const invoice = await documentOf(sandbox.key, agreement.pledged_document_id)
    assert.equal(invoice.status, 'disputed')
  })

  test('a misspelt scenario is refused with the one that was meant', async () => {
    const sandbox = await provisionSandbox()
    const document_id = await anApprovedInvoice(sandbox)
    const body = { document_id, terms: askedTerms, sandbox_scenario: 'offer_and_found' }
    const refused = await post(sandbox.key, '/v1/finance/listings', body)
    assertProblems(refused, '/sandbox_scenario invalid_value')
    assert.match(refused.body.error.details.errors[0].fix, /did you mean offer_and_fund\?/)
    const own = await post(sandbox.key, '/v1/sandbox/demo/listings', { scenario: 'acept' })
    assertProblems(own, '/scenario invalid_value')
    assert.match(own.body.error.details.errors[0].fix, /did you mean accept\?/)
  })
})

describe('domain 6: the demo counterparty borrows', () => {
  const offerFor = (sandbox: Sandbox, listing: string) =>
    posted(sandbox.key, `/v1/finance/listings/${listing}/offers`, { kind: 'at_ask' })

  test('it accepts the offer, and its invoice repays what was lent', async () => {
    const sandbox = await provisionSandbox()
    const listing = await posted(sandbox.key, '/v1/sandbox/demo/listings')
    assert.deepEqual(
      [listing.role, listing.status, listing.terms.principal, listing.collateral.balance_due],
      ['lender', 'open', 414.72, 518.4],
    )
    assert.equal('document_id' in listing, false)
    const offer = await offerFor(sandbox, listing.id)
    await advance(sandbox, 'PT1H')
    const { data } = await found(sandbox.key, '/v1/finance/agreements?role=lender')
    assert.deepEqual([data.length, data[0].offer_id, data[0].status], [1, offer.id, 'accepted'])
    await posted(sandbox.key, `/v1/documents/${data[0].documents.disbursement_id}/pay`)
    const bills = await found(sandbox.key, '/v1/documents?type=invoice&status=approved')
    await posted(sandbox.key, `/v1/documents/${bills.data[0].id}/pay`)
    assert.equal((await agreementOf(sandbox.key, data[0].id)).status, 'closed')
    await assertConsistent()
  })

  test('decline and manual are its other answers', async () => {
    const sandbox = await provisionSandbox()
    const statusAfter = async (scenario: string) => {
      const { id } = await posted(sandbox.key, '/v1/sandbox/demo/documents', {
        document_type: 'invoice',
        scenario: 'manual',
      })
      await posted(sandbox.key, `/v1/documents/${id}/transition`, { to: 'approved' })
      const body = { document_id: id, scenario, terms: { ...askedTerms, principal: 100 } }
      const listing = await posted(sandbox.key, '/v1/sandbox/demo/listings', body)
      const offer = await offerFor(sandbox, listing.id)
      await advance(sandbox, 'P1D')
      return (await found(sandbox.key, `/v1/finance/offers/${offer.id}`)).status
    }
    assert.equal(await statusAfter('decline'), 'declined')
    assert.equal(await statusAfter('manual'), 'open')
  })

  test('only an approved bill of its own can be listed', async () => {
    const sandbox = await provisionSandbox()
    const own = await anApprovedInvoice(sandbox)
    const wrong = await post(sandbox.key, '/v1/sandbox/demo/listings', { document_id: own })
    assertProblems(wrong, '/document_id invalid_value')
    await posted(sandbox.key, '/v1/sandbox/demo/listings')
    const none = await post(sandbox.key, '/v1/sandbox/demo/listings')
    assert.deepEqual([none.status, none.body.error.details.reason], [409, 'not_payable'])
  })
})

test('domain 6: a practice pair can borrow and lend at once, and again after a reset', async () => {
  const sandbox = await provisionSandbox()
  for (const key of [sandbox.key, sandbox.demo]) {
    const setup = await found(key, '/v1/finance/setup')
    assert.deepEqual([setup.eligible_as_borrower, setup.eligible_as_lender], [true, true])
  }
  const { id } = await aListing(sandbox)
  await posted(sandbox.key, '/v1/sandbox/reset')
  await advance(sandbox, 'P1D')
  assert.equal((await post(sandbox.key, `/v1/finance/listings/${id}/withdraw`)).status, 404)
  assert.deepEqual((await found(sandbox.demo, '/v1/finance/offers')).data, [])
  await acceptedOffer(sandbox)
})
