/** Decision 0062: which keys authenticate what was written before a rekey was finished. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventMac } from '../../src/core/provenance/history-event.ts'
import { HistoryKeys } from '../../src/core/provenance/history-keys.ts'
import { checkpointMac } from '../../src/core/provenance/signed-notes.ts'

const [newest, older, foreign] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte))
const keys = new HistoryKeys(newest!, [{ key: older!, untilSizes: { live: 5, test: 0 } }])
const hash = Buffer.alloc(32, 7)

test('an older key counts for the leaves that the log had then, and for no other', () => {
  const holds = (key: Buffer, log: 'live' | 'test', index: number | undefined) =>
    keys.holdsEvent(hash, eventMac(hash, key), { log, index })
  for (const [log, index, isHeld] of [
    ['live', 0, true],
    ['live', 4, true],
    ['live', 5, false],
    ['live', undefined, false],
    ['test', 0, false],
  ] as const) {
    assert.equal(holds(older!, log, index), isHeld, `${log} ${index}`)
    assert(holds(newest!, log, index))
    assert(!holds(foreign!, log, index))
  }
})

test('an older key counts for the checkpoints up to that size', () => {
  const row = { note: 'note', as_of: '2026-11-30T00:00:00.000Z', previous_size: 0n }
  const holds = (key: Buffer, size: bigint) =>
    keys.holdsCheckpoint({ ...row, size, mac: checkpointMac(row, key) }, 'live')
  assert.deepEqual([holds(older!, 5n), holds(older!, 6n)], [true, false])
  assert.deepEqual([holds(newest!, 6n), holds(foreign!, 5n)], [true, false])
})
