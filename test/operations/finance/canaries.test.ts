/**
 * Who learns what of a loan (domain 5.2, 5.6): unique words in the fields of borrower, debtor and
 * lenders, and everything that each of them and a stranger can read afterwards.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { enableFinance, loanParties, loansClient } from '../../support/finance/loans.ts'
import { type TestOrganization, anOrganization, connectPair } from '../../support/fixtures.ts'
import { allPages } from '../../support/http/all-pages.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, found, get } = loans

const word = (name: string): string => `${name}${randomBytes(6).toString('hex')}`

const lists = [
  ...['documents', 'events', 'payments', 'connections', 'treasury/accounts'],
  ...['treasury/transactions', 'finance/listings', 'finance/offers', 'finance/agreements'],
] as const

const readsOf: Readonly<Record<string, readonly string[]>> = {
  documents: ['', '/history', '/lineage', '/export', '/transitions', '/attachments'],
  payments: [''],
  'treasury/transactions': [''],
  'finance/listings': [''],
  'finance/offers': ['', '/authorization'],
  'finance/agreements': ['', '/repayment'],
}

/** Every list, and every read of every record in it. */
const everythingFor = async ({ key }: TestOrganization): Promise<Map<string, string>> => {
  const texts = new Map<string, string>()
  for (const list of lists) {
    const rows = await allPages(running, key, `/v1/${list}?limit=100`)
    texts.set(list, JSON.stringify(rows))
    for (const { id } of rows) {
      for (const rest of readsOf[list] ?? []) {
        const path = `/v1/${list}/${id}${rest}`
        const { status, text } = await get(key, path)
        assert.equal(status, 200, `${path}: ${text}`)
        texts.set(path, text)
      }
    }
  }
  return texts
}

const assertHidden = async (
  reader: TestOrganization,
  hidden: Readonly<Record<string, string>>,
  except: RegExp = /^$/,
): Promise<void> => {
  for (const [where, text] of await everythingFor(reader)) {
    for (const [name, secret] of Object.entries(hidden)) {
      assert(except.test(where) || !text.includes(secret), `${where} shows ${name}: ${text}`)
    }
  }
}

const assertShown = async (
  reader: TestOrganization,
  shown: Readonly<Record<string, string>>,
): Promise<void> => {
  const all = [...(await everythingFor(reader)).values()].join('')
  for (const [name, secret] of Object.entries(shown)) assert(all.includes(secret), name)
}

const wordsOfInvoice = () => ({
  'a line': word('line'),
  'the notes': word('notes'),
  'a reference': word('ref'),
})

/** A second lender, whose counter is not accepted. */
const aRival = async (borrower: TestOrganization) => {
  const rival = await anOrganization(running, { name: word('Rival') })
  await connectPair(running, rival, borrower)
  await enableFinance(running, rival.key)
  return rival
}

for (const notice of ['undisclosed', 'disclosed'] as const) {
  test(`domain 5.6: nobody reads of a loan what is not for him (${notice})`, async () => {
    const parties = await loanParties(running)
    const { borrower, debtor, lender } = parties
    const rival = await aRival(borrower)
    const stranger = await anOrganization(running)
    for (const { key } of [stranger, debtor]) await enableFinance(running, key)
    const words = wordsOfInvoice()
    const metadata = word('meta')
    const line = { description: words['a line'], quantity: 1, unit_price: 12_500, tax_rate: 0 }
    const listing = await loans.listed(
      parties,
      {
        notice,
        terms: { principal: 9_876.54, fee: { type: 'flat', value: 123.45 }, grace_days: 7 },
      },
      {
        line_items: [line],
        notes: words['the notes'],
        external_refs: { issuer_ref: words['a reference'] },
        metadata: { own: metadata },
      },
    )
    const offers = `/v1/finance/listings/${listing.id}/offers`
    const terms = { principal: 8_765.43, fee: { type: 'flat', value: 234.56 }, grace_days: 3 }
    const lost = await posted(rival.key, offers, { kind: 'counter', terms })
    const offer = await posted(lender.key, offers, { kind: 'at_ask' })
    const { agreement } = await posted(
      borrower.key,
      `/v1/finance/offers/${offer.id}/accept`,
      loans.acceptanceOf(offer),
    )
    const { disbursement_id, agreement_id, repayment_id } = agreement.documents
    await posted(lender.key, `/v1/documents/${disbursement_id}/pay`)
    const invoice = agreement.pledged_document_id
    const note = word('dispute')
    const dispute = { to: 'disputed', reason_code: 'QUA', note }
    await posted(debtor.key, `/v1/documents/${invoice}/transition`, dispute)
    await posted(debtor.key, `/v1/documents/${invoice}/transition`, { to: 'approved' })
    await posted(debtor.key, `/v1/documents/${invoice}/pay`)
    // A bundle takes a signed checkpoint.
    await until('the log is signed', async () => {
      const path = `/v1/documents/${repayment_id}/export`
      return (await get(lender.key, path)).status === 200
    })

    const [account] = (await found(debtor.key, '/v1/treasury/accounts?limit=1')).data
    const seenByDebtor = {
      ...words,
      ...{ 'the dispute': note, 'the debtor': debtor.name, 'its id': debtor.id },
      'an account of the debtor': account.id as string,
    }
    const ofTrade = { ...seenByDebtor, metadata }
    const ofRival = {
      ...{ 'the rival': rival.name, 'the id of the rival': rival.id },
      'the offer of the rival': lost.id as string,
    }
    const seenByRival = {
      ...{ 'the principal': '9876.54', 'the fee': '123.45', 'the total': '9999.99' },
      'the listing': listing.id as string,
    }
    const secretOfLender = {
      ...{ 'the lender': lender.name, 'the id of the lender': lender.id },
      ...{ 'the offer': offer.id as string, 'the agreement': agreement.id as string },
      ...{ FIN: agreement_id as string, DSB: disbursement_id as string },
      RPY: repayment_id as string,
    }
    const ofLoan = { ...seenByRival, ...secretOfLender }
    await assertHidden(lender, { ...ofTrade, ...ofRival })
    await assertHidden(debtor, { metadata, ...ofLoan, ...ofRival })
    await assertHidden(rival, { ...ofTrade, ...secretOfLender })
    await assertHidden(stranger, { ...ofTrade, ...ofLoan, ...ofRival })
    // The words are there, for those who may read them.
    await assertShown(borrower, { ...ofLoan, ...ofRival, ...words, metadata })
    await assertShown(debtor, seenByDebtor)
    await assertShown(lender, ofLoan)
    // The lender knows the invoice by what it has signed, and by nothing else.
    const signed = new RegExp(`finance/offers|${agreement_id}`)
    const number = (await loans.documentOf(borrower.key, invoice)).number as string
    await assertHidden(lender, { 'the id of the invoice': invoice }, signed)
    assert.equal((await get(lender.key, `/v1/documents/${invoice}`)).status, 404)
    const search = await callApi(running, 'GET', `/v1/documents?query=${number}`, {
      key: lender.key,
    })
    assert.deepEqual(search.body.data, [])
  })
}
