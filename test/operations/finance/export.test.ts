/** The proof of a pledge that a lender holds (domain 5.6), and what it does not show. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eraseContent } from '../../../src/changes/provenance/erasure.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { root } from '../../support/architecture/sources.ts'
import { anOrganization, connectPair } from '../../support/fixtures.ts'
import { askedTerms, enableFinance, loanParties, loansClient } from '../../support/finance/loans.ts'
import {
  fetchTrustFile,
  temporaryFile,
  verifyWithBoth,
} from '../../support/provenance/verifiers.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const loans = loansClient(running)
const { posted, get } = loans
const parties = await loanParties(running)
const { borrower, debtor, lender } = parties
const trust = await fetchTrustFile(running, lender.key)

const exported = (key: string, id: string) => get(key, `/v1/finance/agreements/${id}/export`)

/** What both verifiers say of the proof, which they accept. */
const provenBy = async (key: string, id: string) => {
  const reply = await exported(key, id)
  assert.equal(reply.status, 200, reply.text)
  const digest = reply.headers.get('svc-bundle-digest')!
  const file = temporaryFile(reply.text)
  const [verdict] = verifyWithBoth([[file, '--trust', trust, '--digest', digest]])
  assert.equal(verdict!.exitCode, 0, verdict!.output)
  return { proven: JSON.parse(verdict!.output), proof: JSON.parse(reply.text), text: reply.text }
}

test('domain 5.6: lender and borrower hold the proof of the pledge through the life of the loan', async () => {
  const { agreement } = await loans.accepted(parties)
  const invoice = await loans.documentOf(borrower.key, agreement.pledged_document_id)
  for (const { key } of [lender, borrower]) {
    const { proven } = await provenBy(key, agreement.id)
    const { agreement_id, earlier, recorded, now } = proven
    assert.deepEqual([agreement_id, earlier], [agreement.id, 0])
    assert.equal(proven.invoice.document_id, invoice.id)
    assert.deepEqual(
      [recorded.balance_due, recorded.due_date, now.pledge, now.status],
      ['12500.00', invoice.due_date, 'recorded', 'approved'],
    )
  }
  await posted(lender.key, `/v1/documents/${agreement.documents.disbursement_id}/pay`)
  assert.equal((await provenBy(lender.key, agreement.id)).proven.now.pledge, 'assigned')
  await posted(debtor.key, `/v1/documents/${invoice.id}/pay`)
  const { now } = (await provenBy(lender.key, agreement.id)).proven
  assert.deepEqual([now.pledge, now.status, now.balance_due], ['released', 'paid', '0.00'])
})

test('domain 5.6: of the invoice the proof shows only the slot for lenders', async () => {
  const canaries = {
    notes: 'CANARY-NOTES',
    external_refs: { issuer_ref: 'CANARY-REFERENCE' },
    metadata: { canary: 'CANARY-METADATA' },
    line_items: [{ description: 'CANARY-LINE', quantity: 1, unit_price: 12_500, tax_rate: 0 }],
  }
  const { agreement } = await loans.accepted(parties, { notice: 'disclosed' }, canaries)
  await posted(lender.key, `/v1/documents/${agreement.documents.disbursement_id}/pay`)
  const { proof, text } = await provenBy(lender.key, agreement.id)
  const bill = await loans.documentOf(debtor.key, agreement.pledged_document_id)
  for (const hidden of ['CANARY', debtor.id, bill.counterparty.name, bill.number]) {
    assert.equal(text.includes(hidden), false, hidden)
  }
  for (const { open } of proof.invoice.events) assert.deepEqual(Object.keys(open), ['finance'])
})

test('domain 5.6: a pledge that was released is proven to its lender, and the next is not', async () => {
  const next = await anotherLender()
  const { agreement } = await loans.accepted(parties)
  await posted(lender.key, `/v1/finance/agreements/${agreement.id}/withdraw`)
  const before = await provenBy(lender.key, agreement.id)
  assert.equal(before.proven.now.pledge, 'released')

  const body = { document_id: agreement.pledged_document_id, terms: askedTerms }
  const listing = await posted(borrower.key, '/v1/finance/listings', body)
  const offer = await posted(next.key, `/v1/finance/listings/${listing.id}/offers`, {
    kind: 'at_ask',
  })
  const path = `/v1/finance/offers/${offer.id}/accept`
  const second = await posted(borrower.key, path, loans.acceptanceOf(offer))
  const { proven, text } = await provenBy(next.key, second.agreement.id)
  assert.deepEqual([proven.earlier, proven.now.pledge], [1, 'recorded'])
  assert.equal(text.includes(lender.id), false)

  const after = await provenBy(lender.key, agreement.id)
  assert.equal(after.text.includes(second.agreement.id), false)
  assert.equal(after.text.includes(next.id), false)
  assert.deepEqual(after.proven.now, before.proven.now)
})

const anotherLender = async () => {
  const next = await anOrganization(running)
  await connectPair(running, next, borrower)
  await enableFinance(running, next.key)
  return next
}

test('domain 5.6: a proof keeps its bytes, and verifies in an empty folder', async () => {
  const { agreement } = await loans.accepted(parties)
  const before = await exported(lender.key, agreement.id)
  await loans.accepted(parties)
  const after = await exported(lender.key, agreement.id)
  assert.equal(after.text, before.text)
  assert.equal(after.headers.get('etag'), `"${after.headers.get('svc-bundle-digest')}"`)
  const folder = temporaryFolder()
  for (const [program, name] of [
    [process.execPath, 'verify-bundle.mjs'],
    ['python3', 'verify_bundle.py'],
  ] as const) {
    cpSync(join(root, 'verifier', name), join(folder, name))
    const args = [name, temporaryFile(after.text), '--trust', trust]
    const { status, stdout } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
    assert.equal(status, 0, stdout)
    assert.match(stdout, new RegExp(`^VALID pledge of .* for ${agreement.id}`))
  }
})

test('domain 5.6: nobody else gets the proof', async () => {
  const next = await anotherLender()
  const { agreement } = await loans.accepted(parties)
  assert.equal((await exported(next.key, agreement.id)).status, 404)
  assert.equal((await exported(debtor.key, agreement.id)).status, 403)
})

test('provenance 8: a proof outlives the erasure of the text of the invoice and the agreement', async () => {
  const { agreement } = await loans.accepted(parties)
  for (const id of [agreement.pledged_document_id, agreement.documents.agreement_id]) {
    await erase(id)
  }
  const { proven } = await provenBy(lender.key, agreement.id)
  assert.equal(proven.now.pledge, 'recorded')
})

const erase = (id: string) => {
  const { context } = running.service
  return context.database.transaction((tx) => eraseContent(tx, decodeId('doc', id)!, context))
}

interface Step {
  kind: string
  sealed: boolean
  held_by?: string
  document?: { id: string }
}

/** What one party sees: `from relation to`, with the names of the documents. */
const lineageOf = async (key: string, id: string, names: Readonly<Record<string, string>>) => {
  const reply = await get(key, `/v1/documents/${id}/lineage`)
  assert.equal(reply.status, 200, reply.text)
  const { steps, links } = reply.body
  const nameOf = (step: number) => {
    const { kind, sealed, held_by, document } = steps[step - 1] as Step
    return sealed ? held_by! : kind === 'document' ? names[document!.id]! : kind
  }
  type Link = { from: number; relation: string; to: number }
  const told = links.map((link: Link) => `${nameOf(link.from)} ${link.relation} ${nameOf(link.to)}`)
  const sealed = steps.filter((step: Step) => step.sealed).length
  return { told: told.toSorted(), sealed, text: reply.text }
}

test('provenance 3: lineage shows each party the links of a loan that it may see', async () => {
  const loan = await loans.funded(parties)
  const { documents, pledged_document_id: invoice } = loan
  const { agreement_id, disbursement_id, repayment_id } = documents
  const names = {
    [invoice]: 'invoice',
    [agreement_id]: 'agreement',
    [disbursement_id]: 'disbursement',
    [repayment_id]: 'repayment',
  }
  const withBoth = ['agreement disbursed_by disbursement', 'agreement repaid_by repayment']
  const paid = 'disbursement settled_by payment'
  const assertSeen = async () => {
    for (const id of [agreement_id, disbursement_id, repayment_id]) {
      const { told, text } = await lineageOf(lender.key, id, names)
      assert.deepEqual(told, [...withBoth, 'agreement secured_by third_party', paid])
      for (const hidden of [invoice, debtor.id]) assert(!text.includes(hidden), hidden)
    }
    for (const id of Object.keys(names)) {
      const { told } = await lineageOf(borrower.key, id, names)
      assert.deepEqual(told, [...withBoth, 'agreement secured_by invoice', paid])
    }
    const { told, sealed, text } = await lineageOf(debtor.key, invoice, names)
    assert.deepEqual([told, sealed], [[], 3], 'the draft, and the pledge recorded and assigned')
    for (const hidden of [...Object.keys(names).slice(1), loan.id, lender.id]) {
      assert(!text.includes(hidden), hidden)
    }
  }
  await assertSeen()
  await erase(agreement_id)
  await assertSeen()
  await erase(repayment_id)
  await assertSeen()
  await erase(invoice)
  const { told } = await lineageOf(borrower.key, invoice, names)
  assert(told.includes('agreement secured_by invoice'))

  await posted(debtor.key, `/v1/documents/${invoice}/pay`)
  const swept = await lineageOf(lender.key, repayment_id, names)
  assert(swept.told.includes('repayment swept_by payment'))
})
