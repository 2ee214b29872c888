/** Lineage (provenance 3): links pinned in both histories, and sealed steps that reveal nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseContent } from '../../src/changes/provenance/erasure.ts'
import { saltAt, slotNames, storedSalts } from '../../src/core/provenance/history-event.ts'
import { limits } from '../../src/contract/limits.ts'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'
import { linkDocuments } from '../support/documents/links.ts'
import { callApi } from '../support/api-client.ts'
import { aDraft, anInvoice, anOrganization, connectPair, move } from '../support/fixtures.ts'
import { until } from '../support/until.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'

const { running, pair, issuer, counterparty } = await startTradingPair()

const lineage = async (id: string, key: string) => {
  const reply = await callApi(running, 'GET', `/v1/documents/${id}/lineage`, { key })
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

interface Step {
  step: number
  kind: string
  sealed: boolean
  document?: { id: string; number: string; label: string; direction: string }
}

const documentsOf = (steps: readonly Step[]) =>
  steps.filter(({ kind, sealed }) => kind === 'document' && !sealed)

test('3: the link from an order to the invoice that bills it is recorded in both histories', async () => {
  const order = await anInvoice(running, pair)
  const invoice = await anInvoice(running, pair)
  await linkDocuments(running, { from: order.id, to: invoice.id, relation: 'billed_as' })
  // There is no checkpoint until the log is published for the first time.
  const isPublished = async () => (await lineage(order.id, issuer.key)).checkpoint !== null
  await until('the log has a checkpoint', isPublished)
  for (const [key, direction, label] of [
    [issuer.key, 'issued', 'Invoice'],
    [counterparty.key, 'received', 'Bill'],
  ] as const) {
    for (const start of [order.id, invoice.id]) {
      const { steps, links, verified, truncated, checkpoint } = await lineage(start, key)
      assert.equal(verified, true)
      assert.equal(truncated, false)
      assert.match(checkpoint.origin, /\/test\/1$/)
      const [first, second] = documentsOf(steps)
      assert.equal(first!.document!.id, order.id)
      assert.equal(second!.document!.id, invoice.id)
      assert.deepEqual(
        [first, second].map((one) => [one!.document!.direction, one!.document!.label]),
        [1, 2].map(() => [direction, label]),
      )
      assert.equal(links.length, 1)
      assert.equal(links[0].relation, 'billed_as')
      assert.deepEqual([links[0].from, links[0].to], [first!.step, second!.step])
      assert.deepEqual(links[0].recorded_in, [
        { step: first!.step, seq: 3 },
        { step: second!.step, seq: 3 },
      ])
    }
  }
})

test('3: what only the other side may read is a sealed step that shows none of its content', async () => {
  const canary = 'CANARY-of-the-issuer'
  const order = await anInvoice(running, pair)
  const draft = await aDraft(running, pair, { metadata: { secret: canary }, notes: canary })
  await callApi(running, 'PATCH', `/v1/documents/${draft.id}`, {
    key: issuer.key,
    body: { notes: 'Thank you' },
  })
  await callApi(running, 'POST', `/v1/documents/${draft.id}/issue`, { key: issuer.key })
  await linkDocuments(running, { from: order.id, to: draft.id, relation: 'billed_as' })
  const { steps } = await lineage(draft.id, counterparty.key)
  const sealed = steps.filter((step: Step) => step.sealed)
  assert.equal(sealed.length, 3, 'creating and editing this draft, creating the other')
  const rows = await running.database.rows<{ salts: Buffer }>(sql`
    select salts from prov_event where document_id = ${decodeId('doc', draft.id)!}`)
  const salts = rows.flatMap((row) => {
    const all = storedSalts(row.salts)!
    const [, own, , forLenders] = slotNames.map((_, slot) => saltAt(all, slot).toString('hex'))
    return [row.salts.toString('hex'), own!, forLenders!]
  })
  const secrets = [canary, issuer.keyId, ...salts]
  for (const what of ['history', 'lineage', 'export']) {
    const { text, status } = await callApi(running, 'GET', `/v1/documents/${draft.id}/${what}`, {
      key: counterparty.key,
    })
    assert.equal(status, 200, text)
    for (const secret of secrets) assert(!text.includes(secret), `${what} shows ${secret}`)
  }
})

test('5.6: the headers of open, sealed and empty steps have one form and length', async () => {
  const invoice = await anInvoice(running, pair)
  await move(running, counterparty.key, invoice.id, 'approved')
  const { text } = await callApi(running, 'GET', `/v1/documents/${invoice.id}/export`, {
    key: counterparty.key,
  })
  const { events } = JSON.parse(text)
  const lengths = events
    .slice(1)
    .map(({ header }: { header: object }) => JSON.stringify(header).length)
  assert.equal(new Set(lengths).size, 1)
  assert.deepEqual(events[0].open.shared.body, null, 'a draft provably shares nothing')
})

test('3: a document of third parties is a sealed step that does not identify it', async () => {
  const lender = await anOrganization(running)
  const loan = await connectPair(running, lender, issuer)
  const invoice = await anInvoice(running, pair)
  const agreement = await anInvoice(running, loan)
  // The pledge is shared in the agreement, but private to the borrower on the invoice.
  const slots = { from: 'shared', to: 'issuer' } as const
  await linkDocuments(running, {
    from: agreement.id,
    to: invoice.id,
    relation: 'secured_by',
    slots,
  })

  const lenderView = await lineage(agreement.id, lender.key)
  const sealed = lenderView.steps.filter((step: Step) => step.kind === 'document' && step.sealed)
  assert.equal(sealed.length, 1)
  assert.equal(sealed[0].held_by, 'third_party')
  assert.equal(sealed[0].document, undefined)
  assert.equal(lenderView.links[0].to, sealed[0].step)
  assert(!JSON.stringify(lenderView).includes(invoice.id))

  const debtorView = await lineage(invoice.id, counterparty.key)
  assert.deepEqual(debtorView.links, [])
  const held = debtorView.steps.filter((step: Step) => step.kind === 'event')
  assert.equal(held.length, 2, 'the draft and the pledge are sealed')
  assert(!JSON.stringify(debtorView).includes(agreement.id))

  const borrowerView = await lineage(invoice.id, issuer.key)
  assert.deepEqual(
    documentsOf(borrowerView.steps).map(({ document }) => document!.id),
    [invoice.id, agreement.id],
  )
  assert.equal(borrowerView.links[0].relation, 'secured_by')
})

test('3: a link that is missing or different in the other history causes 500', async () => {
  const changes = [
    `delete from document_links where from_id = '$to'`,
    `update document_links set to_id = (select id from documents where id not in ('$from', '$to')
      limit 1) where from_id = '$to'`,
  ]
  for (const change of changes) {
    const order = await anInvoice(running, pair)
    const invoice = await anInvoice(running, pair)
    await linkDocuments(running, { from: order.id, to: invoice.id, relation: 'billed_as' })
    const [from, to] = [order.id, invoice.id].map((id) => decodeId('doc', id)!)
    await running.database.script(`set session_replication_role = replica;
      ${change.replaceAll('$from', from!).replaceAll('$to', to!)};
      set session_replication_role = default`)
    for (const id of [order.id, invoice.id]) {
      const path = `/v1/documents/${id}/lineage`
      const reply = await callApi(running, 'GET', path, { key: issuer.key })
      assert.equal(reply.status, 500, reply.text)
      assert.equal(reply.body.error.details.failures[0].check, 'LINK')
    }
  }
})

/** The id of the first of invoices that have so many links in a row. */
const aChainOf = async (links: number): Promise<string> => {
  const first = await anInvoice(running, pair)
  let before = first
  for (let i = 0; i < links; i += 1) {
    const next = await anInvoice(running, pair)
    await linkDocuments(running, { from: before.id, to: next.id, relation: 'related_to' })
    before = next
  }
  return first.id
}

test('3: lineage follows a chain for twelve links, then reports that it is truncated', async () => {
  const { steps, truncated, links } = await lineage(await aChainOf(14), issuer.key)
  assert.equal(truncated, true)
  assert.equal(documentsOf(steps).length, 13)
  assert.equal(links.length, 12)
})

test('3: lineage of twelve links in a row is whole', async () => {
  const { steps, truncated } = await lineage(await aChainOf(12), issuer.key)
  assert.deepEqual([documentsOf(steps).length, truncated], [13, false])
})

/** Does it as often as a lineage has steps, some at a time. */
const forEachStep = async (act: (step: number) => Promise<void>): Promise<void> => {
  let begun = 0
  const actAgain = async () => {
    while (begun < limits.lineageMaxSteps) await act(begun++)
  }
  await Promise.all(Array.from({ length: 8 }, actAgain))
}

const linkedToHub: string[] = []

test('3: lineage verifies no more documents than it can show, however many are linked', async () => {
  const hub = await anInvoice(running, pair)
  const references = [{ rel: 'relates_to', document_id: hub.id }]
  await forEachStep(async () => {
    linkedToHub.push((await anInvoice(running, pair, { references })).id)
  })
  // The last one that was linked does not verify.
  const [row] = await running.database.rows<{ id: string }>(sql`
    select from_id as id from document_links l join documents d on d.id = l.from_id
    where to_id = ${decodeId('doc', hub.id)!} order by d.counterparty_position desc limit 1`)
  await asSuperuser(
    running.database,
    `update prov_event set at = at + interval '1 day' where document_id = '${row!.id}'`,
  )
  const { steps, truncated } = await lineage(hub.id, issuer.key)
  assert.deepEqual([documentsOf(steps).length, truncated], [limits.lineageMaxSteps, true])
})

test('3: links that only the other side may know of hide none from a lineage', async () => {
  const invoice = await anInvoice(running, pair)
  const relation = 'related_to'
  const slots = { from: 'counterparty' } as const
  await forEachStep((step) =>
    linkDocuments(running, { from: invoice.id, to: linkedToHub[step]!, relation, slots }),
  )
  const { id } = await anInvoice(running, pair)
  await linkDocuments(running, { from: invoice.id, to: id, relation })
  const { steps, links } = await lineage(invoice.id, issuer.key)
  const shown = documentsOf(steps).map(({ document }) => document!.id)
  assert.deepEqual([shown, links.length], [[invoice.id, id], 1])
})

test('3: however often the other side has edited its draft, the documents are in the lineage', async () => {
  const order = await anInvoice(running, pair)
  const references = [{ rel: 'relates_to', document_id: order.id }]
  const { id } = await aDraft(running, pair, { references })
  for (let edit = 0; edit < limits.lineageMaxSteps; edit += 1) {
    const body = { notes: `Edit ${edit}` }
    const edited = await callApi(running, 'PATCH', `/v1/documents/${id}`, { key: issuer.key, body })
    assert.equal(edited.status, 200, edited.text)
  }
  await callApi(running, 'POST', `/v1/documents/${id}/issue`, { key: issuer.key })
  for (const start of [id, order.id]) {
    const { steps, links, truncated } = await lineage(start, counterparty.key)
    const shown = documentsOf(steps).map(({ document }) => document!.id)
    assert.deepEqual([shown, links.length, truncated], [[order.id, id], 1, true])
    assert.equal(steps.length, limits.lineageMaxSteps)
  }
})

test('3: a reference becomes a link when the document is issued, and survives an erasure', async () => {
  const first = await anInvoice(running, pair)
  const draft = await aDraft(running, pair, {
    references: [{ rel: 'relates_to', document_id: first.id }],
  })
  assert.deepEqual((await lineage(first.id, counterparty.key)).links, [])
  const issued = await callApi(running, 'POST', `/v1/documents/${draft.id}/issue`, {
    key: issuer.key,
  })
  assert.equal(issued.status, 200, issued.text)
  const assertLinked = async () => {
    for (const key of [issuer.key, counterparty.key]) {
      for (const start of [first.id, draft.id]) {
        const { links, steps } = await lineage(start, key)
        assert.equal(links.length, 1)
        assert.equal(links[0].relation, 'related_to')
        const ids = [links[0].from, links[0].to].map((n: number) => steps[n - 1].document.id)
        assert.deepEqual(ids, [first.id, draft.id])
        assert.equal(links[0].recorded_in.length, 2)
      }
    }
  }
  await assertLinked()
  for (const id of [first.id, draft.id]) {
    await running.service.context.database.transaction((tx) =>
      eraseContent(tx, decodeId('doc', id)!, running.service.context),
    )
    await assertLinked()
  }
})
