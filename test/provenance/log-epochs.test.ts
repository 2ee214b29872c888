/** A log ends and begins anew, and only with the folder of keys that is its own. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { keysDirOf, testServer } from '../support/database/postgres.ts'
import { runAdminBeside } from '../support/processes/program.ts'
import {
  type TestService,
  aPair,
  anInvoice,
  callApi,
  startTestService,
  until,
} from '../support/service.ts'

// The services end before the server of their databases does.
const services: TestService[] = []
after(() => Promise.all(services.map(({ service }) => service.stop())))
await testServer()

const aService = async (): Promise<TestService> => {
  const started = await startTestService()
  services.push(started)
  return started
}

const admin = (at: TestService, ...args: string[]) =>
  runAdminBeside(keysDirOf(at.databaseUrl), at, ...args)

const read = (what: string, id: string, key: string, at: TestService) =>
  callApi(at, 'GET', `/v1/documents/${id}/${what}`, { key })

const runAsSuperuser = (at: TestService, statement: string) =>
  at.database.script(`set session_replication_role = replica; ${statement};
    set session_replication_role = default`)

test('after a restore the log refuses; a new epoch begins it again, with the old checkpoint first', async () => {
  const at = await aService()
  const other = await aPair(at)
  const invoice = await anInvoice(at, other)
  const path = (what: string) => `/v1/documents/${invoice.id}/${what}`
  assert.equal((await callApi(at, 'GET', path('export'), { key: other.issuer.key })).status, 200)
  // As a restore would: what was signed last is lost.
  await runAsSuperuser(
    at,
    `delete from log_checkpoint where log_id = 'test' and size > 0; delete from log_tile
     where log_id = 'test'; insert into log_queue (log_id, document_id, seq, hash)
     select log_id, document_id, seq, hash from log_leaf where log_id = 'test' and idx > 0 order by idx;
     delete from log_leaf where log_id = 'test' and idx > 0;
     delete from prov_event where (document_id, seq) in (select document_id, max(seq) from prov_event
       group by document_id having max(seq) > 5); delete from log_queue where seq > 5`,
  )
  await until('the log refuses', () => at.logLines.some((line) => line.includes('log_not_signed')))
  const { status, said } = await admin(at, 'new-log-epoch', '--log', 'test')
  assert.equal(status, 0, said)
  await at.database.script(`update documents set integrity_hold = false`)
  await until('the new epoch is signed', async () => {
    const reply = await callApi(at, 'GET', path('export'), { key: other.issuer.key })
    return reply.status === 200
  })
  const { body } = await callApi(at, 'GET', '/v1/log/keys', { key: other.issuer.key })
  assert.match(body.origin, /\/test\/2$/)
  const [first] = await at.database.rows<{ shared_body: string }>(sql`
    select e.shared_body from log_leaf l join prov_event e using (document_id, seq)
    where l.log_id = 'test' and l.idx = 0`)
  assert.match(first!.shared_body, /log\.epoch_begun/)
  assert.match(first!.shared_body, /test\/1/)
})

test('a command with another folder of keys refuses, and writes nothing there or in the database', async () => {
  const at = await aService()
  const other = await aPair(at)
  const invoice = await anInvoice(at, other)
  const proof = await read('export', invoice.id, other.issuer.key, at)
  assert.equal(proof.status, 200, proof.text)
  const empty = await mkdtemp(join(tmpdir(), 'docex-empty-'))
  after(() => rm(empty, { recursive: true }))
  for (const command of ['rotate-log-key', 'new-log-epoch']) {
    const { status, said } = await runAdminBeside(empty, at, command, '--log', 'test')
    assert.equal(status, 1, said)
    assert.match(said, /^PROVENANCE_KEYS_DIR=\S+ cannot be used: it lacks the key /)
    assert.match(said, /Use the folder of the other processes/)
    assert.deepEqual(await readdir(empty), [])
  }
  for (const what of ['history', 'lineage', 'export']) {
    assert.equal((await read(what, invoice.id, other.issuer.key, at)).status, 200, what)
  }
})

const sequences = [
  { what: 'two epochs', commands: ['new-log-epoch', 'new-log-epoch'] },
  { what: 'a rotation, then an epoch', commands: ['rotate-log-key', 'new-log-epoch'] },
  {
    what: 'an epoch, then rotations',
    commands: ['new-log-epoch', 'rotate-log-key', 'rotate-log-key'],
  },
]

for (const { what, commands } of sequences) {
  test(`${what}: the epoch is leaf 0, all that was logged is logged again, nothing is refused`, async () => {
    const at = await aService()
    const other = await aPair(at)
    const invoice = await anInvoice(at, other)
    const covered = (reason: string) =>
      until(reason, async () => {
        const reply = await read('export', invoice.id, other.issuer.key, at)
        const [waiting] = await at.database.rows(sql`select 1 from log_queue`)
        return reply.status === 200 && waiting === undefined
      })
    await covered('the invoice is logged')
    for (const command of commands) {
      const { status, said } = await admin(at, command, '--log', 'test')
      assert.equal(status, 0, said)
      await covered(`${command} is logged`)
    }
    assert.deepEqual(await at.database.rows(sql`select * from log_refused`), [])
    const { body } = await callApi(at, 'GET', '/v1/log/keys', { key: other.issuer.key })
    const epoch = 1 + commands.filter((one) => one === 'new-log-epoch').length
    assert.match(body.origin, new RegExp(`/test/${epoch}$`))
    const told = await at.database.rows<{ idx: bigint; shared_body: string }>(sql`
      select l.idx, e.shared_body from log_leaf l join prov_event e using (document_id, seq)
      where l.log_id = 'test' and e.shared_body like '{"%"type":"log.%' order by l.idx`)
    assert.equal(told.length, commands.length)
    assert.equal(told[0]!.idx, 0n)
    const { type, previous } = JSON.parse(told[0]!.shared_body) as Record<string, string>
    assert.equal(type, 'log.epoch_begun')
    assert.match(previous!, new RegExp(`/test/${epoch - 1}\n[1-9]`))
  })
}

test('an epoch that was begun in the folder only: the command ends it, with the old checkpoint', async () => {
  const at = await aService()
  const other = await aPair(at)
  const invoice = await anInvoice(at, other)
  const isProvable = async () =>
    (await read('export', invoice.id, other.issuer.key, at)).status === 200
  await until('the invoice is logged', isProvable)
  const { notary } = at.service.context
  const { origin } = await notary.log('test')
  await notary.newEpoch('test', origin.replace(/1$/, '2'))
  const rotated = await admin(at, 'rotate-log-key', '--log', 'test')
  assert.match(rotated.said, /^PROVENANCE_KEYS_DIR=\S+ cannot be used: .*new-log-epoch --log test/)
  const { status, said } = await admin(at, 'new-log-epoch', '--log', 'test')
  assert.equal(status, 0, said)
  await at.database.script(`update documents set integrity_hold = false`)
  await until('the new epoch is signed', isProvable)
  const [first] = await at.database.rows<{ shared_body: string }>(sql`
    select e.shared_body from log_leaf l join prov_event e using (document_id, seq)
    where l.log_id = 'test' and l.idx = 0`)
  assert.match(first!.shared_body, /epoch_begun/)
  assert(first!.shared_body.includes(`${origin}\\n`))
})

test('a row that the service has not queued is refused with a line of level error', async () => {
  const at = await aService()
  await at.database.script(`insert into log_queue (log_id, document_id, seq, hash)
    values ('test', gen_random_uuid(), 1, decode(repeat('00', 32), 'hex'))`)
  const line = () => at.logLines.find((one) => one.includes('log_refused_events'))
  await until('the row is refused', () => line() !== undefined)
  const { level, reason, log } = JSON.parse(line()!) as Record<string, string>
  assert.deepEqual([level, reason, log], ['error', 'no_such_event', 'test'])
  assert.match(at.service.context.metrics.text(), /docex_log_refused_total\{log="test",reason=/)
})
