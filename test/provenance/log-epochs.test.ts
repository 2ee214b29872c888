/** A log starts a new epoch, and only with its own folder of keys. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { after, test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { testServer } from '../support/database/postgres.ts'
import { sortedJson } from '../support/provenance/mutated-bundles.ts'
import { temporaryFile, verifyWithBoth } from '../support/provenance/verifiers.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'
import { runAdminOnService } from '../support/processes/program.ts'
import { callApi } from '../support/api-client.ts'
import { aPair, anInvoice } from '../support/fixtures.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type TestService, startTestService } from '../support/test-service.ts'
import { leafBody, sharedBodies } from '../support/provenance/stored-history.ts'
import { until } from '../support/until.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

// The services must stop before the server of their databases.
const services: TestService[] = []
after(() => Promise.all(services.map(({ service }) => service.stop())))
await testServer()

const aService = async (): Promise<TestService> => {
  const started = await startTestService()
  services.push(started)
  return started
}

const read = (what: string, id: string, key: string, at: TestService) =>
  callApi(at, 'GET', `/v1/documents/${id}/${what}`, { key })

test('after a restore the log refuses to sign; a new epoch restarts it from the old checkpoint', async () => {
  const at = await aService()
  const other = await aPair(at)
  const invoice = await anInvoice(at, other)
  const path = (what: string) => `/v1/documents/${invoice.id}/${what}`
  assert.equal((await callApi(at, 'GET', path('export'), { key: other.issuer.key })).status, 200)
  // Imitates a restore that loses what was signed last.
  await asSuperuser(
    at.database,
    `delete from log_checkpoint where log_id = 'test' and size > 0; delete from log_tile
     where log_id = 'test'; insert into log_queue (log_id, document_id, seq, hash)
     select log_id, document_id, seq, hash from log_leaf where log_id = 'test' and idx > 0 order by idx;
     delete from log_leaf where log_id = 'test' and idx > 0;
     delete from prov_event where (document_id, seq) in (select document_id, max(seq) from prov_event
       group by document_id having max(seq) > 5); delete from log_queue where seq > 5`,
  )
  await until('the log refuses to sign', () =>
    at.logLines.some((line) => line.includes('log_not_signed')),
  )
  const { exitCode, output } = await runAdminOnService(at, 'new-log-epoch', '--log', 'test')
  assert.equal(exitCode, 0, output)
  await at.database.script(`update documents set integrity_hold = false`)
  await until('the new epoch is signed', async () => {
    const reply = await callApi(at, 'GET', path('export'), { key: other.issuer.key })
    return reply.status === 200
  })
  const { body } = await callApi(at, 'GET', '/v1/log/keys', { key: other.issuer.key })
  assert.match(body.origin, /\/test\/2$/)
  const first = await leafBody(at.database, 'test', 0)
  assert.match(first!, /log\.epoch_begun/)
  assert.match(first!, /test\/1/)
})

test('a command with another folder of keys is refused, and writes nothing to it or to the database', async () => {
  const at = await aService()
  const other = await aPair(at)
  const invoice = await anInvoice(at, other)
  const proof = await read('export', invoice.id, other.issuer.key, at)
  assert.equal(proof.status, 200, proof.text)
  const empty = temporaryFolder()
  for (const command of ['rotate-log-key', 'new-log-epoch']) {
    const { exitCode, output } = await runAdminOnService(
      { ...at, keysDir: empty },
      command,
      '--log',
      'test',
    )
    assert.equal(exitCode, 1, output)
    assert.match(output, /^PROVENANCE_KEYS_DIR=\S+ cannot be used: it lacks the key /)
    assert.match(output, /Use the folder of the other processes/)
    assert.deepEqual(await readdir(empty), [])
  }
  for (const what of ['history', 'lineage', 'export']) {
    assert.equal((await read(what, invoice.id, other.issuer.key, at)).status, 200, what)
  }
})

test('an epoch that PostgreSQL ends as a deadlock with another writer begins again', async () => {
  const at = await aService()
  const writer = await openTestConnection(at.databaseUrl, 'test writer')
  // The other side finds the circle first.
  await writer.script(
    "set deadlock_timeout = '20s'; begin; lock table head_note in row exclusive mode",
  )
  try {
    const command = runAdminOnService(at, 'new-log-epoch', '--log', 'test')
    await until('the command waits for the writer', async () => {
      const rows = await at.database.rows(
        sql`select 1 from pg_locks where relation = 'head_note'::regclass and not granted`,
      )
      return rows.length > 0
    })
    await writer.script('lock table log_leaf in row exclusive mode')
    await writer.script('rollback')
    const { exitCode, output } = await command
    assert.equal(exitCode, 0, output)
  } finally {
    await writer.close()
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
  test(`after ${what}, leaf 0 records the epoch, and every event is logged again without a refusal`, async () => {
    const at = await aService()
    const other = await aPair(at)
    const invoice = await anInvoice(at, other)
    const untilLogged = (reason: string) =>
      until(reason, async () => {
        const reply = await read('export', invoice.id, other.issuer.key, at)
        const [waiting] = await at.database.rows(sql`select 1 from log_queue`)
        return reply.status === 200 && waiting === undefined
      })
    await untilLogged('the invoice is logged')
    for (const command of commands) {
      const { exitCode, output } = await runAdminOnService(at, command, '--log', 'test')
      assert.equal(exitCode, 0, output)
      await untilLogged(`${command} is logged`)
    }
    assert.deepEqual(await at.database.rows(sql`select * from log_refused`), [])
    const { body } = await callApi(at, 'GET', '/v1/log/keys', { key: other.issuer.key })
    const epoch = 1 + commands.filter((one) => one === 'new-log-epoch').length
    assert.match(body.origin, new RegExp(`/test/${epoch}$`))
    const logged = sql`select document_id, seq from log_leaf where log_id = 'test'`
    const inLog = sql`(e.document_id, e.seq) in (${logged})`
    const logEvents = await sharedBodies(at.database, inLog, '"type":"log.')
    assert.equal(logEvents.length, commands.length)
    const first = await leafBody(at.database, 'test', 0)
    const { type, previous } = JSON.parse(first!) as Record<string, string>
    assert.equal(type, 'log.epoch_begun')
    assert.match(previous!, new RegExp(`/test/${epoch - 1}\n[1-9]`))
  })
}

test('--since compares bundles across epochs, given the keys of both and the proof of the new one', async () => {
  const at = await aService()
  const other = await aPair(at)
  const { id } = await anInvoice(at, other)
  const { key } = other.issuer
  const get = (path: string) => callApi(at, 'GET', path, { key })
  const exported = async (): Promise<string> => {
    let reply = await read('export', id, key, at)
    await until('the invoice is logged', async () => {
      reply = await read('export', id, key, at)
      return reply.status === 200
    })
    return temporaryFile(reply.text)
  }
  const [older, oldKeys] = [await exported(), (await get('/v1/log/keys')).text]
  const noEpochs = await get('/v1/log/epochs')
  assert.deepEqual(noEpochs.body.epochs, [], noEpochs.text)
  for (const epoch of [2, 3]) {
    const { exitCode, output } = await runAdminOnService(at, 'new-log-epoch', '--log', 'test')
    assert.equal(exitCode, 0, output)
    assert.match(output, /--since compares across epochs with the answer of \/v1\/log\/epochs/)
    await until('the new epoch is signed', async () => {
      const { body } = await get('/v1/log/keys')
      const reply = await read('export', id, key, at)
      return body.origin.endsWith(`/test/${epoch}`) && reply.status === 200
    })
  }
  const [newer, newKeys] = [await exported(), (await get('/v1/log/keys')).text]
  const proof = await get('/v1/log/epochs')
  assert.equal(proof.body.epochs.length, 2, proof.text)
  const epochs = temporaryFile(proof.text)
  const [oldTrust, newTrust, trust] = [oldKeys, newKeys, `{"logs":[${newKeys},${oldKeys}]}`].map(
    (content) => temporaryFile(content),
  ) as [string, string, string]
  const text = readFileSync(epochs, 'utf8')
  const shortened = JSON.parse(text)
  shortened.epochs.pop()
  const skipping = JSON.parse(text)
  skipping.epochs.shift()
  const lines: [string[], string | undefined][] = [
    [[newer, '--trust', trust, '--since', older, '--epochs', epochs], undefined],
    [[newer, '--trust', trust, '--since', newer], undefined],
    [[older, '--trust', oldTrust], undefined],
    [[newer, '--trust', trust, '--since', older], 'ROLLBACK'],
    [[newer, '--trust', newTrust, '--since', older, '--epochs', epochs], 'ORIGIN'],
    [[older, '--trust', trust, '--since', newer, '--epochs', epochs], 'ROLLBACK'],
    ...(
      [
        [sortedJson(shortened), 'ROLLBACK'],
        [sortedJson(skipping), 'STREAM'],
        [text.replace('svc-epochs/1', 'svc-epochs/2'), 'FORMAT'],
        [text.replace('log.epoch_begun', 'log.epoch_ended'), 'COMMITMENT'],
        [`${text}\n`, 'CANONICAL'],
        [noEpochs.text, 'ROLLBACK'],
      ] as const
    ).map(([content, check]): [string[], string] => [
      [newer, '--trust', trust, '--since', older, '--epochs', temporaryFile(content)],
      check,
    ]),
  ]
  for (const [i, verdict] of verifyWithBoth(lines.map(([args]) => args)).entries()) {
    assert.equal(verdict.check, lines[i]![1], `${i}: ${verdict.output}`)
  }
})

test('the command completes an epoch that exists only in the folder, with the old checkpoint', async () => {
  const at = await aService()
  const other = await aPair(at)
  const invoice = await anInvoice(at, other)
  const isProvable = async () =>
    (await read('export', invoice.id, other.issuer.key, at)).status === 200
  await until('the invoice is logged', isProvable)
  const { notary } = at.service.context
  const { origin } = await notary.log('test')
  await notary.newEpoch('test', origin.replace(/1$/, '2'))
  const rotated = await runAdminOnService(at, 'rotate-log-key', '--log', 'test')
  assert.match(
    rotated.output,
    /^PROVENANCE_KEYS_DIR=\S+ cannot be used: .*new-log-epoch --log test/,
  )
  const { exitCode, output } = await runAdminOnService(at, 'new-log-epoch', '--log', 'test')
  assert.equal(exitCode, 0, output)
  await at.database.script(`update documents set integrity_hold = false`)
  await until('the new epoch is signed', isProvable)
  const first = await leafBody(at.database, 'test', 0)
  assert.match(first!, /epoch_begun/)
  assert(first!.includes(`${origin}\\n`))
})

test('a row that the service did not queue is refused, and logged at level error', async () => {
  const at = await aService()
  await at.database.script(`insert into log_queue (log_id, document_id, seq, hash)
    values ('test', gen_random_uuid(), 1, decode(repeat('00', 32), 'hex'))`)
  const line = () => at.logLines.find((one) => one.includes('log_refused_events'))
  await until('the row is refused', () => line() !== undefined)
  const { level, reason, log } = JSON.parse(line()!) as Record<string, string>
  assert.deepEqual([level, reason, log], ['error', 'no_such_event', 'test'])
  assert.match(
    at.service.context.metrics.text(),
    /docex_log_refused_total\{log="test",reason="\w+"\} [1-9]/,
  )
})
