/**
 * The documents of keys that sign: whatever they may do, both verifiers accept the bundle and name
 * what was signed. Needs python3.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eraseContent } from '../../src/changes/provenance/erasure.ts'
import { decodeId } from '../../src/core/ids.ts'
import { callApi } from '../support/api-client.ts'
import { aFileForm } from '../support/documents/attachments-client.ts'
import { aKey, aPair, exampleLine } from '../support/fixtures.ts'
import {
  aSigner,
  sendTo,
  signed as signRequest,
  unsigned as unsignedRequest,
} from '../support/identity/request-signer.ts'
import { fetchTrustFile, temporaryFile, verifyWithBoth } from '../support/provenance/verifiers.ts'
import { startTestService } from '../support/test-service.ts'
import type { Role } from '../../verifier/verify-bundle.mjs'

const running = await startTestService()
const pair = await aPair(running)
const sides = { issuer: aSigner(), counterparty: aSigner() }
const scopes = ['documents:read', 'documents:write', 'payments:write', 'provenance:read'] as const

/** Sends signed requests as one side; those with a file as well. */
const sendAs = async (side: Role) => {
  const signer = sides[side]
  const { secret } = await aKey(running, pair[side], scopes, { signingKey: signer.raw })
  const send = sendTo(running, secret)
  return async (method: string, at: string, body: object = {}) => {
    const isForm = body instanceof FormData
    const form = isForm ? new Request('http://x', { method: 'POST', body }) : undefined
    const text = form
      ? Buffer.from(await form.arrayBuffer()).toString()
      : Object.keys(body).length === 0
        ? ''
        : JSON.stringify(body)
    const request = signRequest(signer, unsignedRequest(method, at, text))
    const type = form?.headers.get('content-type') ?? 'application/json'
    const reply = await send({ ...request, headers: { ...request.headers, 'content-type': type } })
    assert(reply.status < 300, reply.text)
    return reply.body
  }
}
const [seller, buyer] = [await sendAs('issuer'), await sendAs('counterparty')]

const line_items = [{ ...exampleLine, description: 'Größe' }]
const aDraft = async (more: object = {}): Promise<string> => {
  const body = { connection_id: pair.connection, document_type: 'invoice', line_items, ...more }
  return (await seller('POST', '/v1/documents', body)).id
}
const anIssued = async (more: object = {}): Promise<string> => {
  const id = await aDraft(more)
  await seller('POST', `/v1/documents/${id}/issue`)
  return id
}
const move = (by: typeof seller, id: string, to: string, more: object = {}) =>
  by('POST', `/v1/documents/${id}/transition`, { to, ...more })

const parties = Object.fromEntries(
  (['issuer', 'counterparty'] as const).map((side) => [
    pair[side].id,
    { keys: [sides[side].signingKey], required: ['document.created', 'document.issued'] },
  ]),
)

/** The events that the side’s bundle calls signed and unsigned, by both verifiers. */
const provenTo = async (side: Role, id: string) => {
  const { key } = pair[side]
  const exported = await callApi(running, 'GET', `/v1/documents/${id}/export`, { key })
  assert.equal(exported.status, 200, exported.text)
  const trusted = JSON.parse(readFileSync(await fetchTrustFile(running, key), 'utf8'))
  const trust = temporaryFile(JSON.stringify({ ...trusted, parties }))
  const [verdict] = verifyWithBoth([[temporaryFile(exported.text), '--trust', trust]])
  assert.equal(verdict!.exitCode, 0, verdict!.output)
  const claim = JSON.parse(verdict!.output)
  const seqsOf = (list: { seq: number }[]) => list.map(({ seq }) => seq)
  const { events, viewer } = JSON.parse(exported.text) as {
    events: { open: Record<Role, { body: { request?: string } | null }> }[]
    viewer: { role: Role }
  }
  const requests = events.flatMap(({ open }, i) =>
    open[viewer.role]?.body?.request === undefined ? [] : [i + 1],
  )
  return { signed: seqsOf(claim.signed), unsigned: seqsOf(claim.unsigned), requests }
}

test('provenance 8: a bundle proves each request of its parties, and shows each its own', async () => {
  const id = await aDraft()
  await seller('PATCH', `/v1/documents/${id}`, { notes: 'Thank you.' })
  await seller('POST', `/v1/documents/${id}/issue`)
  await move(buyer, id, 'approved')
  await buyer('POST', `/v1/documents/${id}/pay`)
  const toSeller = { signed: [1, 2, 3, 4, 5], unsigned: [], requests: [1, 2] }
  assert.deepEqual(await provenTo('issuer', id), toSeller)
  const toBuyer = { signed: [3, 4, 5], unsigned: [], requests: [4] }
  assert.deepEqual(await provenTo('counterparty', id), toBuyer)

  // The text of a request goes with the text of the document.
  await running.service.context.database.transaction((tx) =>
    eraseContent(tx, decodeId('doc', id)!, running.service.context),
  )
  const { key } = pair.issuer
  const erased = await callApi(running, 'GET', `/v1/documents/${id}/export`, { key })
  assert(!/Größe|Thank you|"request"/.test(erased.text), erased.text)
  assert.deepEqual(await provenTo('issuer', id), { signed: [], unsigned: [], requests: [] })
})

test('whatever a signed request may do verifies: files, schedules, disputes, withdrawals', async () => {
  const draft = await aDraft()
  await seller('POST', `/v1/documents/${draft}/attachments`, aFileForm())
  await move(seller, draft, 'cancelled')
  const cancelled = { signed: [1, 2, 3], unsigned: [], requests: [1, 3] }
  assert.deepEqual(await provenTo('issuer', draft), cancelled)

  const id = await anIssued()
  await buyer('POST', `/v1/documents/${id}/attachments`, aFileForm())
  await move(buyer, id, 'disputed', { reason_code: 'OTH', note: 'Größe' })
  await move(buyer, id, 'approved')
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  await move(buyer, id, 'payment_scheduled', { scheduled_for: tomorrow })
  await move(buyer, id, 'approved')
  await move(buyer, id, 'payment_scheduled', { scheduled_for: tomorrow })
  await move(buyer, id, 'paid')
  const signed = [2, 3, 4, 5, 6, 7, 8, 9]
  const toBuyer = await provenTo('counterparty', id)
  assert.deepEqual(toBuyer, { signed, unsigned: [], requests: [4, 5, 6, 7, 8, 9] })
  assert.deepEqual((await provenTo('issuer', id)).signed, [1, ...signed])
})

test('what follows from a signed request in another document is not called signed', async () => {
  const quote = await anIssued({ document_type: 'quote' })
  await move(buyer, quote, 'accepted')
  const { id } = await buyer('POST', `/v1/documents/${quote}/convert`, {
    document_type: 'purchase_order',
  })
  await buyer('POST', `/v1/documents/${id}/issue`)
  const order = { signed: [1, 2], unsigned: [], requests: [1] }
  assert.deepEqual(await provenTo('counterparty', id), order)
  const { unsigned, ...rest } = await provenTo('counterparty', quote)
  assert.deepEqual(rest, { signed: [2, 3], requests: [3] })
  assert.deepEqual(unsigned, [4])
})
