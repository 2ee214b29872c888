/** What the SDK does beyond single calls: lists, sweeps, the stream, proofs and errors. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { operations } from '../../src/operations/index.ts'
import type { ConflictReason as ServedReason } from '../../src/contract/conflict-reasons.ts'
import { aPair, anInvoice, connectPair, exampleLine } from '../../test/support/fixtures.ts'
import { loanParties, loansClient } from '../../test/support/finance/loans.ts'
import { anApprovedInvoice } from '../../test/support/payments/approved-invoices.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { until } from '../../test/support/until.ts'
import * as functions from '../src/functions.ts'
import {
  ApiError,
  type ConflictReason,
  Docex,
  type DocumentChange,
  type Event,
  type EventType,
} from '../src/index.ts'
import { isVersioned } from '../../src/docs/operation-facts.ts'

const running = await startTestService()
const pair = await aPair(running)
const settings = { apiKey: pair.issuer.key, baseUrl: running.baseUrl }
const docex = new Docex(settings)
const buyer = new Docex({ ...settings, apiKey: pair.counterparty.key })

const body = {
  connection_id: pair.connection,
  document_type: 'invoice',
  line_items: [exampleLine],
} as const

test('domain 5.3: the digest of an offer is that of the exact bytes of its authorization', async () => {
  const parties = await loanParties(running)
  const { id } = await loansClient(running).offered(parties)
  const borrower = new Docex({ ...settings, apiKey: parties.borrower.key })
  const { standing_authorization: authorization } = await borrower.finance.offers.get(id)
  const { bytes, data } = await borrower.finance.offers.authorization(id).withResponse()
  const digest = createHash('sha256').update(bytes).digest('hex')
  assert.equal(`sha256:${digest}`, authorization.digest)
  assert.deepEqual(data, JSON.parse(new TextDecoder().decode(bytes)))
})

test('every operation has a method and a function, and there is no other', () => {
  const versioned = operations.filter(isVersioned)
  const camel = (text: string) =>
    text.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase())
  for (const { id } of versioned) {
    const path = id.split('.').map(camel)
    const method = path.reduce(
      (at, name) => (at as Record<string, unknown>)?.[name],
      docex as unknown,
    )
    assert.equal(typeof method, 'function', `${id} has no method`)
  }
  const {
    ApiError: _,
    ConnectionError: __,
    DocexError: ___,
    TimeoutError: ____,
    ...own
  } = functions
  assert.deepEqual(
    Object.keys(own).toSorted(),
    [
      ...versioned.map(({ id }) => camel(id)),
      'createClient',
      'eventsFollow',
      'documentsChanges',
      'paymentsChanges',
    ].toSorted(),
  )
})

test('the types know every conflict reason and every event type of the service', () => {
  const reasons: ServedReason extends ConflictReason ? true : false = true
  const events: EventType extends Event['type'] ? true : false = true
  assert(reasons && events)
})

describe('lists', () => {
  test('a list is a page, a row at a time, or an array', async () => {
    const created = []
    for (let i = 0; i < 5; i += 1) created.unshift((await docex.documents.create(body)).id)
    const page = await docex.documents.list({ limit: 2 })
    assert.deepEqual(
      page.data.map(({ id }) => id),
      created.slice(0, 2),
    )
    const second = await page.next()
    assert.deepEqual(
      second?.data.map(({ id }) => id),
      created.slice(2, 4),
    )
    const ids = []
    for await (const { id } of docex.documents.list({ limit: 2, status: ['draft', 'approved'] })) {
      ids.push(id)
    }
    assert.deepEqual(ids, created)
    for (const [limit, pages] of [3, 2, 1, 0].map((one) => [one, Math.ceil(one / 2) || 1])) {
      let calls = 0
      const counted: typeof fetch = (...call) => ((calls += 1), fetch(...call))
      const list = new Docex({ ...settings, fetch: counted }).documents.list({ limit: 2 })
      const limited = (await list.toArray({ limit })).map(({ id }) => id)
      assert.deepEqual([limited, calls], [created.slice(0, limit), pages])
    }
    const { data, requestId } = await docex.documents.list({ limit: 1 }).withResponse()
    assert.equal(data.data.length, 1)
    assert.match(requestId, /^req_/)
  })

  test('changes() tells each change once, and a later sweep goes on from there', async () => {
    const other = await connectPair(running, pair.issuer, (await aPair(running)).counterparty)
    const { id } = await docex.documents.create({ ...body, connection_id: other.connection })
    const seen: string[] = []
    let since = ''
    for await (const one of docex.documents.changes({ connection: other.connection })) {
      if (seen.length === 0) await docex.documents.update(id, { notes: 'Changed.' })
      seen.push(`${one.id} ${one.revision}`)
      since = one.updated_at
    }
    assert.deepEqual(seen, [`${id} 1`])
    const again = []
    for await (const one of docex.documents.changes({ since, connection: other.connection })) {
      again.push(one.revision)
    }
    assert.deepEqual(again, [2])
  })

  test('changes() of payments tells each of them on either side, also as a function', async () => {
    const made = []
    // Whatever settles during a sweep comes again.
    const stuck = { source_account_id: 'acct_test_stuck' }
    for (let i = 0; i < 3; i += 1) {
      const { id } = await anApprovedInvoice(running, pair)
      made.push((await buyer.documents.pay(id, stuck)).payment!.id)
    }
    const client = functions.createClient({ ...settings, apiKey: pair.counterparty.key })
    for (const changes of [
      docex.payments.changes({ limit: 1 }),
      buyer.payments.changes({ limit: 2 }),
      functions.paymentsChanges(client, { limit: 1 }),
    ]) {
      const told = []
      for await (const { id } of changes) told.push(id)
      assert.deepEqual(told.toSorted(), made.toSorted())
    }
  })
})

test('If-Match, dry runs and typed details', async () => {
  const draft = await docex.documents.create(body)
  const would = await docex.documents.issue(draft.id, { dryRun: true })
  assert.equal(would.status, 'submitted')
  const stale = docex.documents.update(draft.id, { notes: 'Late' }, { ifMatch: draft.revision + 7 })
  await assert.rejects(
    stale,
    (error) => error instanceof ApiError && error.is('precondition_failed'),
  )
  await docex.documents.issue(draft.id)
  const moved = await buyer.documents
    .transition(draft.id, { to: 'disputed', reason_code: 'PRI' }, { ifMatch: draft.revision })
    .catch((error: unknown) => error)
  assert(moved instanceof ApiError && moved.is('precondition_failed'))
  assert.equal(moved.details.current_revision, 2)
  const illegal = await docex.documents
    .transition(draft.id, { to: 'approved' })
    .catch((error: unknown) => error)
  assert(illegal instanceof ApiError && illegal.is('conflict'))
  assert.equal(illegal.details.reason, 'illegal_transition')
  assert(Array.isArray(illegal.details.allowed))
})

test('a proof keeps its bytes, and the published verifier accepts them', async () => {
  const { id } = await anInvoice(running, pair)
  const proof = await docex.documents.export(id)
  assert.equal(proof.bundle.document.id, id)
  const folder = temporaryFolder()
  await writeFile(`${folder}/bundle.json`, proof.bytes)
  await writeFile(`${folder}/trust.json`, JSON.stringify(await docex.log.keys()))
  const verifier = new URL('../../verifier/verify-bundle.mjs', import.meta.url).pathname
  const flags = ['--trust', `${folder}/trust.json`, '--digest', proof.digest]
  const { status, stdout } = spawnSync('node', [verifier, `${folder}/bundle.json`, ...flags])
  assert.equal(status, 0, String(stdout))
})

test('an export keeps its format, and a list is a file', async () => {
  const { id } = await anInvoice(running, pair)
  assert.match(String(await docex.documents.render(id, { format: 'csv' })), /^mark,document_type,/)
  const pdf = (await docex.documents.render(id, { format: 'pdf' })) as Uint8Array
  assert.equal(Buffer.from(pdf).subarray(0, 5).toString(), '%PDF-')
  assert((await docex.documents.csv({ type: 'invoice' })).includes(`\r\n${id},invoice,`))
})

test('stream names each change once and in order, although its connection is lost', async () => {
  const own = await aPair(running)
  const lost = { openings: 0, bodies: 0 }
  const unreliable = async (url: string, init: RequestInit): Promise<Response> => {
    lost.openings += 1
    if (lost.openings % 3 === 2) throw new TypeError('no connection')
    const response = await fetch(url, init)
    let pieces = 0
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk)
        pieces += 1
        // The first piece opens the stream, and each further one may hold several changes.
        if (pieces < 3) return
        lost.bodies += 1
        controller.error(new TypeError('terminated'))
      },
    })
    return new Response(response.body!.pipeThrough(cut), response)
  }
  const reader = new Docex({ ...settings, apiKey: own.issuer.key, fetch: unreliable })
  const signal = new AbortController()
  const wanted = 12
  const seen: DocumentChange[] = []
  const reading = (async () => {
    for await (const change of reader.stream({ signal: signal.signal })) {
      seen.push(change)
      if (seen.length >= wanted) signal.abort()
    }
  })()
  while (seen.length < wanted) {
    const before = seen.length
    await anInvoice(running, own)
    await until('the change is named', () => seen.length > before)
  }
  await reading
  const ids = seen.map((change) => Number(change.last_event_id))
  assert.deepEqual(
    ids,
    ids.map((_, i) => ids[0]! + i),
  )
  assert(seen.every(({ object, id }) => object === 'document' && id.startsWith('doc_')))
  assert(lost.bodies > 0 && lost.openings > lost.bodies)
})

test('stream says why it may not be read', async () => {
  const stranger = new Docex({ ...settings, apiKey: `${settings.apiKey}x` })
  await assert.rejects(stranger.stream().next(), { code: 'unauthorized' })
})

test('the log shows neither secrets nor bodies', async () => {
  const lines: string[] = []
  const { debug } = console
  console.debug = (line: string) => void lines.push(line)
  try {
    const loud = new Docex({ ...settings, logLevel: 'debug' })
    await loud.documents.create({ ...body, notes: 'A private note.' })
    await loud.documents.list({ query: 'private' })
  } finally {
    console.debug = debug
  }
  assert.equal(lines.length, 2)
  assert.match(lines[0]!, /^docex: POST \/v1\/documents 201 req_\w+ in \d+ ms$/)
  assert(!/private|rk_/.test(lines.join('\n')))
})

test('a client without its settings says which one is missing', () => {
  assert.throws(() => new Docex({ baseUrl: running.baseUrl }), /DOCEX_API_KEY/)
  for (const baseUrl of [undefined, '', 'localhost:8080', 'http://a?b', '/#a'])
    assert.throws(() => new Docex({ apiKey: 'rk_test_x', baseUrl }), /DOCEX_BASE_URL/)
  assert.throws(() => docex.documents.get(''), /id in the path is missing/)
})

test('a number that JSON has not is refused before it is sent, as null may mean no limit', async () => {
  const admin = new Docex({ ...settings, apiKey: pair.issuer.session })
  const before = await admin.keys.list().toArray({ limit: 100 })
  for (const max_per_payment of [Number(undefined), Infinity]) {
    const key = { name: 'erp', scopes: ['payments:write'], payment_limits: { max_per_payment } }
    await assert.rejects(async () => admin.keys.create(key as never), {
      name: 'TypeError',
      message: `\`max_per_payment\` is ${max_per_payment}.`,
    })
  }
  const after = await admin.keys.list().toArray({ limit: 100 })
  assert.equal(after.length, before.length)
})

test('what no header can carry is refused before it is sent, and a secret is not shown', async () => {
  const refusal = (name: string) => new RegExp(`^TypeError: .${name}. takes visible ASCII`)
  for (const apiKey of ['rk_test_abc…', 'rk_test_abc\r\nX-Other: 1'])
    assert.throws(() => new Docex({ ...settings, apiKey }), refusal('apiKey'))
  const spaced = new Docex({ ...settings, apiKey: ` ${pair.issuer.key}\r\n` })
  assert.equal((await spaced.me.get()).user, null)
  const write = (options: object) => docex.documents.update('doc_x', {}, options)
  await assert.rejects(write({ idempotencyKey: 'rent\r\nX-Other: 1' }), refusal('idempotencyKey'))
  await assert.rejects(write({ ifMatch: '1\n' }), refusal('ifMatch'))
  assert.throws(() => docex.documents.get('..'), /id in the path is missing/)
})
