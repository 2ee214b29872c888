/** Rows that equal remembered ones, byte for byte, are proven (docs/decisions/0160, 0169, 0267). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packedRow, unpackRow } from '../../src/database/packed-rows.ts'
import { provenRow } from '../../src/database/proven-rows.ts'
import type { RowSeals } from '../../src/database/row-seals.ts'
import { sql } from '../../src/database/sql.ts'
import { anOrganization } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { database } = running
const { uuid } = await anOrganization(running)
const [row] = await database.rows<{ packed: string }>(
  sql`select ${packedRow('organizations', 'o')} as packed from organizations o where id = ${uuid}`,
)
const { packed } = row!

/** The seals of the service, which count how many rows they have checked. */
const countingSeals = (): RowSeals & { checked: number } => {
  const { generation, acceptedCount, holdsPrinted } = database.seals
  const seals = { ...database.seals, generation, acceptedCount, checked: 0 }
  seals.holdsPrinted = (...printed) => {
    seals.checked += 1
    return holdsPrinted(...printed)
  }
  return seals
}

test('what is read a second time is remembered: equal bytes are proven without a check', () => {
  const seals = countingSeals()
  assert.equal(provenRow(seals, 'organizations', packed).id, uuid)
  const organization = provenRow(seals, 'organizations', packed)
  assert.equal(provenRow(seals, 'organizations', `${packed} `.slice(0, -1)), organization)
  assert.equal(seals.checked, 2)
  assert(Object.isFrozen(organization), 'writes share it')
})

test('a remembered row has the values of the row that was unpacked', () => {
  const seals = countingSeals()
  const unpacked = unpackRow(seals, 'organizations', packed)
  for (const _ of [1, 2, 3]) assert.deepEqual(provenRow(seals, 'organizations', packed), unpacked)
  assert(unpacked.name.length > 12, 'a text that is part of a longer one')
})

test('bytes that were proven prove no row of another table, and no other row', () => {
  const seals = countingSeals()
  for (const _ of [1, 2, 3]) provenRow(seals, 'organizations', packed)
  assert.equal(seals.checked, 2)
  const broken = { name: 'BrokenSeal' }
  assert.throws(() => provenRow(seals, 'connections', packed), broken)
  assert.throws(() => provenRow(seals, 'organizations', packed.replace('test', 'live')), broken)
  assert.equal(seals.checked, 4)
})

test('proof under a key ends with the key', () => {
  const seals = countingSeals()
  for (const [i, generation] of [1, 2, 1].entries()) {
    Object.assign(seals, { generation })
    for (const _ of [1, 2, 3]) provenRow(seals, 'organizations', packed)
    assert.equal(seals.checked, 2 * (i + 1))
  }
})
