/** Domain 7: documents as PDF. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { readPdf } from '../../support/documents/pdf-reader.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { type Pair, aDraft, aPair, anInvoice } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { sellerProfile, setProfile, withProfiles } from '../../support/identity/profiles.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await withProfiles(running, await aPair(running))
const live = await withProfiles(running, await aPair(running, 'live'))

const pdfOf = async (id: string, key = pair.issuer.key, query = 'format=pdf') => {
  const url = `${running.baseUrl}/v1/documents/${id}/render?${query}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(response.status, 200, bytes.toString())
  return { bytes, headers: response.headers, ...readPdf(bytes) }
}

const aLine = (description: string) => ({
  description,
  quantity: 1,
  unit_price: 1_234.5,
  tax_rate: 0.21,
})

const issuedBy = async (parties: Pair, profile: object, more: Record<string, unknown> = {}) => {
  await setProfile(running, parties.issuer, profile)
  const invoice = await anInvoice(running, parties, more)
  await setProfile(running, parties.issuer, sellerProfile)
  return invoice
}

describe('domain 7: the PDF of a document', () => {
  test('shows what the API says, in the same bytes to both sides', async () => {
    const lines = ['Café “Zürich”', 'Žluťoučký kůň', 'Καφές'].map(aLine)
    const invoice = await anInvoice(running, live, { line_items: lines, notes: 'Many thanks' })
    const pdf = await pdfOf(invoice.id, live.issuer.key)
    const { body } = await callApi(running, 'GET', `/v1/documents/${invoice.id}`, live.issuer)
    const [page] = pdf.pages
    assert.equal(pdf.pages.length, 1)
    for (const { description } of lines) assert(page!.includes(description), page!)
    for (const text of ['Invoice', body.number, sellerProfile.legal_name, 'Many thanks']) {
      assert(page!.includes(text), text)
    }
    for (const amount of ['1,234.50', '3,703.50', '4,481.24 USD', 'BE68 5390 0754 7034']) {
      assert(page!.includes(amount), `${amount}: ${page}`)
    }
    assert.equal(body.total, 4_481.24)
    assert((await pdfOf(invoice.id, live.counterparty.key)).bytes.equals(pdf.bytes))
  })

  test('titles a loan agreement as its label does, for both sides', async () => {
    const parties = await loanParties(running)
    const { agreement } = await loansClient(running).accepted(parties)
    const id = agreement.documents.agreement_id
    for (const { key } of [parties.borrower, parties.lender]) {
      const { label, number } = (await callApi(running, 'GET', `/v1/documents/${id}`, { key })).body
      assert.equal(label, 'Loan Agreement')
      const { pages } = await pdfOf(id, key)
      assert(pages[0]!.includes('Loan agreement'), pages[0]!)
      assert(pages[0]!.includes(number), pages[0]!)
    }
  })

  test('is PDF/A-3, tagged, titled, with embedded fonts, and 304 to who has it', async () => {
    const { id } = await anInvoice(running, pair)
    const { bytes, structure, streams, headers } = await pdfOf(id)
    assert(bytes.toString('latin1').startsWith('%PDF-1.7'))
    for (const part of [
      '/Marked true',
      '/StructTreeRoot',
      '/Lang (en)',
      '/DisplayDocTitle true',
      '/S /Table',
      '/S /TH',
      '/Scope /Column',
      '/S /H1',
      '/FontFile2',
      '/GTS_PDFA1',
    ]) {
      assert(structure.includes(part), part)
    }
    const metadata = [...streams.values()].find((data) => data.includes('x:xmpmeta'))!.toString()
    assert.match(metadata, /<pdfaid:part>3<.*<pdfaid:conformance>A</s)
    assert.match(metadata, /<rdf:li xml:lang="x-default">Invoice INV-\d+</)
    assert.match(headers.get('content-disposition')!, /^attachment; filename="INV-\d+\.pdf"$/)
    const path = `/v1/documents/${id}/render`
    const accepted = await callApi(running, 'GET', path, {
      key: pair.counterparty.key,
      headers: { accept: 'application/pdf', 'if-none-match': headers.get('etag')! },
    })
    assert.equal(accepted.status, 304)
  })

  test('facturx carries the very XML of cii, named by metadata with an extension schema', async () => {
    const { id } = await anInvoice(running, pair)
    const { structure, streams, bytes } = await pdfOf(id, pair.counterparty.key, 'format=facturx')
    const path = `/v1/documents/${id}/render?format=cii`
    const { text: xml } = await callApi(running, 'GET', path, pair.issuer)
    assert([...streams.values()].some((data) => data.toString() === xml))
    for (const part of [
      '/AFRelationship /Alternative',
      '(factur-x.xml)',
      '/AF [',
      '/EmbeddedFiles',
    ]) {
      assert(structure.includes(part), part)
    }
    const metadata = [...streams.values()].find((data) => data.includes('x:xmpmeta'))!.toString()
    assert.match(metadata, /<fx:ConformanceLevel>EN 16931</)
    assert.match(metadata, /<pdfaSchema:prefix>fx</)
    assert((await pdfOf(id)).bytes.equals(bytes))
  })

  test('without a complete profile, pdf carries no XML and facturx is refused', async () => {
    const bare = await aPair(running)
    const { id } = await anInvoice(running, bare)
    assert(!(await pdfOf(id, bare.issuer.key)).structure.includes('factur-x'))
    const path = `/v1/documents/${id}/render?format=facturx`
    const refused = assertRefused(await callApi(running, 'GET', path, bare.issuer), 'conflict')
    assert.equal(refused.reason, 'profile_incomplete')
  })

  test('says terms that the service derived in the language of the page, and others as they are', async () => {
    const today = '2026-11-20'
    const cases = [
      [{ due_date: '2026-12-20' }, 'Zahlbar innerhalb von 30 Tagen'],
      [{ due_date: '2026-11-21' }, 'Zahlbar innerhalb von 1 Tag'],
      [{ due_date: today }, 'Zahlbar sofort'],
      [{ payment_terms: 'Net 30 EOM' }, 'Net 30 EOM'],
    ] as const
    for (const [terms, text] of cases) {
      const more = { document_date: today, ...terms }
      const { id } = await issuedBy(live, { locale: 'de' }, more)
      const { pages } = await pdfOf(id, live.issuer.key)
      assert.match(pages[0]!, new RegExp(`Bedingungen: ${text}\\n`))
    }
  })

  test('a long table repeats its header on every page, with the totals carried over', async () => {
    const line_items = Array.from({ length: 90 }, (_, i) => aLine(`Item number ${i + 1}`))
    const { id } = await issuedBy(live, { locale: 'de' }, { line_items })
    const { pages, structure } = await pdfOf(id, live.issuer.key)
    assert(pages.length >= 3)
    assert(structure.includes('/Lang (de)'))
    pages.slice(1).forEach((page, i) => {
      const carried = /Übertrag\n([\d.,]+)/.exec(page)![1]
      assert(page.includes('Einzelpreis'))
      assert(pages[i]!.includes(`Übertrag\n${carried}`), page)
      const first = Number(/Item number (\d+)/.exec(page)![1])
      const cents = String((first - 1) * 123_450).replace(/(\d\d)$/, ',$1')
      assert.equal(carried, cents.replace(/\B(?=(\d{3})+,)/g, '.'))
    })
  })

  test('drafts and sandbox documents have a watermark on every page, others have none', async () => {
    const draft = await pdfOf((await aDraft(running, pair)).id)
    assert(draft.pages.every((page) => page.startsWith('SANDBOX · DRAFT\n')))
    const issued = await pdfOf((await anInvoice(running, pair)).id)
    assert(issued.pages.every((page) => page.startsWith('SANDBOX\n')))
    const { pages } = await pdfOf((await anInvoice(running, live)).id, live.issuer.key)
    assert(!/SANDBOX|DRAFT/i.test(pages.join('')))
  })

  test('the paper is that of the country, and a description of many lines is shown whole', async () => {
    const description = Array.from({ length: 180 }, (_, i) => `w${i}`).join(' ') + 'x'.repeat(200)
    const address = { ...sellerProfile.address, country: 'US' }
    const changed = { address, vat_id: null }
    const { id } = await issuedBy(live, changed, { line_items: [aLine(description)] })
    const { pages, structure } = await pdfOf(id, live.issuer.key)
    assert(structure.includes('/MediaBox [0 0 612 792]'))
    const shown = pages.join('\n').replaceAll('\n', '')
    assert(shown.includes('x'.repeat(200)) && shown.includes('w179'))
    assert(shown.includes('Brussels, Brussels-Capital 1000'), shown)
  })

  test('every type has one, also where no profile is complete', async () => {
    const bare = await aPair(running)
    const draft = await aDraft(running, bare, { document_type: 'quote' })
    const { pages } = await pdfOf(draft.id, bare.issuer.key)
    assert(pages[0]!.includes('Quote'))
  })

  test('many at once are all answered, one organization after the other', async () => {
    const invoices = await Promise.all([pair, live].map((parties) => anInvoice(running, parties)))
    const [ofPair, ofLive] = await Promise.all([
      Promise.all(Array.from({ length: 8 }, () => pdfOf(invoices[0]!.id))),
      pdfOf(invoices[1]!.id, live.issuer.key),
    ])
    assert(ofPair.every(({ bytes }) => bytes.equals(ofPair[0]!.bytes)))
    assert(!ofLive.bytes.equals(ofPair[0]!.bytes))
  })
})
