/**
 * Decision 0190: a log that cannot be signed is tried again less and less often, by the sequencer
 * and by exports, and keeps the other log from nothing. A folder that takes no bytes gets no files.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdir, rename } from 'node:fs/promises'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import {
  type PacedDependencies,
  integrateUnlessWaiting,
} from '../../src/changes/provenance/paced-integration.ts'
import { limits } from '../../src/contract/limits.ts'
import { backoffMs } from '../../src/core/backoff.ts'
import { DatabaseUnavailable } from '../../src/database/sql.ts'
import { openNotary } from '../../src/notary/notary.ts'
import { openSigningBackoff } from '../../src/notary/signing-backoff.ts'
import { type WitnessProgram, openWitness } from '../../verifier/witness.mjs'
import { readTrust } from '../../verifier/verify-bundle.mjs'
import { callApi } from '../support/api-client.ts'
import { keysDirOf } from '../support/database/postgres.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { anInvoice } from '../support/fixtures.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const trusted: ReturnType<typeof readTrust>[] = []
const witness: WitnessProgram = openWitness('w.example/1', temporaryFolder(), trusted)
let askedCount = 0
/** Knows no log until the test adds one. */
const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  askedCount += 1
  const { status, text: line } = witness.addCheckpoint(await text(request))
  response.writeHead(status).end(line)
}
const server = createServer((request, response) => void answer(request, response))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close())
const { port } = server.address() as AddressInfo
const { running, pair, issuer } = await startTradingPair({
  WITNESSES: `${witness.vkey} http://127.0.0.1:${port}`,
})
const withoutWitnesses = await startTradingPair()

/** The waits after each failure, in milliseconds. */
const waits = (): number[] =>
  running.logLines
    .map((line) => JSON.parse(line) as { event: string; log?: string; retry_ms?: number })
    .filter(({ event, log }) => event === 'log_not_signed' && log === 'test')
    .map(({ retry_ms }) => retry_ms!)

test('a wait is twice as long after each failure, within a bound, and up to half of it is jitter', () => {
  const backoff = { firstMs: 100, maxMs: 1_000 }
  const of = (random: number) => [1, 2, 3, 4, 5, 5_000].map((n) => backoffMs(backoff, n, random))
  assert.deepEqual(of(0), [100, 200, 400, 800, 1_000, 1_000])
  assert.deepEqual(of(1), [50, 100, 200, 400, 500, 500])
})

test('after each wait, one caller tries again, and a new epoch is not kept waiting', () => {
  const backoff = openSigningBackoff()
  assert.deepEqual([backoff.mayTry('test/1'), backoff.mayTry('test/1')], [true, true])
  // Half of nothing: the wait is over at once.
  for (let n = 0; n < 20; n += 1) backoff.noteFailure('test/1', 2)
  assert.deepEqual([backoff.mayTry('test/1'), backoff.mayTry('test/1')], [true, false])
  assert.equal(backoff.mayTry('test/2'), true)
  assert.equal(backoff.noteFailure('test/1', 0), limits.sequenceRetryMaxMs)
  backoff.noteNothing('test/1')
  assert.equal(backoff.mayTry('test/1'), false, 'another attempt has failed meanwhile')
  backoff.noteSuccess('test/1')
  assert.equal(backoff.mayTry('test/1'), true)
})

test('an attempt that comes to nothing is followed by the next, and forgets no failure', () => {
  const backoff = openSigningBackoff()
  for (let n = 0; n < 20; n += 1) backoff.noteFailure('test/1', 2)
  assert.equal(backoff.mayTry('test/1'), true)
  backoff.noteNothing('test/1')
  assert.deepEqual([backoff.mayTry('test/1'), backoff.mayTry('test/1')], [true, false])
  assert.equal(backoff.noteFailure('test/1', 0), limits.sequenceRetryMaxMs)
})

test('a log is not kept waiting by an attempt that has failed in the database', async () => {
  const signingBackoff = openSigningBackoff()
  signingBackoff.noteFailure('test/1', 2)
  const transaction = () => Promise.reject(new DatabaseUnavailable('away'))
  const dependencies = {
    database: { transaction },
    notary: { log: async () => ({ origin: 'test/1' }), signingBackoff },
  } as unknown as PacedDependencies
  for (let n = 0; n < 2; n += 1)
    await assert.rejects(integrateUnlessWaiting(dependencies, 'test'), DatabaseUnavailable)
})

test('while a quorum is missing, witnesses are asked less and less often, also by exports', async () => {
  const { id } = await anInvoice(running, pair)
  await until('the fifth failure', () => waits().length >= 5)
  const bounds = waits().map((_, i) => limits.sequenceEveryMs * 2 ** i)
  for (const [i, wait] of waits().entries()) {
    assert(wait >= bounds[i]! / 2 && wait <= bounds[i]!, `${wait} ms after failure ${i + 1}`)
  }
  const path = `/v1/documents/${id}/export`
  const exported = () => callApi(running, 'GET', path, { key: issuer.key })
  const askedBefore = askedCount
  for (let n = 0; n < 10; n += 1) {
    const { status, body } = await exported()
    assert.deepEqual([status, body.error.details.reason], [503, 'provenance_pending'])
  }
  // The timer may have asked for both logs meanwhile.
  assert(askedCount <= askedBefore + 2, `asked ${askedCount - askedBefore} times`)
  const { body } = await callApi(running, 'GET', '/v1/log/keys', { key: issuer.key })
  trusted.push(readTrust(body))
  await until('the export', async () => (await exported()).status === 200)
})

test('a log whose folder is away raises the alarm, and the other one goes on', async (t) => {
  const { running: at, pair: other, issuer: reader } = withoutWitnesses
  await anInvoice(at, other)
  const folder = join(keysDirOf(at.databaseUrl), 'live')
  await rename(folder, `${folder}-away`)
  t.after(() => rename(`${folder}-away`, folder))
  await at.database.script(`
    insert into log_queue (log_id, document_id, seq, hash)
    select 'live', document_id, seq, hash from prov_event limit 1`)
  await until('the alarm', () =>
    /docex_log_unsigned_total\{log="live"\} [1-9]/.test(at.service.context.metrics.text()),
  )
  const { id } = await anInvoice(at, other)
  await until('the event is logged', async () => {
    const path = `/v1/documents/${id}/history`
    const { body } = await callApi(at, 'GET', path, { key: reader.key })
    return body.verification?.logged_through_seq === body.verification?.events
  })
})

test('a folder that takes no bytes, as one that is full, is left as it was', async () => {
  const provenanceKeysDir = temporaryFolder()
  await openNotary({ provenanceKeysDir, provenanceOrigin: 'test.example' })
  const files = () => readdir(provenanceKeysDir, { recursive: true })
  const before = (await files()).toSorted()
  const program = `
    import { openNotary } from '${new URL('../../src/notary/notary.ts', import.meta.url).href}'
    const notary = await openNotary(
      { provenanceKeysDir: process.argv[1], provenanceOrigin: 'test.example' })
    const position = await notary.auditPosition('test')
    const signed = { previousSize: -1, size: 0, root: Buffer.alloc(32), note: 'a note' }
    const codes = []
    for (const write of [
      () => notary.saveAuditPosition('test', position),
      () => notary.swapCheckpoint('test', signed),
    ]) await write().catch(({ code }) => codes.push(code))
    process.stdout.write(codes.join(' '))`
  const node = ['--input-type=module', '-e', program, provenanceKeysDir]
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, ...node],
    { encoding: 'utf8' },
  )
  assert.equal(stdout, 'EFBIG EFBIG', stderr)
  assert.deepEqual((await files()).toSorted(), before)
})
