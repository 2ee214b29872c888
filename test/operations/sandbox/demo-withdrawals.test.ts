/** What the demo counterparty rejects no longer counts for what it refers to (domain 6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSandboxService } from '../../support/sandbox/sandbox-service.ts'
import { callApi } from '../../support/api-client.ts'
import { anInvoice, anOrganization, connectPair, move } from '../../support/fixtures.ts'

const { running, post, advance, read, assertConsistent } = await startSandboxService()

const named = (sandbox_scenario: string) => ({ external_refs: { sandbox_scenario } })

/** A paid invoice of a developer, and a credit note for all of it that the demo can reject. */
const creditedInvoice = async (scenario: string) => {
  const me = await anOrganization(running)
  const pair = await connectPair(running, me, await anOrganization(running, { isDemo: true }))
  const invoice = await anInvoice(running, pair, named('manual'))
  const { key } = pair.counterparty
  assert.equal((await move(running, key, invoice.id, 'approved')).status, 200)
  const paid = await callApi(running, 'POST', `/v1/documents/${invoice.id}/pay`, { key })
  assert.equal(paid.status, 200, paid.text)
  const references = [{ rel: 'credits', document_id: invoice.id }]
  const issueNote = (name: string) =>
    anInvoice(running, pair, { document_type: 'credit_note', references, ...named(name) })
  return { pair, issueNote, note: await issueNote(scenario) }
}

test('domain 6: the scenario reject moves a credit note to rejected, and frees its invoice', async () => {
  const { pair, issueNote, note } = await creditedInvoice('reject')
  await advance(pair.issuer, 'PT3H')
  assert.equal((await read(note.id, pair.issuer)).status, 'rejected')
  assert.equal((await issueNote('manual')).status, 'submitted', 'it can be credited again')
  await assertConsistent()
})

test('domain 6: the demo counterparty rejects a credit note on request, and frees its invoice', async () => {
  const { pair, issueNote, note } = await creditedInvoice('manual')
  const rejection = { document_id: note.id, to: 'rejected' }
  const moved = await post(pair.issuer.key, '/demo/transitions', rejection)
  assert.deepEqual([moved.status, moved.body.status], [200, 'rejected'], moved.text)
  assert.equal((await issueNote('manual')).status, 'submitted', 'it can be credited again')
  await assertConsistent()
})
