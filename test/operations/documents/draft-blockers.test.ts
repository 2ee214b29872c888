/**
 * What keeps a draft from being issued: `issuable` and `blockers` for its issuer, and the refusal
 * of the issue, from the same facts (contract 11: reasons of conflict; contract 12: blockers).
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { draftBlockers } from '../../../src/operations/documents/draft-blockers.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { dateAt } from '../../../src/core/dates.ts'
import type { Queryable } from '../../../src/database/sql.ts'
import { documentsById, hasBrokenSeal } from '../../../src/store/documents/documents.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { changeDocument } from '../../support/documents/change-document.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'
import { aDraft, aPair, exampleLine, move } from '../../support/fixtures.ts'
import { connectionsClient } from '../../support/identity/connections-client.ts'
import { sandboxClient } from '../../support/sandbox/sandbox-client.ts'

const { running, database, pair, seller, buyer, convert, issue, issueDocument } =
  await startTradingPair({ PROCESS_ROLE: 'api' })
const { changeConnection } = connectionsClient(running)

type WithKey = { key: string }

const get = async (path: string, { key }: WithKey) => {
  const reply = await callApi(running, 'GET', path, { key })
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

type Shown = { id: string; issuable?: boolean; blockers?: string[] }

/** Both fields as a read, the list and a write that changes nothing show them. */
const shownBy = async (id: string, by: WithKey): Promise<object[]> => {
  const path = `/v1/documents/${id}`
  const edited = await callApi(running, 'PATCH', path, { key: by.key, body: {} })
  const listed = (await get('/v1/documents?status=draft&limit=100', by)).data as Shown[]
  const shown: Shown[] = [await get(path, by), listed.find((row) => row.id === id)!, edited.body]
  return shown.map(({ issuable, blockers }) => ({ issuable, blockers }))
}

const dryRun = { 'svc-dry-run': 'true' }

/** The draft shows these blockers, and its issue is refused with the first, saying what to do. */
const assertBlocked = async (id: string, by: WithKey, [reason, remedy]: [string, RegExp]) => {
  for (const shown of await shownBy(id, by)) {
    assert.deepEqual(shown, { issuable: false, blockers: [reason] })
  }
  for (const headers of [dryRun, {}]) {
    const path = `/v1/documents/${id}/issue`
    const refused = await callApi(running, 'POST', path, { key: by.key, headers })
    assertRefused(refused, 'conflict', reason)
    assert.match(refused.body.error.message, remedy)
  }
}

const assertIssuable = async (id: string, by: WithKey) => {
  for (const shown of await shownBy(id, by)) {
    assert.deepEqual(shown, { issuable: true, blockers: [] })
  }
}

const referTo = (document_id: string, rel = 'relates_to') => ({
  references: [{ rel, document_id }],
})

describe('contract 12: issuable and blockers exist on drafts, for their issuer', () => {
  test('a draft that nothing blocks is issuable; an issued or discarded document has neither field', async () => {
    const draft = await aDraft(running, pair)
    assert.deepEqual([draft.issuable, draft.blockers], [true, []])
    await assertIssuable(draft.id, seller)
    const body = { ...bodyOf(), payment_terms: 'Net 30' }
    const dry = await callApi(running, 'POST', '/v1/documents', {
      key: seller.key,
      body,
      headers: dryRun,
    })
    assert.deepEqual([dry.body.issuable, dry.body.blockers], [true, []], dry.text)

    const issued = (await issue(draft.id, seller)).body
    const discarded = await aDraft(running, pair)
    const cancelled = (await move(running, seller.key, discarded.id, 'cancelled')).body
    const reads = [issued, cancelled]
    for (const by of [seller, buyer]) reads.push(await get(`/v1/documents/${draft.id}`, by))
    for (const by of [seller, buyer])
      reads.push(...(await get('/v1/documents?type=invoice', by)).data)
    for (const shown of reads.filter(({ status }: { status: string }) => status !== 'draft')) {
      assert(!('issuable' in shown) && !('blockers' in shown), shown.status)
    }
  })

  test('an event shows neither, since they depend on other records', async () => {
    const { id } = await aDraft(running, pair)
    const { data } = await get('/v1/events', { key: seller.session })
    const { document } = data[0].data
    assert.deepEqual([document.id, document.status], [id, 'draft'])
    assert(!('issuable' in document) && !('blockers' in document))
  })
})

const bodyOf = (more: object = {}) => ({
  connection_id: pair.connection,
  document_type: 'invoice',
  line_items: [exampleLine],
  ...more,
})

describe('contract 11: each reason blocks the draft and refuses its issue', () => {
  test('connection_not_active: the connection has ended', async () => {
    const other = await aPair(running)
    const { id } = await aDraft(running, other)
    await assertIssuable(id, other.issuer)
    await changeConnection(other.counterparty, other.connection, 'end')
    const remedy = /is ended.* active connection/
    await assertBlocked(id, other.issuer, ['connection_not_active', remedy])
  })

  test('terms_date_past: the terms or the offer name a day that has passed', async () => {
    const { provisionSandbox, send } = sandboxClient(running)
    const practice = await provisionSandbox()
    const create = async (more: object): Promise<string> =>
      (
        await send(
          practice.key,
          '/v1/documents',
          bodyOf({ connection_id: practice.connection, ...more }),
        )
      ).id
    const invoice = await create({ payment_terms: `by ${inDays(5)}` })
    const quote = await create({ document_type: 'quote', valid_until: inDays(5) })
    const counted = await create({ payment_terms: 'Net 5' })
    await assertIssuable(invoice, practice)
    await send(practice.key, '/v1/sandbox/clock', { advance_by: 'P10D' })
    const terms = /The due date .* is past: send a new due_date or payment_terms with PATCH/
    await assertBlocked(invoice, practice, ['terms_date_past', terms])
    const offer = /The offer was valid until .* send a new valid_until with PATCH/
    await assertBlocked(quote, practice, ['terms_date_past', offer])
    await assertIssuable(counted, practice)
    const body = { payment_terms: `by ${inDays(20)}` }
    await callApi(running, 'PATCH', `/v1/documents/${invoice}`, { key: practice.key, body })
    await assertIssuable(invoice, practice)
  })

  test('reference_not_issued: it refers to a draft', async () => {
    const quote = await aDraft(running, pair, { document_type: 'quote' })
    const draft = await aDraft(running, pair, referTo(quote.id))
    assert.deepEqual([draft.issuable, draft.blockers], [false, ['reference_not_issued']])
    await assertBlocked(draft.id, seller, ['reference_not_issued', /issue it first/])
    await issue(quote.id, seller)
    await assertIssuable(draft.id, seller)
    const withdrawn = await aDraft(running, pair, { document_type: 'quote' })
    const referring = await aDraft(running, pair, referTo(withdrawn.id))
    await move(running, seller.key, withdrawn.id, 'cancelled')
    const remedy = /was cancelled before the other side saw it: leave the reference out/
    await assertBlocked(referring.id, seller, ['reference_not_issued', remedy])
  })

  test('already_converted: another draft from the same quote was issued', async () => {
    const quote = await issueDocument('quote', 'accepted')
    const first = await convert(quote, 'invoice', seller)
    const second = await convert(quote, 'invoice', seller)
    await assertIssuable(second.body.id, seller)
    await issue(first.body.id, seller)
    await assertBlocked(second.body.id, seller, ['already_converted', /PATCH, or .* cancelled/])
  })

  test('not_convertible: its source has left the states that allow it', async () => {
    const order = await issueDocument('purchase_order', 'accepted')
    const { body } = await convert(order, 'invoice', seller)
    assert.deepEqual(body.blockers, [])
    await move(running, seller.key, order, 'cancelled')
    await assertBlocked(body.id, seller, ['not_convertible', /is cancelled.* PATCH/])
  })

  test('not_creditable: nothing is left of the invoice', async () => {
    const invoice = await issueDocument('invoice')
    const { body } = await convert(invoice, 'credit_note', seller)
    await assertIssuable(body.id, seller)
    await move(running, buyer.key, invoice, 'rejected')
    await assertBlocked(body.id, seller, ['not_creditable', /is rejected.* PATCH/])
  })

  test('integrity_hold: a document that it refers to is on hold', async () => {
    const quote = await issueDocument('quote')
    const { id } = await aDraft(running, pair, referTo(quote))
    await changeDocument(running, quote, () => ({ integrity_hold: true }))
    await assertBlocked(id, seller, ['integrity_hold', /on hold/])
    await changeDocument(running, quote, () => ({ integrity_hold: false }))
  })

  test('several reasons are listed each once, the one of the refusal first', async () => {
    const other = await aPair(running)
    const quotes = [
      await aDraft(running, other, { document_type: 'quote' }),
      await aDraft(running, other, { document_type: 'quote' }),
    ]
    const references = quotes.map(({ id }) => ({ rel: 'relates_to', document_id: id }))
    const draft = await aDraft(running, other, { references })
    await changeConnection(other.issuer, other.connection, 'end')
    const blockers = ['connection_not_active', 'reference_not_issued']
    for (const shown of await shownBy(draft.id, other.issuer)) {
      assert.deepEqual(shown, { issuable: false, blockers })
    }
    assertRefused(await issue(draft.id, other.issuer), 'conflict', blockers[0])
  })
})

describe('drafts are loaded with their connections and take a statement for their sources', () => {
  test('the number of statements does not depend on the number of drafts', async () => {
    const quote = await issueDocument('quote')
    const drafts: string[] = []
    for (let count = 0; count < 12; count += 1) {
      drafts.push((await aDraft(running, pair, referTo(quote))).id)
    }
    assert.deepEqual(await statementsFor([quote]), 0)
    assert.deepEqual(await statementsFor(drafts.slice(0, 2)), 1)
    assert.deepEqual(await statementsFor([...drafts, quote]), 1)
    const plain = (await aDraft(running, pair)).id
    assert.deepEqual(await statementsFor([plain]), 0)
  })
})

/** How many statements the blockers of these documents take. */
const statementsFor = async (ids: readonly string[]): Promise<number> => {
  const uuids = ids.map((id) => decodeId('doc', id)!)
  const loaded = (await documentsById(database, uuids)).map((found) => {
    assert(found !== undefined && !hasBrokenSeal(found))
    return found
  })
  let statements = 0
  const counting: Queryable = {
    seals: database.seals,
    rows: (query) => {
      statements += 1
      return database.rows(query)
    },
    row: () => assert.fail('no other statement'),
    run: () => assert.fail('no other statement'),
  }
  const blockersOf = await draftBlockers({ read: counting }, loaded, dateAt(Date.now(), 0n))
  for (const document of loaded) {
    assert.equal(blockersOf(document) !== undefined, document.status === 'draft')
  }
  return statements
}
