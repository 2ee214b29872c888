/** Comments on documents: they belong to one side (contract 12). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseContent } from '../../../src/changes/provenance/erasure.ts'
import { limits } from '../../../src/contract/limits.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'
import { aDraft, aKey, anInvoice } from '../../support/fixtures.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'

const { running, pair, issuer, counterparty } = await startTradingPair()

const pathOf = (id: string) => `/v1/documents/${id}/comments`

const comment = (key: string, id: string, text: string, headers = {}): Promise<Reply> =>
  callApi(running, 'POST', pathOf(id), { key, body: { text }, headers })

const textsSeenBy = async (key: string, id: string): Promise<string[]> => {
  const { body } = await callApi(running, 'GET', pathOf(id), { key })
  return body.data.map(({ text }: { text: string }) => text)
}

test('contract 12: each side of a document sees its own comments, the newest first', async () => {
  const { id } = await anInvoice(running, pair)
  await comment(issuer.session, id, 'They always pay late.')
  await comment(issuer.key, id, 'Reminded them.')
  await comment(counterparty.key, id, 'Two shelves are missing.')
  assert.deepEqual(await textsSeenBy(issuer.key, id), ['Reminded them.', 'They always pay late.'])
  assert.deepEqual(await textsSeenBy(counterparty.session, id), ['Two shelves are missing.'])
})

test('the author is the person or the key, with the name of now', async () => {
  const { id } = await anInvoice(running, pair)
  const byPerson = await comment(issuer.session, id, 'Mine.')
  assert.equal(byPerson.status, 201, byPerson.text)
  assert.deepEqual(Object.keys(byPerson.body), ['id', 'text', 'author', 'created_at'])
  assert.equal(byPerson.body.author.kind, 'user')
  const { keyId, secret } = await aKey(running, issuer, ['documents:read', 'documents:write'])
  const { author } = (await comment(secret, id, 'Ours.')).body
  const { name } = (await callApi(running, 'GET', `/v1/keys/${keyId}`, { key: issuer.session }))
    .body
  assert.deepEqual(author, { kind: 'api_key', id: keyId, name })
})

test('a comment changes neither revision nor events nor history, and tells nobody', async () => {
  const { id } = await anInvoice(running, pair)
  const facts = async (key: string) => {
    const get = (path: string) => callApi(running, 'GET', path, { key })
    const { revision, updated_at } = (await get(`/v1/documents/${id}`)).body
    const events = (await get(`/v1/events?document=${id}`)).body.data.length
    return [revision, updated_at, events]
  }
  const before = [await facts(issuer.key), await facts(counterparty.key)]
  assert.equal((await comment(issuer.key, id, 'Only ours.')).status, 201)
  assert.deepEqual([await facts(issuer.key), await facts(counterparty.key)], before)
})

test('the counterparty of a draft can neither comment on it nor learn of it', async () => {
  const { id } = await aDraft(running, pair)
  assert.equal((await comment(issuer.key, id, 'Ask for the address.')).status, 201)
  assertRefused(await comment(counterparty.key, id, 'Hello?'), 'not_found')
  assertRefused(await callApi(running, 'GET', pathOf(id), { key: counterparty.key }), 'not_found')
})

test('a text is visible and has at most 2,000 characters', async () => {
  const { id } = await anInvoice(running, pair)
  assertProblems(await comment(issuer.key, id, ' \n '), '/text invalid_value')
  assertProblems(await comment(issuer.key, id, 'x'.repeat(2_001)), '/text too_long')
  const lines = 'First line.\nSecond line.'
  assert.equal((await comment(issuer.key, id, lines)).body.text, lines)
})

test('a retry answers the same comment, a dry run leaves none', async () => {
  const { id } = await anInvoice(running, pair)
  const headers = { 'idempotency-key': freshIdempotencyKey() }
  const [first, again] = [
    await comment(issuer.key, id, 'Once.', headers),
    await comment(issuer.key, id, 'Once.', headers),
  ]
  assert.deepEqual(again.body, first.body)
  await comment(issuer.key, id, 'Never.', { 'svc-dry-run': 'true' })
  assert.deepEqual(await textsSeenBy(issuer.key, id), ['Once.'])
})

test('one side writes at most 500 on a document, even concurrently', async () => {
  const { id } = await anInvoice(running, pair)
  await comment(issuer.key, id, 'The first one.')
  await running.database.rows(sql`
    insert into document_comments
      (id, document_id, organization_id, user_id, key_id, text, created_at, seal)
    select gen_random_uuid(), document_id, organization_id, user_id, key_id, text, created_at, seal
    from document_comments, generate_series(1, ${limits.commentsPerDocumentMax - 2})
    where document_id = ${decodeId('doc', id)!}`)
  const last = await Promise.all([1, 2, 3].map((n) => comment(issuer.key, id, `One more: ${n}`)))
  assert.deepEqual(last.map(({ status }) => status).toSorted(), [201, 400, 400])
  assert.equal((await comment(counterparty.key, id, 'The other side has room.')).status, 201)
})

test('erasing the content of a document erases the comments of both sides', async () => {
  const { id } = await anInvoice(running, pair)
  const headers = { 'idempotency-key': freshIdempotencyKey() }
  const written = await comment(issuer.key, id, 'Ada, phone 555 0117', headers)
  await comment(counterparty.key, id, 'Grace, phone 555 0118')
  const { context } = running.service
  await context.database.transaction((tx) => eraseContent(tx, decodeId('doc', id)!, context))
  assert.deepEqual(await textsSeenBy(issuer.key, id), [])
  assert.deepEqual(await textsSeenBy(counterparty.key, id), [])
  const repeated = await comment(issuer.key, id, 'Ada, phone 555 0117', headers)
  assert.equal(repeated.headers.get('idempotent-replay'), 'true', repeated.text)
  assert.deepEqual(repeated.body, { ...written.body, text: '[erased]' })
  assert.deepEqual(await textsSeenBy(issuer.key, id), [], 'it brings nothing back')
})
