/** What equals a remembered version is proven; all else is checked (docs/decisions/0160, 0267). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { BrokenSeal, type RowSeals, separator } from '../../src/database/row-seals.ts'
import { type Queryable, type SqlQuery, sql } from '../../src/database/sql.ts'
import { documentReader, documentsById } from '../../src/store/documents/documents.ts'
import type { PackedDocument } from '../../src/store/documents/loaded-document.ts'
import { callApi } from '../support/api-client.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { aDraft, anInvoice } from '../support/fixtures.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'

const { running, pair, issuer, counterparty } = await startTradingPair()
const { database } = running

/** The seals of the service, which count how many documents they have checked. */
const countingSeals = () => {
  const { generation, acceptedCount, holdsPrinted } = database.seals
  const seals = { ...database.seals, generation, acceptedCount, checked: 0 }
  seals.holdsPrinted = (...row) => {
    seals.checked += 1
    return holdsPrinted(...row)
  }
  return seals
}

/** What a look-up finds, and the row that it has loaded for it. */
const lookUp = async (id: string, seals = countingSeals()) => {
  let row: PackedDocument | undefined
  const rows = async <T>(query: SqlQuery) => {
    const found = await database.rows<T>(query)
    row = found[0] as PackedDocument
    return found
  }
  const [document] = await documentsById({ ...database, rows, seals } as never as Queryable, [
    decodeId('doc', id)!,
  ])
  return { row: row!, document }
}

/** The row of an issued invoice as it is loaded. */
const aLoadedRow = async () => (await lookUp((await anInvoice(running, pair)).id)).row

const withSeal = (row: PackedDocument, seal: string): PackedDocument => ({
  ...row,
  packed: row.packed.slice(0, 2) + seal + row.packed.slice(2 + seal.length),
})

test('a row that has been proven is refused once anything of it has changed', async () => {
  const { id } = await anInvoice(running, pair)
  const read = async (path = `/v1/documents/${id}`) => {
    const replies = [issuer, counterparty].map(({ key }) => callApi(running, 'GET', path, { key }))
    return (await Promise.all(replies)).map(({ status, body }) => body.error?.code ?? status)
  }
  for (const change of [
    `content = replace(content, '"currency":', '"Currency":')`,
    `content = content || ' '`,
    'total = total + 1',
    `metadata = '{"a":"b"}'`,
    'seal = substr(seal, 1, 17) || substr(seal, 2, 1)',
  ]) {
    for (const _ of [1, 2]) assert.deepEqual(await read(), [200, 200], 'proven, and remembered')
    await whileTampered(
      database,
      'documents',
      `update documents set ${change} where id = '${decodeId('doc', id)}'`,
      async () => {
        for (const path of [`/v1/documents/${id}`, '/v1/documents']) {
          assert.deepEqual(await read(path), ['integrity_failure', 'integrity_failure'], change)
        }
      },
    )
  }
})

test('equal bytes are proven without another check, and nothing else is', async () => {
  const row = await aLoadedRow()
  const seals = countingSeals()
  const read = (one: PackedDocument) => documentReader(seals)(one)
  read(row)
  const document = read(row)
  assert.equal(read({ ...row }), document, 'the same document from the second time on')
  assert.equal(seals.checked, 2)
  assert(Object.isFrozen(document), 'readers share it')
  const old = { ...row, packed: `f${row.packed.slice(1)}` }
  assert.throws(() => read(old), { name: 'BrokenSeal' }, 'a newer row was written')
  assert.throws(() => read({ ...row, content: `${row.content} ` }), { name: 'BrokenSeal' })
  assert.throws(() => read(withSeal(row, '0101ff')), { name: 'BrokenSeal' })
  assert.equal(read(row), document)
  assert.equal(seals.checked, 5)
})

test('a look-up by id loads nothing of a version that has been proven', async () => {
  const seals = countingSeals()
  const { id } = await anInvoice(running, pair)
  await lookUp(id, seals)
  const before = await lookUp(id, seals)
  assert(before.row.content)
  const again = await lookUp(id, seals)
  assert.equal(again.document, before.document, 'the same document')
  assert.deepEqual([again.row.packed, again.row.content, seals.checked], [null, null, 2])
  // The same bytes, written by another transaction.
  await database.run(sql`update documents set total = total where id = ${decodeId('doc', id)}`)
  const rewritten = await lookUp(id, seals)
  assert(rewritten.row.content)
  assert.equal((await lookUp(id, seals)).row.content, null)
})

test('of a draft, its connection must be the version that has been proven, too', async () => {
  const seals = countingSeals()
  const draft = await aDraft(running, pair)
  const connection = sql`id = ${decodeId('con', pair.connection)}`
  const find = async () => (await lookUp(draft.id, seals)).document
  await find()
  const proven = await find()
  assert.equal(await find(), proven)
  const changes = ["status = 'ended'", `seal = '\\x00'`]
  for (const change of changes) {
    await whileTampered(
      database,
      'connections',
      `update connections set ${change} where id = '${decodeId('con', pair.connection)}'`,
      async () => assert((await find()) instanceof BrokenSeal, change),
    )
  }
  await database.run(sql`update connections set status = status where ${connection}`)
  assert(!((await find()) instanceof BrokenSeal))
})

test('proof under a key ends with the key', async () => {
  const row = await aLoadedRow()
  const seals = countingSeals()
  const readThrice = () => [1, 2, 3].forEach(() => documentReader(seals)(row))
  readThrice()
  const changes: Partial<RowSeals>[] = [{ generation: 2 }, { acceptedCount: 2 }]
  for (const [i, change] of changes.entries()) {
    Object.assign(seals, change)
    readThrice()
    assert.equal(seals.checked, 2 * (i + 2))
  }
})

/** Readers whose seals all hold, and rows whose seals end differently. */
const aCountingReader = async () => {
  const row = await aLoadedRow()
  const seals = { ...countingSeals(), checked: 0 }
  seals.holdsPrinted = () => (seals.checked += 1) > 0
  const read = documentReader(seals)
  for (const _ of [1, 2]) read(row)
  const { packed } = row
  const sealEnd = packed.indexOf(separator, 2)
  const another = (i: number): PackedDocument => ({
    ...row,
    packed: packed.slice(0, sealEnd - 8) + i.toString(16).padStart(8, '0') + packed.slice(sealEnd),
  })
  const others = Array.from({ length: 4_096 }, (_, i) => another(i + 1))
  return { row, seals, read, others }
}

test('what is read once displaces nothing that is read again', async () => {
  const { row, seals, read, others } = await aCountingReader()
  for (const other of others) read(other)
  read(row)
  assert.equal(seals.checked, 2 + 4_096)
})

test('the memory has a bound: who is not read among 4,096 others is checked again', async () => {
  const { row, seals, read, others } = await aCountingReader()
  for (const [i, other] of others.entries()) {
    for (const _ of [1, 2]) read(other)
    if (i < 2_048) read(row)
  }
  assert.equal(seals.checked, 2 + 2 * 4_096, 'who is read again stays')
  for (const other of others) for (const _ of [1, 2]) read(other)
  const beforeRow = seals.checked
  read(row)
  assert.equal(seals.checked, beforeRow + 1, 'who is not read is forgotten')
  const long = { ...withSeal(row, '0101aa'), content: row.content + ' '.repeat(4_096) }
  const before = seals.checked
  read(long)
  read(long)
  assert.equal(seals.checked, before + 2, 'a long document is not kept')
})
