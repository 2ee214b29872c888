/** A document that is read again and again shows what a first reader of the moment sees. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rememberShown, shownAgain } from '../../../src/operations/documents/shown-texts.ts'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'
import { aDraft, aPair, exampleLine } from '../../support/fixtures.ts'
import { connectionsClient } from '../../support/identity/connections-client.ts'
import { sandboxClient } from '../../support/sandbox/sandbox-client.ts'

const { running, pair, seller } = await startTradingPair({ PROCESS_ROLE: 'api' })
const { changeConnection } = connectionsClient(running)

/** The blockers of a draft, read so often that it is remembered. */
const blockersOf = async (id: string, { key }: { key: string }): Promise<string[]> => {
  const texts: string[] = []
  for (let i = 0; i < 5; i += 1) {
    const { text } = await callApi(running, 'GET', `/v1/documents/${id}`, { key })
    texts.push(text)
  }
  assert.deepEqual(new Set(texts), new Set([texts[0]]))
  return JSON.parse(texts[0]!).blockers
}

const viewer = {
  side: 'issuer',
  canPay: true,
  today: '2026-12-01',
  issuerToday: '2026-12-01',
} as const
const aDocument = (content = '{"references":[]}') => ({
  status: 'draft',
  content,
  lastShown: { isShown: false, viewer: undefined, text: undefined },
})

test('a text is made once for a document that is read again, by the same viewer on the same day', () => {
  const document = aDocument()
  rememberShown(document, viewer, 'text')
  assert.equal(shownAgain(document, viewer), undefined, 'what is read once is not kept')
  rememberShown(document, viewer, 'text')
  assert.equal(shownAgain(document, { ...viewer }), 'text')
  const others = [
    { side: 'counterparty' },
    { canPay: false },
    { isWithoutPayments: true },
    { today: '2026-12-02' },
    { issuerToday: '2026-12-02' },
  ] as const
  for (const other of others) assert.equal(shownAgain(document, { ...viewer, ...other }), undefined)
})

test('the text of a draft that refers to others is made each time', () => {
  const document = aDocument('{"references":[{"rel":"credits"}]}')
  for (let i = 0; i < 3; i += 1) rememberShown(document, viewer, 'text')
  assert.equal(shownAgain(document, viewer), undefined)
})

test('contract 12: a draft that was read often shows the end of its connection', async () => {
  const other = await aPair(running)
  const { id } = await aDraft(running, other)
  assert.deepEqual(await blockersOf(id, other.issuer), [])
  await changeConnection(other.counterparty, other.connection, 'end')
  assert.deepEqual(await blockersOf(id, other.issuer), ['connection_not_active'])
})

test('contract 12: a draft that was read often shows what became of a document it refers to', async () => {
  const quote = await aDraft(running, pair, { document_type: 'quote' })
  const references = [{ rel: 'relates_to', document_id: quote.id }]
  const { id } = await aDraft(running, pair, { references })
  assert.deepEqual(await blockersOf(id, seller), ['reference_not_issued'])
  await callApi(running, 'POST', `/v1/documents/${quote.id}/issue`, { key: seller.key })
  assert.deepEqual(await blockersOf(id, seller), [])
})

test('contract 12: a draft that was read often shows that its terms are past, once they are', async () => {
  const { provisionSandbox, send } = sandboxClient(running)
  const practice = await provisionSandbox()
  const { id } = await send(practice.key, '/v1/documents', {
    connection_id: practice.connection,
    document_type: 'invoice',
    line_items: [exampleLine],
    payment_terms: `by ${inDays(5)}`,
  })
  assert.deepEqual(await blockersOf(id, practice), [])
  await send(practice.key, '/v1/sandbox/clock', { advance_by: 'P10D' })
  assert.deepEqual(await blockersOf(id, practice), ['terms_date_past'])
})
