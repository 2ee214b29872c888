/**
 * Who learns what of a loan (domain 5.2, 5.6): unique words in the fields of borrower, debtor and
 * lenders, and everything that each of them and a stranger can read afterwards: over HTTP, with the
 * tools of the MCP server, in the stream, and as deliveries.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { attachmentsClient, aFileForm } from '../../support/documents/attachments-client.ts'
import {
  type Reader,
  asReader,
  everythingReadableBy,
} from '../../support/finance/everything-readable.ts'
import { everythingOverMcp } from '../../support/finance/everything-over-mcp.ts'
import { enableFinance, loansClient } from '../../support/finance/loans.ts'
import { anOrganization, connectPair } from '../../support/fixtures.ts'
import { sellerProfile, setProfile } from '../../support/identity/profiles.ts'
import { callTool, connectMcp } from '../../support/mcp/clients.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'
import { localReceiverSettings } from '../../support/webhooks/receiver.ts'

const running = await startTestService({ ...localReceiverSettings, SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, found, get } = loans
const { upload } = attachmentsClient(running)

type Words = Readonly<Record<string, string>>

const word = (name: string): string => `${name}${randomBytes(6).toString('hex')}`

const hides = (all: ReadonlyMap<string, string>, hidden: Words, except = /^$/): void => {
  for (const [where, text] of all) {
    for (const [name, secret] of Object.entries(hidden)) {
      assert(except.test(where) || !text.includes(secret), `${where} shows ${name}: ${text}`)
    }
  }
}

const shows = (all: ReadonlyMap<string, string>, shown: Words, where = /^/): void => {
  const texts = [...all].flatMap(([path, text]) => (where.test(path) ? [text] : [])).join('\n')
  for (const [name, secret] of Object.entries(shown)) assert(texts.includes(secret), name)
}

const finds = async ({ key, session }: Reader, secret: string): Promise<number> => {
  const client = await connectMcp(running, session)
  const results = await Promise.all([
    found(key, `/v1/documents?query=${secret}`),
    found(key, `/v1/search?q=${secret}`),
    callTool(client, 'search', { q: secret }).then(({ body }) => body),
  ])
  return results.reduce((count, { data }) => count + data.length, 0)
}

/** Whether a document exists for a caller of the tools. */
const existsOverMcp = async ({ session }: Reader, id: string): Promise<boolean> => {
  const client = await connectMcp(running, session)
  const { isError, body } = await callTool(client, 'documents_get', { id })
  assert(!isError || body.error.code === 'not_found')
  return !isError
}

/** An organization with a profile of unique words, and these words. */
const aParty = async (role: string): Promise<{ party: Reader; profile: Words }> => {
  const party = await asReader(running, await anOrganization(running, { name: word(role) }))
  const { address, bank } = sellerProfile
  const [legal_name, line1, account_name] = [word('legal'), word('street'), word('holder')]
  await setProfile(running, party, {
    ...sellerProfile,
    legal_name,
    address: { ...address, line1 },
    bank: { ...bank, account_name },
  })
  const profile = { 'the legal name': legal_name, 'the street': line1, 'the bank': account_name }
  return { party, profile }
}

const aCast = async () => {
  const cast = {
    borrower: await aParty('Borrower'),
    debtor: await aParty('Debtor'),
    lender: await aParty('Lender'),
    rival: await aParty('Rival'),
    stranger: await aParty('Stranger'),
  }
  const { borrower, debtor, lender, rival } = cast
  const trade = await connectPair(running, borrower.party, debtor.party)
  for (const { party } of [lender, rival]) await connectPair(running, party, borrower.party)
  for (const { party } of Object.values(cast)) await enableFinance(running, party.key)
  return { ...cast, trade }
}

/** A comment that only the side of its author may see. */
const comment = async ({ key }: Reader, document: string, text: string): Promise<void> =>
  posted(key, `/v1/documents/${document}/comments`, { text })

const attach = async ({ key }: Reader, document: string, name: string): Promise<void> => {
  const form = aFileForm(`${name}.txt`, 'A note.')
  assert.equal((await upload(`/v1/documents/${document}/attachments`, key, form)).status, 201)
}

const wordsOfInvoice = () => ({
  'a line': word('line'),
  'an article': word('sku'),
  'the notes': word('notes'),
  'a reference': word('ref'),
})

const asInvoice = (words: ReturnType<typeof wordsOfInvoice>, metadata: string) => {
  const [description, sku] = [words['a line'], words['an article']]
  return {
    line_items: [{ description, sku, quantity: 1, unit_price: 12_500, tax_rate: 0 }],
    notes: words['the notes'],
    external_refs: { issuer_ref: words['a reference'] },
    metadata: { own: metadata },
  }
}

const askedTerms = { principal: 9_876.54, fee: { type: 'flat', value: 123.45 }, grace_days: 7 }
const counter = { principal: 8_765.43, fee: { type: 'flat', value: 234.56 }, grace_days: 3 }

for (const notice of ['undisclosed', 'disclosed'] as const) {
  test(`domain 5.6: nobody reads of a loan what is not for him (${notice})`, async () => {
    const cast = await aCast()
    const [borrower, debtor, lender, rival] = [
      cast.borrower.party,
      cast.debtor.party,
      cast.lender.party,
      cast.rival.party,
    ] as [Reader, Reader, Reader, Reader]
    const words = wordsOfInvoice()
    const metadata = word('meta')
    const parties = { borrower, debtor, lender, trade: cast.trade }
    const asked = { notice, terms: askedTerms }
    const listing = await loans.listed(parties, asked, asInvoice(words, metadata))
    const offers = `/v1/finance/listings/${listing.id}/offers`
    const lost = await posted(rival.key, offers, { kind: 'counter', terms: counter })
    const offer = await posted(lender.key, offers, { kind: 'at_ask' })
    const accept = `/v1/finance/offers/${offer.id}/accept`
    const { agreement } = await posted(borrower.key, accept, loans.acceptanceOf(offer))
    const { disbursement_id, agreement_id, repayment_id } = agreement.documents
    const invoice: string = agreement.pledged_document_id
    const comments = { borrower: word('own'), debtor: word('own'), lender: word('own') }
    await comment(borrower, invoice, comments.borrower)
    await comment(debtor, invoice, comments.debtor)
    await comment(lender, agreement_id, comments.lender)
    const files = { 'a file of the invoice': word('file'), 'a file of the loan': word('file') }
    await attach(debtor, invoice, files['a file of the invoice'])
    await attach(lender, repayment_id, files['a file of the loan'])
    await posted(lender.key, `/v1/documents/${disbursement_id}/pay`)
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

    const accountOf = async ({ key }: Reader, purpose: string): Promise<string> => {
      const { data } = await found(key, '/v1/treasury/accounts?limit=100')
      return data.find((one: Record<string, string>) => one['purpose'] === purpose).id
    }
    const ofPayer = { 'an account of the debtor': await accountOf(debtor, 'settlement') }
    const seenByDebtor: Words = {
      ...words,
      'the dispute': note,
      'the debtor': debtor.name,
      'its id': debtor.id,
      'a file of the invoice': files['a file of the invoice'],
    }
    const ofDebtor = { ...seenByDebtor, ...ofPayer, ...cast.debtor.profile }
    const ofTrade = { ...ofDebtor, metadata, 'a comment of the debtor': comments.debtor }
    const ofBorrower = { metadata, 'a comment of the borrower': comments.borrower }
    const ofRival = {
      'the rival': rival.name,
      'the id of the rival': rival.id,
      'the offer of the rival': lost.id,
      ...cast.rival.profile,
    }
    const seenByRival = {
      'the principal': '9876.54',
      'the fee': '123.45',
      'the total': '9999.99',
      'as printed': '9,876.54',
      'the listing': listing.id,
    }
    const ownOfLender = { 'a comment of the lender': comments.lender }
    const funding = { 'an account of the lender': await accountOf(lender, 'funding') }
    const secretOfLender = {
      'the lender': lender.name,
      'the id of the lender': lender.id,
      'the offer': offer.id,
      'the agreement': agreement.id,
      FIN: agreement_id,
      DSB: disbursement_id,
      RPY: repayment_id,
      'a file of the loan': files['a file of the loan'],
    }
    const ofLoan = { ...seenByRival, ...secretOfLender }
    const ofLender = { ...ofLoan, ...ownOfLender, ...funding, ...cast.lender.profile }

    // The tools perform the operations that are read in both tests, so one test calls them, and
    // it does so first, while the log of its calls is short.
    const everythingFor = async (reader: Reader): Promise<ReadonlyMap<string, string>> =>
      new Map([
        ...(notice === 'disclosed' ? await everythingOverMcp(running, reader) : []),
        ...(await everythingReadableBy(running, reader)),
      ])
    const forLender = await everythingFor(lender)
    const forDebtor = await everythingFor(debtor)
    const forBorrower = await everythingFor(borrower)
    const forRival = await everythingFor(rival)
    const forStranger = await everythingFor(cast.stranger.party)
    hides(forLender, { ...ofTrade, ...ofBorrower, ...ofRival })
    hides(forDebtor, { ...ofBorrower, ...ofLender, ...ofRival })
    hides(forBorrower, { ...ownOfLender, ...ofPayer, 'a comment of the debtor': comments.debtor })
    const hiddenFromRival = {
      ...secretOfLender,
      ...ownOfLender,
      ...funding,
      ...cast.lender.profile,
    }
    hides(forRival, { ...ofTrade, ...ofBorrower, ...hiddenFromRival })
    hides(forStranger, { ...ofTrade, ...ofBorrower, ...ofLender, ...ofRival })

    // The words are there, for those who may read them.
    shows(forBorrower, { ...ofLoan, ...seenByDebtor, ...ofBorrower, 'the rival': rival.name })
    shows(forDebtor, { ...ofDebtor, 'a comment of the debtor': comments.debtor })
    shows(forLender, ofLender)
    for (const format of ['json', 'csv', 'ubl', 'cii', 'pdf', 'facturx']) {
      const line = { [`a line as ${format}`]: words['a line'] }
      shows(forDebtor, line, new RegExp(`documents/.*format=${format}$`))
    }
    shows(forDebtor, words, /^delivery/)
    shows(forLender, { RPY: repayment_id }, /^delivery/)
    shows(forLender, { RPY: repayment_id }, /^stream$/)
    shows(forDebtor, { 'the invoice': invoice }, /^stream$/)
    if (notice === 'disclosed') {
      for (const tool of ['documents_get', 'events_get', 'stream']) {
        shows(forDebtor, { [`the invoice in ${tool}`]: invoice }, new RegExp(`^${tool} `))
      }
      shows(forDebtor, words, /^documents_render .*"format":"pdf"/)
      shows(forLender, ofLoan, /^finance_(agreements|offers)_get|^documents_/)
    }
    shows(forLender, { 'the agreement': agreement.id }, /^finance\/agreements\/.*\/export$/)

    // The lender knows the invoice by what it has signed, and by nothing else.
    const signed = new RegExp(`finance/(offers|agreements/.*/export)|${agreement_id}`)
    hides(forLender, { 'the id of the invoice': invoice }, signed)
    assert.equal((await get(lender.key, `/v1/documents/${invoice}`)).status, 404)
    for (const reader of [lender, rival, cast.stranger.party]) {
      assert.equal(await existsOverMcp(reader, invoice), false)
    }
    assert.equal(await existsOverMcp(debtor, invoice), true)
    assert.equal(await existsOverMcp(debtor, agreement_id), false)
    const number = (await loans.documentOf(borrower.key, invoice)).number as string
    assert.equal(await finds(lender, number), 0)
    for (const secret of Object.values(words)) {
      for (const reader of [lender, rival, cast.stranger.party]) {
        assert.equal(await finds(reader, secret), 0)
      }
      assert((await finds(debtor, secret)) > 0, secret)
    }
    assert.equal(await finds(debtor, metadata), 0)
    assert.equal(await finds(debtor, lender.name), 0)
  })
}
