/**
 * A signed checkpoint outside the database may be ahead of it (provenance 1.5). A step that was
 * signed but not committed completes later by itself. A database that lost published data serves
 * no provenance.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integrate } from '../../src/changes/provenance/sequencer.ts'
import { sql } from '../../src/database/sql.ts'
import { testServer } from '../support/database/postgres.ts'
import { failingAtCommit } from '../support/provenance/log-deployment.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'
import { callApi } from '../support/api-client.ts'
import { aPair, anInvoice, move } from '../support/fixtures.ts'
import { type TestService, startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { verifyWithBoth, temporaryFile, fetchTrustFile } from '../support/provenance/verifiers.ts'

// Starts before the first test, so that it stops after the last.
await testServer()

/** Runs `work` with a logged invoice, on a service that signs nothing in the background. */
const withLoggedInvoice = async (work: (invoice: LoggedInvoice) => Promise<void>) => {
  const at = await startTestService({ PROCESS_ROLE: 'api' })
  try {
    await work(await loggedInvoiceOn(at))
  } finally {
    await at.database.close()
    await at.service.stop()
  }
}

type LoggedInvoice = Awaited<ReturnType<typeof loggedInvoiceOn>>

const loggedInvoiceOn = async (at: TestService) => {
  const pair = await aPair(at)
  const invoice = await anInvoice(at, pair)
  const read = (path: string, key = pair.issuer.key) => callApi(at, 'GET', path, { key })
  const pathOf = (what: string) => `/v1/documents/${invoice.id}/${what}`
  const first = await read(pathOf('export'))
  assert.equal(first.status, 200, first.text)
  return { at, pair, invoice, read, pathOf, first }
}

const sequencerContextOf = ({ service }: TestService) => {
  const { database, notary, keyring } = service.context
  return { database, notary, keyring }
}

/** Fails before the n-th commit of the sequencer: 2 stores leaves, 3 the checkpoint. */
const failAtCommit = async (at: TestService, commit: number) => {
  const parts = sequencerContextOf(at)
  const database = failingAtCommit(parts.database, commit)
  await assert.rejects(integrate({ ...parts, database }, 'test'), /killed/)
}

const logPaths = ['/v1/log/checkpoint', '/v1/log/consistency?from=1&to=2', '/v1/log/keys']

for (const [failure, commit] of [
  ['the commit of a signed checkpoint fails', 3],
  ['a crash separates the leaves from their checkpoint', 2],
] as const) {
  test(`1.5 when ${failure}, every read works at once, and an export completes the step`, () =>
    withLoggedInvoice(async ({ at, pair, invoice, read, pathOf }) => {
      const moved = await move(at, pair.counterparty.key, invoice.id, 'approved')
      assert.equal(moved.status, 200, moved.text)
      if (commit === 2) {
        // The leaves are stored, but signing them fails.
        const parts = sequencerContextOf(at)
        const notary = {
          ...parts.notary,
          swapCheckpoint: async () => Promise.reject(new Error('killed before it was signed')),
        }
        await assert.rejects(integrate({ ...parts, notary }, 'test'), /killed/)
      } else {
        await failAtCommit(at, commit)
        const signed = await sequencerContextOf(at).notary.latestCheckpoint('test')
        assert.equal(signed!.isPublished, false)
      }
      for (const path of [pathOf('history'), pathOf('lineage'), ...logPaths]) {
        const reply = await read(path)
        assert.equal(reply.status, 200, `${path}: ${reply.text}`)
      }
      const { body } = await read(pathOf('history'))
      assert.equal(body.verification.logged_through_seq, body.verification.events - 1)
      assert.equal(body.entries.at(-1).log, null)

      const bundle = await read(pathOf('export'))
      assert.equal(bundle.status, 200, bundle.text)
      const trust = await fetchTrustFile(at, pair.issuer.key)
      const [verdict] = verifyWithBoth([[temporaryFile(bundle.text), '--trust', trust]])
      assert.equal(verdict!.exitCode, 0, verdict!.output)
      const after = await read(pathOf('history'))
      assert.equal(after.body.verification.logged_through_seq, after.body.verification.events)
      const { isPublished } = (await sequencerContextOf(at).notary.latestCheckpoint('test'))!
      assert.equal(isPublished, true)
    }))
}

test('1.5 while no checkpoint can be committed, reads return 200, and exports 503 provenance_pending', () =>
  withLoggedInvoice(async ({ at, pair, invoice, read, pathOf, first }) => {
    const before = JSON.parse(first.text).events.length
    await at.database.script(`
    create function refuse_checkpoint() returns trigger language plpgsql as
      $$ begin raise exception 'no checkpoint today'; end $$;
    create trigger refuse_checkpoint before insert on log_checkpoint
      for each row execute function refuse_checkpoint()`)
    assert.equal((await move(at, pair.counterparty.key, invoice.id, 'approved')).status, 200)
    for (let round = 0; round < 2; round += 1) {
      const bundle = await read(pathOf('export'))
      assert.equal(bundle.status, 503, bundle.text)
      assert.equal(bundle.body.error.details.reason, 'provenance_pending')
      assert.equal(bundle.headers.get('retry-after'), '1')
      const { status, body } = await read(pathOf('history'))
      assert.equal(status, 200)
      assert.equal(body.verification.logged_through_seq, before)
      for (const path of logPaths) assert.equal((await read(path)).status, 200, path)
    }
    assert(
      at.logLines.some((line) => line.includes('log_not_signed') && line.includes('no checkpoint')),
    )
    await at.database.script('drop function refuse_checkpoint cascade')
    assert.equal((await read(pathOf('export'))).status, 200)
  }))

test('4 while only the growth of the log waits for a lock, export returns 503 provenance_pending', () =>
  withLoggedInvoice(async ({ at, pair, invoice, read, pathOf }) => {
    assert.equal((await move(at, pair.counterparty.key, invoice.id, 'approved')).status, 200)
    await at.database.run(sql`begin`)
    await at.database.script('lock table log_leaf in share mode')
    const bundle = await read(pathOf('export'))
    await at.database.run(sql`rollback`)
    assert.equal(bundle.status, 503, bundle.text)
    assert.equal(bundle.body.error.details.reason, 'provenance_pending')
    assert.equal(bundle.headers.get('retry-after'), '1')
    assert.equal((await read(pathOf('export'))).status, 200)
  }))

test('4 history, lineage and export that wait in vain for a lock say that the database is busy', () =>
  withLoggedInvoice(async ({ at, pair, invoice, read, pathOf }) => {
    assert.equal((await move(at, pair.counterparty.key, invoice.id, 'approved')).status, 200)
    await at.database.run(sql`begin`)
    await at.database.script('lock table log_leaf in access exclusive mode')
    for (const path of ['history', 'lineage', 'export'].map(pathOf)) {
      const { status, headers, body } = await read(path)
      assert.deepEqual([status, headers.get('retry-after')], [503, '1'], path)
      assert.match(body.error.message, /^The database is busy right now/, path)
      assert.equal(body.error.details, undefined, path)
    }
    await at.database.run(sql`rollback`)
    assert.equal((await read(pathOf('export'))).status, 200)
  }))

const lostRows = {
  'the published checkpoint':
    'delete from log_checkpoint where size = (select max(size) from log_checkpoint)',
  'the last leaf and its checkpoint': `
    delete from log_checkpoint where size = (select max(size) from log_checkpoint);
    delete from log_leaf where idx = (select max(idx) from log_leaf);
    update log_tile set data = substring(data for length(data) - 32) where level = 0`,
}

for (const [rows, loss] of Object.entries(lostRows)) {
  for (const isPublished of [true, false]) {
    const publication = isPublished ? 'published' : 'only signed'
    // A checkpoint that is only signed was never in the database.
    if (!isPublished && rows === 'the published checkpoint') continue
    test(`1.5 a database that lost ${rows} (${publication}) serves and signs nothing`, () =>
      withLoggedInvoice(async ({ at, pair, invoice, read, pathOf }) => {
        assert.equal((await move(at, pair.counterparty.key, invoice.id, 'approved')).status, 200)
        if (isPublished) await integrate(sequencerContextOf(at), 'test')
        else await failAtCommit(at, 3)
        // The service notices it within a second by itself, too: rolled-back-database.test.ts.
        at.service.context.isRolledBack = () => false
        const lost = isPublished ? loss : loss.split(';').slice(1).join(';')
        await asSuperuser(
          at.database,
          `${lost}; insert into log_queue (log_id, document_id, seq, hash)
          select 'test', e.document_id, e.seq, e.hash from prov_event e
          where not exists (select from log_leaf l
            where (l.document_id, l.seq) = (e.document_id, e.seq))`,
        )
        // Other writes continue, so the tree gets different leaves.
        await anInvoice(at, await aPair(at))
        const paths = [
          pathOf('history'),
          pathOf('lineage'),
          pathOf('export'),
          ...logPaths.slice(0, 2),
        ]
        const replies = await Promise.all(paths.map((path) => read(path)))
        for (const [i, reply] of replies.entries()) {
          assert.equal(reply.status, 500, `${paths[i]}: ${reply.text}`)
          assert.equal(reply.body.error.code, 'integrity_failure')
        }
        await assert.rejects(integrate(sequencerContextOf(at), 'test'), /restored|does not contain/)
        const [held] = await at.database.rows<{ held: boolean }>(
          sql`select exists (select from documents where integrity_hold) as held`,
        )
        assert.equal(held!.held, false, 'no document is put on hold')
        await until('an alarm is logged', () =>
          at.logLines.some((line) => line.includes('integrity_failure')),
        )
      }))
  }
}

test('1.6 a read of the log returns 500 for a changed tile, and no proof', () =>
  withLoggedInvoice(async ({ at, read }) => {
    await asSuperuser(
      at.database,
      'update log_tile set data = set_byte(data, 5, get_byte(data, 5) # 1)',
    )
    const reply = await read('/v1/log/consistency?from=1&to=2')
    assert.equal(reply.status, 500, reply.text)
    assert.equal(reply.body.error.code, 'integrity_failure')
    assert.deepEqual(Object.keys(reply.body.error.details), ['failures', 'incident_id'])
  }))

test('4 a bundle uses the first checkpoint that covers its head; without it, export returns 500', () =>
  withLoggedInvoice(async ({ at, read, pathOf, first }) => {
    for (let round = 0; round < 2; round += 1) {
      await anInvoice(at, await aPair(at))
      await integrate(sequencerContextOf(at), 'test')
    }
    assert.equal((await read(pathOf('export'))).text, first.text)
    await asSuperuser(at.database, 'delete from head_note')
    assert.equal((await read(pathOf('export'))).text, first.text, 'the head note is recreated')
    const { size } = JSON.parse(first.text).checkpoint.match(/\n(?<size>\d+)\n/).groups
    await asSuperuser(
      at.database,
      `delete from head_note; delete from log_checkpoint where size = ${size}`,
    )
    const bundle = await read(pathOf('export'))
    assert.equal(bundle.status, 500, bundle.text)
    assert.equal(bundle.body.error.details.failures[0].check, 'CHECKPOINT')
  }))
