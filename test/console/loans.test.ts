/** A loan from both sides of it, in the console (console 5.14). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { accessibilityViolations, skipsLong, watchedPage } from '../support/console/browser.ts'
import { allAppearances, picture, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, context, page, complaints, practice, at, get, post, openSession } = started

/** An invoice over 12,500.00 that the other side has approved. */
const approvedInvoice = async (issuer: string, debtor: string) => {
  const { id } = await post(issuer, '/v1/documents', {
    connection_id: practice.connection_id,
    document_type: 'invoice',
    payment_terms: 'Net 60',
    external_refs: { sandbox_scenario: 'manual' },
    line_items: [{ description: 'Turbines', quantity: 1, unit_price: 12_500, tax_rate: 0 }],
  })
  const { number } = await post(issuer, `/v1/documents/${id}/issue`)
  await post(debtor, `/v1/documents/${id}/transition`, { to: 'approved' })
  return { id, number }
}

describe('loans in the console', { skip: skipsLong ?? false }, () => {
  const ours = practice?.organization.api_key
  const theirs = practice?.demo.api_key
  const loan = { invoice: '', listing: '', number: '' }

  test('empty lists say what comes into them, and lead to what a loan is asked on', async () => {
    await page.goto(at('/finance'))
    const listings = page.getByRole('region', { name: 'Listings' })
    await listings.getByText(/^To borrow, choose an invoice that your customer/).waitFor()
    await page.getByText(/Nothing is owed before an offer is signed\.$/).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await listings.getByRole('link', { name: 'Your approved invoices' }).click()
    await page.waitForURL(/\/documents\?view=sent&type=invoice&status=approved$/)
    await page.goto(at('/finance?role=borrower&status=funded'))
    const agreements = page.getByRole('region', { name: 'Agreements' })
    await agreements.getByText('Nothing matches').waitFor()
    await agreements.getByRole('link', { name: 'Show all' }).last().click()
    await agreements.getByText('No agreements yet').waitFor()
  })

  test('console 5.14: an approved invoice is listed with the loan that is asked for', async () => {
    const { id, number } = await approvedInvoice(ours, theirs)
    Object.assign(loan, { invoice: id, number })
    await page.goto(at('/finance'))
    await page.getByRole('button', { name: 'Ask for a loan' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Invoice').selectOption(id)
    // What is refused while one types is said at the field, and leaves the focus where it is.
    await dialog.getByLabel('Days of grace').fill('91')
    await dialog.getByLabel('Principal in USD').fill('10000')
    await dialog.getByText('Correct the marked field.').waitFor()
    const grace = dialog.getByLabel('Days of grace')
    assert.equal(await grace.getAttribute('aria-invalid'), 'true')
    assert.equal(
      await page.evaluate<string>('document.activeElement.id'),
      await dialog.getByLabel('Principal in USD').getAttribute('id'),
    )
    await grace.fill('7')
    await dialog.getByLabel('Percent').fill('2.5')
    await dialog.getByLabel('What the demo counterparty does').selectOption('silent')
    // The service adds it up before it is listed.
    await dialog.getByText('$10,250.00').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await picture(page, 'loan-ask')
    await dialog.getByRole('button', { name: 'List the ask' }).click()
    await page.getByText('Your ask is listed').first().waitFor()
    const { data } = await get(ours, '/v1/finance/listings')
    assert.equal(data.length, 1)
    assert.deepEqual(data[0].terms.fee, { type: 'bps', value: 250 })
    loan.listing = data[0].id
  })

  test('an invoice that is listed already is not offered for another loan', async () => {
    await page.goto(at('/finance'))
    await page.getByRole('button', { name: 'Ask for a loan' }).click()
    const dialog = page.getByRole('dialog')
    await until('the invoices are read', async () => {
      const said = await dialog.innerText()
      return !said.includes('being read') && !said.includes(loan.number)
    })
    await page.keyboard.press('Escape')
  })

  test('console 5.14: a counter is accepted by its digest, and signed with the number', async () => {
    await post(theirs, `/v1/finance/listings/${loan.listing}/offers`, {
      kind: 'counter',
      terms: { principal: 10_000, fee: { type: 'bps', value: 300 }, grace_days: 5 },
    })
    await page.getByRole('button', { name: /^Review the offer/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Exactly this text is signed').waitFor()
    await dialog.getByText('$10,300.00').first().waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await picture(page, 'loan-offer')
    const accept = dialog.getByRole('button', { name: 'Accept exactly this' })
    assert.equal(await accept.getAttribute('aria-disabled'), 'true')
    await dialog.getByLabel(/^To sign/).fill(loan.number)
    await accept.click()
    const documents = page.getByRole('list', { name: 'Documents of the loan' })
    for (const number of [/^FIN-/, /^DSB-/, /^RPY-/])
      await documents.getByRole('link', { name: number }).waitFor()
    await page.getByRole('dialog').getByText('Not told of the loan').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    const [agreement] = (await get(ours, '/v1/finance/agreements')).data
    const [offer] = (await get(ours, '/v1/finance/offers')).data
    assert.equal(agreement.authorization_digest, offer.standing_authorization.digest)
    for (const [title, name] of [
      ['Agreements', `You borrowed from Demo Counterparty\n${loan.number}`],
      ['Offers', `From Demo Counterparty\n${loan.number}`],
      ['Listings', `Yours\n${loan.number}`],
    ] as const) {
      const cell = page.locator(`section[aria-label="${title}"] tbody td`).first()
      await until(`${title} say whose and on what`, async () => (await cell.innerText()) === name)
    }
  })

  test('nobody can pay the agreement of a loan, so it is not listed to be paid', async () => {
    const { data } = await get(ours, '/v1/documents?direction=received&phase=accepted')
    const idOf = (type: string): string =>
      data.find((one: { document_type: string }) => one.document_type === type).id
    const { page: visit } = await watchedPage(context, baseUrl)
    await visit.goto(at('/documents?view=pay'))
    await visit
      .locator(`a[href*="${idOf('invoice')}"]`)
      .first()
      .waitFor()
    assert.equal(await visit.locator(`a[href*="${idOf('agreement')}"]`).count(), 0)
    await visit.goto(at('/'))
    const region = visit.getByRole('region', { name: 'To pay' })
    await region
      .locator(`[data-document="${idOf('invoice')}"]`)
      .first()
      .waitFor()
    assert.equal(await region.locator(`[data-document="${idOf('agreement')}"]`).count(), 0)
    await visit.close()
  })

  test('console 5.14: the payment of the invoice is swept, and the loan is repaid', async () => {
    const [{ documents }] = (await get(ours, '/v1/finance/agreements')).data
    await post(theirs, `/v1/documents/${documents.disbursement_id}/pay`)
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/When the pledged invoice is paid/).waitFor()
    const move = (to: string) => post(theirs, `/v1/documents/${loan.invoice}/transition`, { to })
    await move('disputed')
    await dialog.getByText(/ends once the dispute ends/).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await move('approved')
    await dialog.getByText(/^Collateral disputed from .* to /).waitFor()
    await post(theirs, `/v1/documents/${loan.invoice}/pay`)
    await dialog.getByText('paid on the invoice').waitFor()
    await dialog.getByText('$10,300.00').first().waitFor()
    await until('the loan is repaid', async () => {
      const [agreement] = (await get(ours, '/v1/finance/agreements')).data
      return agreement.closed_reason === 'repaid'
    })
    await dialog.getByText('Closed').first().waitFor()
    await picture(page, 'loan-agreement')
  })

  test('a lender counters the ask of the other side, and takes the offer back', async () => {
    const { id } = await approvedInvoice(theirs, ours)
    await post(ours, '/v1/sandbox/demo/listings', {
      document_id: id,
      terms: { principal: 5_000, fee: { type: 'flat', value: 100 }, grace_days: 7 },
      notice: 'disclosed',
      scenario: 'manual',
    })
    await page.goto(at('/finance'))
    await page.getByRole('button', { name: 'Offer…', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Told once the loan is paid out').waitFor()
    await dialog.getByLabel('Terms').selectOption('counter')
    await dialog.getByLabel('Amount in USD').fill('150')
    await dialog.getByText('$5,150.00').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await dialog.getByRole('button', { name: 'Make the offer' }).click()
    await page.getByText('Your offer is made').first().waitFor()
    const [offer] = (await get(ours, '/v1/finance/offers?role=lender')).data
    assert.deepEqual([offer.kind, offer.terms.fee_amount], ['counter', 150])
    await page.getByRole('button', { name: /^Review the offer/ }).click()
    await dialog.getByRole('button', { name: 'Withdraw' }).click()
    await page.getByText('The offer is withdrawn').first().waitFor()
  })

  test('console 1.2: the offers for one listing stand side by side, the cheapest one first', async () => {
    const second = await post(practice.live.admin_session_token, '/v1/sandboxes', {
      name: 'Second Lender',
    })
    const { id: connection } = await post(second.admin_session_token, '/v1/connections', {
      organization_id: practice.organization.id,
    })
    const session = await openSession(practice.organization.admin)
    await post(session, `/v1/connections/${connection}/accept`)
    const setup = { key: second.api_key, body: { lender: { enabled: true } } }
    assert.equal((await callApi({ baseUrl }, 'PUT', '/v1/finance/setup', setup)).status, 200)
    const { id, number } = await approvedInvoice(ours, theirs)
    const terms = { principal: 10_000, fee: { type: 'bps', value: 250 }, grace_days: 7 }
    const listing = await post(ours, '/v1/finance/listings', {
      document_id: id,
      terms,
      notice: 'undisclosed',
      sandbox_scenario: 'silent',
    })
    const offers = `/v1/finance/listings/${listing.id}/offers`
    const dearer = { ...terms, fee: { type: 'bps', value: 300 } }
    await post(theirs, offers, { kind: 'counter', terms: dearer })
    await page.goto(at('/finance'))
    await page.getByRole('button', { name: 'Review the offer of Demo Counterparty' }).waitFor()
    const compared = page.getByRole('region', { name: `Offers for ${number}` })
    assert.equal(await compared.count(), 0)
    const { expires_at } = await post(second.api_key, offers, { kind: 'at_ask' })
    await compared.getByText('Costs least').waitFor()
    // To the minute in the reader's zone: the day of UTC may be the day after.
    await compared.locator(`time[datetime="${expires_at}"]`).waitFor()
    const [cheapest = '', other = ''] = await page.evaluate<string[]>(
      `[...document.querySelectorAll('section[aria-label^="Offers for"] li')].map((one) => one.innerText)`,
    )
    assert.match(cheapest, /^Second Lender[^]*\$10,250\.00/)
    assert.match(other, /^Demo Counterparty[^]*\$10,300\.00/)
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
    }
    await picture(page, 'compare-offers', allAppearances)
    await compared.getByRole('button', { name: 'Review the offer of Second Lender' }).click()
    await page.getByRole('heading', { name: 'Offer from Second Lender' }).waitFor()
  })

  /** A loan of 10,000.00 on an invoice of its own. */
  const agreed = async () => {
    const invoice = await approvedInvoice(ours, theirs)
    const listing = await post(ours, '/v1/finance/listings', {
      document_id: invoice.id,
      terms: { principal: 10_000, fee: { type: 'bps', value: 250 }, grace_days: 7 },
      sandbox_scenario: 'silent',
    })
    const offer = await post(theirs, `/v1/finance/listings/${listing.id}/offers`, {
      kind: 'at_ask',
    })
    const { agreement } = await post(ours, `/v1/finance/offers/${offer.id}/accept`, {
      authorization_digest: offer.standing_authorization.digest,
    })
    return { invoice, agreement }
  }

  const advance = (advance_by: string) => post(ours, '/v1/sandbox/clock', { advance_by })

  const openFlagged = async () => {
    await page.goto(at('/finance?status=flagged'))
    await page.getByRole('button', { name: 'You borrowed' }).click()
    return page.getByRole('dialog')
  }

  test('console 5.14: what secures a loan or is overdue is not offered for another one', async () => {
    const { invoice: pledged } = await agreed()
    const free = await approvedInvoice(ours, theirs)
    await page.goto(at('/finance'))
    await page.getByRole('button', { name: 'Ask for a loan' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('option', { name: free.number }).waitFor({ state: 'attached' })
    assert.equal(await dialog.getByRole('option', { name: pledged.number }).count(), 0)
    await advance('P61D')
    await page.goto(at('/finance'))
    await page.getByRole('button', { name: 'Ask for a loan' }).click()
    await dialog.getByText(/^None of your approved invoices/).waitFor()
  })

  test('domain 5.2: a loan that is not funded in time can be withdrawn from', async () => {
    const dialog = await openFlagged()
    await dialog.getByText('Funding overdue').waitFor()
    await dialog.getByRole('button', { name: 'Withdraw…' }).click()
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click()
    await page.getByText('You have withdrawn').first().waitFor()
    const [agreement] = (await get(ours, '/v1/finance/agreements')).data
    assert.deepEqual([agreement.status, agreement.closed_reason], ['closed', 'withdrawn'])
  })

  test('console 5.14: nothing is expected of an invoice that was paid before the funding', async () => {
    const { invoice, agreement } = await agreed()
    const { disbursement_id: disbursement } = agreement.documents
    const later = { source_account_id: 'acct_test_async' }
    await post(theirs, `/v1/documents/${disbursement}/pay`, later)
    await post(theirs, `/v1/documents/${invoice.id}/pay`)
    await advance('PT1H')
    const dialog = await openFlagged()
    await dialog.getByText('None. Nothing is left to be paid on the pledged invoice.').waitFor()
    assert.equal(await dialog.getByText(/^When the pledged invoice is paid/).count(), 0)
    assert.equal(await dialog.getByRole('button', { name: 'Withdraw…' }).count(), 0)
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
