/**
 * The outside checkpoint ahead of the database (provenance 1.5): a step that was signed and not
 * committed is merely not integrated yet, and ends by itself; a database that lost what was
 * published answers nothing.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integrate } from '../../src/changes/provenance/sequencer.ts'
import { sql } from '../../src/database/sql.ts'
import { testServer } from '../support/database/postgres.ts'
import { failingAtCommit } from '../support/provenance/log-deployment.ts'
import {
  type TestService,
  aPair,
  anInvoice,
  callApi,
  move,
  startTestService,
  until,
} from '../support/service.ts'
import { verifyWithBoth, temporaryFile, fetchTrustFile } from '../support/provenance/verifiers.ts'

// Before the first test, so that it ends after the last.
await testServer()

/** A service that signs nothing by itself, with an invoice in the log; it ends with `work`. */
const withLoggedInvoice = async (work: (story: LoggedInvoice) => Promise<void>) => {
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
  const of = (what: string) => `/v1/documents/${invoice.id}/${what}`
  const first = await read(of('export'))
  assert.equal(first.status, 200, first.text)
  return { at, pair, invoice, read, of, first }
}

const sequencerContextOf = ({ service }: TestService) => {
  const { database, notary, keyring } = service.context
  return { database, notary, macKey: keyring.history! }
}

/** Integrates what waits, and dies before the n-th commit: 2 is the leaves', 3 the checkpoint's. */
const failAtCommit = async (at: TestService, commit: number) => {
  const parts = sequencerContextOf(at)
  const database = failingAtCommit(parts.database, commit)
  await assert.rejects(integrate({ ...parts, database }, 'test'), /killed/)
}

const asSuperuser = (at: TestService, statement: string) =>
  at.database.script(`set session_replication_role = replica; ${statement};
    set session_replication_role = default`)

const logPaths = ['/v1/log/checkpoint', '/v1/log/consistency?from=1&to=2', '/v1/log/keys']

for (const [what, commit] of [
  ['the commit of a checkpoint that was signed fails', 3],
  ['a crash comes between the leaves and their checkpoint', 2],
] as const) {
  test(`1.5 ${what}: every read answers at once, and an export ends what was begun`, () =>
    withLoggedInvoice(async ({ at, pair, invoice, read, of }) => {
      const moved = await move(at, pair.counterparty.key, invoice.id, 'approved')
      assert.equal(moved.status, 200, moved.text)
      if (commit === 2) {
        // The leaves are in, and nobody signs them.
        const parts = sequencerContextOf(at)
        const notary = {
          ...parts.notary,
          lastSigned: (id: 'live' | 'test') => parts.notary.latestCheckpoint(id),
          keepSigned: async () => Promise.reject(new Error('killed before it was kept')),
        }
        await assert.rejects(integrate({ ...parts, notary }, 'test'), /killed/)
      } else {
        await failAtCommit(at, commit)
        const signed = await sequencerContextOf(at).notary.latestCheckpoint('test')
        assert.equal(signed!.isPublished, false)
      }
      for (const path of [of('history'), of('lineage'), ...logPaths]) {
        const reply = await read(path)
        assert.equal(reply.status, 200, `${path}: ${reply.text}`)
      }
      const { body } = await read(of('history'))
      assert.equal(body.verification.logged_through_seq, body.verification.events - 1)
      assert.equal(body.entries.at(-1).log, null)

      const bundle = await read(of('export'))
      assert.equal(bundle.status, 200, bundle.text)
      const trust = await fetchTrustFile(at, pair.issuer.key)
      const [verdict] = verifyWithBoth([[temporaryFile(bundle.text), '--trust', trust]])
      assert.equal(verdict!.exitCode, 0, verdict!.output)
      const after = await read(of('history'))
      assert.equal(after.body.verification.logged_through_seq, after.body.verification.events)
      const { isPublished } = (await sequencerContextOf(at).notary.latestCheckpoint('test'))!
      assert.equal(isPublished, true)
    }))
}

test('1.5 while no checkpoint can be committed: 200, and 503 provenance_pending for the export', () =>
  withLoggedInvoice(async ({ at, pair, invoice, read, of, first }) => {
    const before = JSON.parse(first.text).events.length
    await at.database.script(`
    create function refuse_checkpoint() returns trigger language plpgsql as
      $$ begin raise exception 'no checkpoint today'; end $$;
    create trigger refuse_checkpoint before insert on log_checkpoint
      for each row execute function refuse_checkpoint()`)
    assert.equal((await move(at, pair.counterparty.key, invoice.id, 'approved')).status, 200)
    for (let round = 0; round < 2; round += 1) {
      const bundle = await read(of('export'))
      assert.equal(bundle.status, 503, bundle.text)
      assert.equal(bundle.body.error.details.reason, 'provenance_pending')
      assert.equal(bundle.headers.get('retry-after'), '1')
      const { status, body } = await read(of('history'))
      assert.equal(status, 200)
      assert.equal(body.verification.logged_through_seq, before)
      for (const path of logPaths) assert.equal((await read(path)).status, 200, path)
    }
    assert(
      at.logLines.some((line) => line.includes('log_not_signed') && line.includes('no checkpoint')),
    )
    await at.database.script('drop function refuse_checkpoint cascade')
    assert.equal((await read(of('export'))).status, 200)
  }))

test('4 an export that waits for a lock of the log: 503 provenance_pending, with Retry-After', async () => {
  for (const lock of ['log_leaf in share mode', 'log_leaf in access exclusive mode']) {
    await withLoggedInvoice(async ({ at, pair, invoice, read, of }) => {
      assert.equal((await move(at, pair.counterparty.key, invoice.id, 'approved')).status, 200)
      await at.database.run(sql`begin`)
      await at.database.script(`lock table ${lock}`)
      const bundle = await read(of('export'))
      await at.database.run(sql`rollback`)
      assert.equal(bundle.status, 503, bundle.text)
      assert.equal(bundle.body.error.details.reason, 'provenance_pending')
      assert.equal(bundle.headers.get('retry-after'), '1')
      assert.equal((await read(of('export'))).status, 200)
    })
  }
})

const lostRows = {
  'the checkpoint that was published':
    'delete from log_checkpoint where size = (select max(size) from log_checkpoint)',
  'what was logged last, with its checkpoint': `
    delete from log_checkpoint where size = (select max(size) from log_checkpoint);
    delete from log_leaf where idx = (select max(idx) from log_leaf);
    update log_tile set data = substring(data for length(data) - 32) where level = 0`,
}

for (const [what, loss] of Object.entries(lostRows)) {
  for (const isPublished of [true, false]) {
    const standing = isPublished ? 'published' : 'only signed'
    // Of what was only signed, the checkpoint alone was never there.
    if (!isPublished && what === 'the checkpoint that was published') continue
    test(`1.5 a database that lost ${what} (${standing}) answers nothing, and is not signed`, () =>
      withLoggedInvoice(async ({ at, pair, invoice, read, of }) => {
        assert.equal((await move(at, pair.counterparty.key, invoice.id, 'approved')).status, 200)
        if (isPublished) await integrate(sequencerContextOf(at), 'test')
        else await failAtCommit(at, 3)
        const lost = isPublished ? loss : loss.split(';').slice(1).join(';')
        await asSuperuser(
          at,
          `${lost}; insert into log_queue (log_id, document_id, seq, hash)
          select 'test', e.document_id, e.seq, e.hash from prov_event e
          where not exists (select from log_leaf l
            where (l.document_id, l.seq) = (e.document_id, e.seq))`,
        )
        // Others write on: with leaves of its own the tree is another.
        await anInvoice(at, await aPair(at))
        const paths = [of('history'), of('lineage'), of('export'), ...logPaths.slice(0, 2)]
        const replies = await Promise.all(paths.map((path) => read(path)))
        for (const [i, reply] of replies.entries()) {
          assert.equal(reply.status, 500, `${paths[i]}: ${reply.text}`)
          assert.equal(reply.body.error.code, 'integrity_failure')
        }
        await assert.rejects(integrate(sequencerContextOf(at), 'test'), /restored|does not contain/)
        const [held] = await at.database.rows<{ held: boolean }>(
          sql`select exists (select from documents where integrity_hold) as held`,
        )
        assert.equal(held!.held, false, 'no document is to blame')
        await until('it is alarmed', () =>
          at.logLines.some((line) => line.includes('integrity_failure')),
        )
      }))
  }
}

test('1.6 the log’s own reads: a tile that is another answers 500, no proof of it', () =>
  withLoggedInvoice(async ({ at, read }) => {
    await asSuperuser(at, 'update log_tile set data = set_byte(data, 5, get_byte(data, 5) # 1)')
    const reply = await read('/v1/log/consistency?from=1&to=2')
    assert.equal(reply.status, 500, reply.text)
    assert.equal(reply.body.error.code, 'integrity_failure')
    assert.deepEqual(Object.keys(reply.body.error.details), ['failures', 'incident_id'])
  }))

test('4 the bundle rests on the first checkpoint that covers the head: without it, 500', () =>
  withLoggedInvoice(async ({ at, read, of, first }) => {
    for (let round = 0; round < 2; round += 1) {
      await anInvoice(at, await aPair(at))
      await integrate(sequencerContextOf(at), 'test')
    }
    assert.equal((await read(of('export'))).text, first.text)
    await asSuperuser(at, 'delete from head_note')
    assert.equal((await read(of('export'))).text, first.text, 'a head note is made again')
    const { size } = JSON.parse(first.text).checkpoint.match(/\n(?<size>\d+)\n/).groups
    await asSuperuser(at, `delete from head_note; delete from log_checkpoint where size = ${size}`)
    const bundle = await read(of('export'))
    assert.equal(bundle.status, 500, bundle.text)
    assert.equal(bundle.body.error.details.failures[0].check, 'CHECKPOINT')
  }))
