/** History and proof bundles over HTTP (provenance 2 and 4). */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { tryLogLock } from '../../src/store/provenance/transparency-log.ts'
import {
  checkSignatures,
  isConsistent,
  parseCheckpoint,
  readTrust,
} from '../../verifier/verify-bundle.mjs'
import {
  SyntheticLog,
  syntheticBundle,
  syntheticDocument,
} from '../support/provenance/synthetic-log.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { aPair, anInvoice, move } from '../support/fixtures.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startTestService } from '../support/test-service.ts'
import { root } from '../support/architecture/sources.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { verifyWithBoth, temporaryFile, fetchTrustFile } from '../support/provenance/verifiers.ts'

const { running, pair, issuer, counterparty } = await startTradingPair()

const read = (what: string, id: string, key: string): Promise<Reply> =>
  callApi(running, 'GET', `/v1/documents/${id}/${what}`, { key })

const approvedInvoice = async () => {
  const invoice = await anInvoice(running, pair, {
    external_refs: { issuer_ref: 'SO-1', größe: '100 €' },
    metadata: { internal: 'secret of the issuer' },
    notes: 'Thank you \u{1F600}',
  })
  const reply = await move(running, counterparty.key, invoice.id, 'approved')
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

test('provenance 2: each side reads the whole history', async () => {
  const { id } = await approvedInvoice()
  const [own, other] = await Promise.all([
    read('history', id, issuer.key),
    read('history', id, counterparty.key),
  ])
  assert.equal(own.status, 200, own.text)
  assert.equal(other.status, 200, other.text)
})

test('provenance 4: both verifiers accept both sides’ bundles', async () => {
  const { id } = await approvedInvoice()
  const trust = await fetchTrustFile(running, issuer.key)
  for (const { key } of [issuer, counterparty]) {
    const reply = await read('export', id, key)
    assert.equal(reply.status, 200, reply.text)
    const digest = createHash('sha256').update(reply.text).digest('hex')
    assert.equal(reply.headers.get('svc-bundle-digest'), digest)
    const file = temporaryFile(reply.text)
    const [pinned, unpinned] = verifyWithBoth([
      [file, '--trust', trust, '--digest', digest],
      [file],
    ])
    assert.equal(pinned!.exitCode, 0, pinned!.output)
    assert.equal(unpinned!.exitCode, 2, unpinned!.output)
  }
})

test('provenance 8: the issuer alone has the slot for lenders, and it says nothing else', async () => {
  const { id, due_date } = await approvedInvoice()
  const [own, theirs] = await Promise.all(
    [issuer, counterparty].map(async ({ key }) => JSON.parse((await read('export', id, key)).text)),
  )
  const bodies = own.events.map((event: ExportedEvent) => event.open.finance!.body)
  const facts = (status: string) => ({ balance_due: '1080.00', due_date, pledge: null, status })
  assert.deepEqual(bodies, [null, facts('submitted'), facts('approved')])
  for (const { header, open } of theirs.events as ExportedEvent[]) {
    assert.equal(open.finance, undefined)
    assert.match(header.c['finance']!, /^[0-9a-f]{64}$/)
    assert.equal(header.v, 'svc-event/2')
  }
})

interface ExportedEvent {
  header: { v: string; c: Record<string, string> }
  open: Record<string, { body: object | null }>
}

test('the docs serve the verifiers byte for byte, with their digests', async () => {
  const docs = await callApi(running, 'GET', '/v1/docs.md')
  for (const name of ['verify-bundle.mjs', 'verify_bundle.py', 'FORMAT.md']) {
    const { status, text } = await callApi(running, 'GET', `/v1/docs/verifier/${name}`)
    assert.equal(status, 200)
    assert.equal(text, readFileSync(join(root, 'verifier', name), 'utf8'))
    assert(docs.text.includes(createHash('sha256').update(text).digest('hex')), name)
  }
})

test('provenance 4: the verifiers run as standalone programs with their exit codes', async () => {
  const { id } = await approvedInvoice()
  const trust = await fetchTrustFile(running, issuer.key)
  const { text } = await read('export', id, issuer.key)
  const folder = temporaryFolder()
  for (const [program, name] of [
    [process.execPath, 'verify-bundle.mjs'],
    ['python3', 'verify_bundle.py'],
  ] as const) {
    const script = join(folder, name)
    cpSync(join(root, 'verifier', name), script)
    const run = (...args: string[]) => spawnSync(program, [script, ...args], { encoding: 'utf8' })
    const valid = run(temporaryFile(text), '--trust', trust)
    assert.equal(valid.status, 0, `${program} is needed: ${valid.error?.message ?? valid.stdout}`)
    assert.match(valid.stdout, /^VALID doc_\w+, as its issuer sees it\nThese 3 events/)
    assert.equal(run(temporaryFile(text)).status, 2)
    const forged = run(temporaryFile(text.replaceAll('SO-1', 'SO-2')), '--trust', trust)
    assert.equal(forged.status, 1)
    assert.match(forged.stdout, /^INVALID COMMITMENT event 1 issuer/)
  }
})

test('provenance 4: an export keeps its bytes while the document does not change', async () => {
  const { id } = await approvedInvoice()
  const before = await read('export', id, issuer.key)
  await approvedInvoice()
  const other = await running.startAnother({ BASE_URL: 'https://elsewhere.example' })
  for (const at of [running, other]) {
    const { text, headers, status } = await callApi(at, 'GET', `/v1/documents/${id}/export`, {
      key: issuer.key,
    })
    assert.equal(status, 200)
    assert.equal(text, before.text)
    assert.equal(headers.get('etag'), `"${headers.get('svc-bundle-digest')}"`)
    assert.equal(headers.get('cache-control'), 'private, no-transform')
    assert.equal(headers.has('content-encoding'), false)
  }
  const conditional = { 'if-none-match': before.headers.get('etag')! }
  const same = await callApi(running, 'GET', `/v1/documents/${id}/export`, {
    key: issuer.key,
    headers: conditional,
  })
  assert.equal(same.status, 304)
})

test('provenance 4: when the log cannot cover a change in time, export returns 503 provenance_pending', async () => {
  const at = await startTestService({ PROCESS_ROLE: 'api' })
  const { issuer: seller, ...rest } = await aPair(at)
  const invoice = await anInvoice(at, { issuer: seller, ...rest })
  // There is no background work: the export runs the sequencer itself.
  const path = `/v1/documents/${invoice.id}/export`
  assert.equal((await callApi(at, 'GET', path, { key: seller.key })).status, 200)
  const later = await anInvoice(at, { issuer: seller, ...rest })
  const holder = await at.service.context.database.dedicated('docex test').get()
  await holder.run(sql`begin`)
  await tryLogLock(holder, 'test')
  const late = await callApi(at, 'GET', `/v1/documents/${later.id}/export`, { key: seller.key })
  assert.equal(late.status, 503)
  assert.equal(late.body.error.details.reason, 'provenance_pending')
  assert.equal(late.headers.get('retry-after'), '1')
  await holder.run(sql`rollback`)
  assert.equal(
    (await callApi(at, 'GET', `/v1/documents/${later.id}/export`, { key: seller.key })).status,
    200,
  )
})

test('1.6 checkpoints are signed, and consistency proofs show that the log only grew', async () => {
  const get = (path: string) => callApi(running, 'GET', path, { key: issuer.key })
  const keys = (await get('/v1/log/keys')).body
  const trust = readTrust(keys)
  const checkpoint = async () => {
    const read = parseCheckpoint((await get('/v1/log/checkpoint')).body.checkpoint)
    checkSignatures(read, read.size, trust)
    return read
  }
  const { id } = await approvedInvoice()
  await read('export', id, issuer.key)
  const older = await checkpoint()
  await read('export', (await approvedInvoice()).id, issuer.key)
  const newer = await checkpoint()
  assert(newer.size > older.size)
  const { body } = await get(`/v1/log/consistency?from=${older.size}&to=${newer.size}`)
  const proof = body.proof.map((node: string) => Buffer.from(node, 'hex'))
  assert(isConsistent(older.size, newer.size, older.root, newer.root, proof))
  for (const query of [`from=2&to=1`, `from=0&to=${newer.size + 1_000}`, 'from=-1&to=1', 'to=1']) {
    assert.equal((await get(`/v1/log/consistency?${query}`)).status, 400, query)
  }
  for (const from of ['01', '00', '-0', '1.0', '1e0', '+1', '%201', '']) {
    const reply = await get(`/v1/log/consistency?from=${from}&to=${newer.size}`)
    assert.equal(reply.status, 400, `from=${from}: ${reply.text}`)
    assert.equal(reply.body.error.details.errors[0].param, 'from')
  }
  const live = await aPair(running, 'live')
  const liveKeys = await callApi(running, 'GET', '/v1/log/keys', { key: live.issuer.key })
  assert.match(liveKeys.body.origin, /\/live\/1$/)
  assert.notDeepEqual(liveKeys.body.keys, keys.keys)
})

for (const [version, folder] of [
  [1, 'test/vectors/golden'],
  [2, 'test/vectors/golden/version-2'],
] as const) {
  test(`1.4 the bytes of the golden bundles of version ${version} never change`, () => {
    const golden = join(root, folder)
    const trust = join(golden, 'trust.json')
    const document = syntheticDocument(undefined, { version })
    const log = new SyntheticLog().add(...document.events)
    for (const role of ['issuer', 'counterparty'] as const) {
      const file = join(golden, `${role}.svc-proof.json`)
      assert.equal(syntheticBundle(document, log, { role }), readFileSync(file, 'utf8'))
      const [verdict] = verifyWithBoth([[file, '--trust', trust]])
      assert.equal(verdict!.exitCode, 0, verdict!.output)
    }
  })
}
