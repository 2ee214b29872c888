/** What of the queue becomes a leaf of the log, by what this process has logged (0064). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectionReason } from '../../src/changes/provenance/rejection-reason.ts'
import { limits } from '../../src/contract/limits.ts'
import { LoggedHeads, openLoggedHeads } from '../../src/notary/logged-heads.ts'
import type { QueuedEvent } from '../../src/store/provenance/transparency-log.ts'

const hash = Buffer.alloc(32, 1)
const queued: QueuedEvent = {
  id: 1n,
  document_id: 'a',
  seq: 2,
  hash,
  event_hash: hash,
  mac: Buffer.alloc(16),
  logged: false,
  follows: true,
}

interface Before {
  /** The events that the batch has accepted. */
  accepted?: readonly string[]
  /** The last event of the document that was logged earlier. */
  logged?: number
  isOurs?: boolean
}

/** Why the event is set aside; undefined if it is logged. */
const reasonOf = (
  change: Partial<QueuedEvent>,
  { accepted = [], logged = 0, isOurs = true }: Before = {},
) => {
  const heads = new LoggedHeads()
  heads.add([{ document_id: 'a', seq: logged }], 1)
  const known = { acceptedIds: new Set(accepted), heads, isOurs }
  return rejectionReason({ ...queued, ...change }, known)
}

test('an event of the service is logged once, and after the one before it', () => {
  assert.equal(reasonOf({}), undefined)
  assert.equal(reasonOf({ seq: 1, follows: false }), undefined)
  assert.equal(reasonOf({ follows: false }, { accepted: ['a 1'] }), undefined)
  assert.equal(reasonOf({ follows: false }), 'out_of_order')
  assert.equal(reasonOf({ event_hash: null }), 'no_such_event')
  assert.equal(reasonOf({ mac: null }), 'no_such_event')
  assert.equal(reasonOf({ event_hash: Buffer.alloc(32, 2) }), 'another_hash')
  assert.equal(reasonOf({}, { isOurs: false }), 'not_written_by_this_service')
  assert.equal(reasonOf({ logged: true }), 'logged_before')
  assert.equal(reasonOf({}, { accepted: ['a 2'] }), 'logged_before')
})

test('what this process has logged is not logged again, whatever the database says', () => {
  for (const logged of [2, 3]) assert.equal(reasonOf({}, { logged }), 'logged_before')
  assert.equal(reasonOf({}, { logged: 1 }), undefined)
})

test('the newest leaves are remembered, and no head goes back', () => {
  const heads = new LoggedHeads()
  const leaves = Array.from({ length: limits.rememberedHeadsMax }, (_, i) => ({
    document_id: `${i}`,
    seq: 3,
  }))
  heads.add(leaves, leaves.length)
  heads.add([{ document_id: '0', seq: 2 }], leaves.length + 1)
  heads.add([{ document_id: 'a', seq: 1 }], leaves.length + 2)
  assert.deepEqual(
    ['0', '1', '2', 'a'].map((id) => heads.of(id)),
    [3, 0, 3, 1],
  )
  heads.add([], 5)
  assert.equal(heads.size, leaves.length + 2)
})

test('an epoch begins with nothing, and a document has its last event in any log', () => {
  const { loggedHeads, lastLoggedSeq } = openLoggedHeads()
  const log = { id: 'live', origin: 'docex/live/1' } as const
  loggedHeads(log).add([{ document_id: 'a', seq: 4 }], 1)
  loggedHeads({ id: 'test', origin: 'docex/test/1' }).add([{ document_id: 'b', seq: 2 }], 1)
  assert.equal(loggedHeads(log).of('a'), 4)
  assert.deepEqual(['a', 'b', 'c'].map(lastLoggedSeq), [4, 2, 0])
  assert.equal(loggedHeads({ ...log, origin: 'docex/live/2' }).of('a'), 0)
})
