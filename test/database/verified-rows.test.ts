/** The memory of rows whose seals were verified (decision 0118). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyGenerations } from '../../src/core/key-generations.ts'
import { openRowSeals, sealedColumns } from '../../src/database/row-seals.ts'
import { VerifiedRows } from '../../src/database/verified-rows.ts'

/** Some row of a small table. */
const practice = {
  ...Object.fromEntries(sealedColumns.practice.map((name) => [name, name])),
  ...{ is_only: true, at: '2026-11-26T12:00:00.000Z' },
}

const [seal, other] = [Buffer.alloc(18, 1), Buffer.alloc(18, 2)]

test('only the very text is known, under its own seal, in its own table', () => {
  const rows = new VerifiedRows(1_000)
  rows.add('documents', seal, 'total 100')
  assert(rows.has('documents', seal, 'total 100'))
  assert(!rows.has('documents', seal, 'total 900'))
  assert(!rows.has('documents', other, 'total 100'))
  assert(!rows.has('payments', seal, 'total 100'))
})

test('it is bounded: the oldest texts go, and a very long one never comes', () => {
  const rows = new VerifiedRows(1_000)
  const text = 'x'.repeat(100)
  const seals = Array.from({ length: 50 }, (_, i) => Buffer.alloc(18, i))
  for (const one of seals) rows.add('documents', one, text)
  assert(!seals.slice(0, -11).some((one) => rows.has('documents', one, text)))
  assert(seals.slice(-5).every((one) => rows.has('documents', one, text)))
  rows.add('documents', seal, 'y'.repeat(100_000))
  assert(!rows.has('documents', seal, 'y'.repeat(100_000)))
})

test('a text that is read again and again stays', () => {
  const rows = new VerifiedRows(1_000)
  rows.add('documents', seal, 'often read')
  for (let i = 0; i < 100; i += 1) {
    rows.add('documents', Buffer.alloc(18, 3 + i), 'x'.repeat(100))
    assert(rows.has('documents', seal, 'often read'))
  }
})

test('a row that was verified is refused once its server key is retired', () => {
  const keyOf = (byte: number) => Buffer.alloc(32, byte)
  const keys = new KeyGenerations(new Map([[1, keyOf(1)]]), 1)
  const seals = openRowSeals(keys)
  const sealed = seals.seal('practice', practice)
  assert(seals.holds('practice', sealed))
  assert(!seals.holds('practice', { ...sealed, credentials_location: 'elsewhere' }))
  keys.replace(new Map([[2, keyOf(2)]]), 2)
  assert(!seals.holds('practice', sealed))
})
