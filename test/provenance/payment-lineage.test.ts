/** Lineage shows the payment that settled a document, pinned, to its two parties only. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseContent } from '../../src/changes/provenance/erasure.ts'
import { decodeId } from '../../src/core/ids.ts'
import type { LineageNode } from '../../src/core/provenance/lineage.ts'
import { paymentLineage } from '../../src/core/provenance/payment-lineage.ts'
import { linkDocuments } from '../support/documents/links.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { callApi } from '../support/api-client.ts'
import { aPair, anInvoice, anOrganization, connectPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { verifyWithBoth, temporaryFile, fetchTrustFile } from '../support/provenance/verifiers.ts'

const running = await startTestService()
const pair = await aPair(running)
const { issuer, counterparty } = pair

const lineage = async (id: string, key: string) => {
  const reply = await callApi(running, 'GET', `/v1/documents/${id}/lineage`, { key })
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

interface Step {
  kind: string
}

/** Pays an invoice at the second attempt, since a failed payment settles nothing. */
const paidInvoice = async (): Promise<{ id: string; payment: string }> => {
  const { id } = await anApprovedInvoice(running, pair)
  const payFrom = async (source_account_id: string) => {
    const reply = await pay(running, counterparty.key, id, { body: { source_account_id } })
    assert.equal(reply.status, 200, reply.text)
    return reply.body.payment.id
  }
  await payFrom('acct_test_insufficient_funds')
  await until('the payment failed', async () => {
    const { body } = await callApi(running, 'GET', `/v1/documents/${id}`, { key: issuer.key })
    return body.status === 'approved'
  })
  return { id, payment: await payFrom('acct_test_ok') }
}

test('3: the payment that settled a document is a step, pinned by the event of its settlement', async () => {
  const { id, payment } = await paidInvoice()
  const assertSettled = async (isErased: boolean) => {
    for (const key of [issuer.key, counterparty.key]) {
      const { steps, links } = await lineage(id, key)
      const settled = steps.filter((step: Step) => step.kind === 'payment')
      assert.equal(settled.length, 1)
      const shown = { id: payment, kind: 'document_payment', status: 'settled' }
      assert.deepEqual(settled[0].payment, shown)
      assert.equal(settled[0].sealed, false)
      assert.equal(links.length, 1)
      assert.equal(links[0].relation, 'settled_by')
      const document = steps.find((step: Step) => step.kind === 'document')
      assert.deepEqual([links[0].from, links[0].to], [document.step, settled[0].step])
      const history = await callApi(running, 'GET', `/v1/documents/${id}/history`, { key })
      const entry = history.body.entries.find((one: { hash: string }) => {
        return one.hash === settled[0].event_hash
      })
      assert.equal(entry.type, 'payment.settled')
      assert.equal(entry.at, settled[0].at)
      const [recorded] = links[0].recorded_in
      assert.equal(recorded.step, links[0].from)
      assert.equal(history.body.entries[recorded.seq - 1].erased ?? false, false)
      assert.equal(recorded.seq === entry.seq, !isErased)
      const { text } = await callApi(running, 'GET', `/v1/documents/${id}/export`, { key })
      const [verdict] = verifyWithBoth([
        [temporaryFile(text), '--trust', await fetchTrustFile(running, key)],
      ])
      assert.equal(verdict!.exitCode, 0, verdict!.output)
      assert(text.includes(payment), 'the bundle contains the payment')
    }
  }
  await assertSettled(false)
  const { database } = running.service.context
  await database.transaction((tx) =>
    eraseContent(tx, decodeId('doc', id)!, running.service.context),
  )
  await assertSettled(true)
})

test('3: a third party sees no payments of a document of others', async () => {
  const lender = await anOrganization(running)
  const loan = await connectPair(running, lender, issuer)
  const agreement = await anInvoice(running, loan)
  const { id, payment } = await paidInvoice()
  const slots = { from: 'shared', to: 'issuer' } as const
  await linkDocuments(running, { from: agreement.id, to: id, relation: 'secured_by', slots })
  const lenderView = await lineage(agreement.id, lender.key)
  assert.equal(lenderView.links.length, 1)
  assert(!JSON.stringify(lenderView).includes(payment))
  assert(!JSON.stringify(lenderView).includes('settled_by'))
  const borrowerView = await lineage(agreement.id, issuer.key)
  assert.deepEqual(
    borrowerView.links.map(({ relation }: { relation: string }) => relation).toSorted(),
    ['secured_by', 'settled_by'],
  )
})

test('3: a sweep links as swept_by, and a returned payment shows its status', () => {
  const paymentEvent = (seq: number, payment: object) => ({
    hash: Buffer.from([seq]),
    header: { seq, at: `2026-11-2${seq}` },
    open: { shared: { salt: '', body: { payment } } },
  })
  const paymentOf = (kind: string, status: string) => ({ id: `pay_${kind}`, kind, status })
  const events = [
    paymentEvent(1, paymentOf('sweep', 'processing')),
    paymentEvent(2, paymentOf('sweep', 'settled')),
    paymentEvent(3, paymentOf('repayment', 'settled')),
    paymentEvent(4, paymentOf('repayment', 'returned')),
  ]
  const { steps, links } = paymentLineage({
    history: { stream: 's', events },
  } as unknown as LineageNode)
  assert.deepEqual(
    links.map(({ relation, recorded }) => [relation, recorded[0]!.seq]),
    [
      ['swept_by', 2],
      ['settled_by', 3],
    ],
  )
  assert.deepEqual(
    steps.map(({ step }) => [step.payment!.status, step.at]),
    [
      ['settled', '2026-11-22'],
      ['returned', '2026-11-23'],
    ],
  )
})
