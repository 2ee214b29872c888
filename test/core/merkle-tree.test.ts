/** What cached trees of tiles keep in memory. Published vectors test their hashes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tileTree, tileTreeBytes } from '../../src/core/provenance/merkle-tree.ts'
import { openTileTreeCache } from '../../src/store/provenance/tiles.ts'
import { deterministicBytes } from '../support/provenance/synthetic-log.ts'

const hashBytes = 32
const arrived = deterministicBytes('a message of the driver', 65_536)

test('the tree of a tile keeps its own bytes in memory, and not the message it arrived in', () => {
  for (const hashes of [1, 2, 3, 255, 256]) {
    const data = arrived.subarray(100, 100 + hashes * hashBytes)
    const tree = openTileTreeCache()(data)
    assert.deepEqual(tree, tileTree(data))
    assert(tree[0]!.equals(data))
    for (const row of tree) {
      assert.equal(row.buffer, tree[0]!.buffer)
      assert.equal(row.buffer.byteLength, tileTreeBytes(data))
    }
  }
})
