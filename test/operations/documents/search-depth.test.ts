/** A search across many buckets of the index loses no match (contract 8). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { decodeId } from '../../../src/core/ids.ts'
import {
  bucketOf,
  bucketRuns,
  bucketStart,
  indexEntryOf,
} from '../../../src/core/documents/search-index.ts'
import { sql } from '../../../src/database/sql.ts'
import { saveEntries } from '../../../src/store/documents/search-indexing.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { searchClient } from '../../support/documents/search-client.ts'
import { aDraft, aPair } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

// Runs without background tasks, so that a document stays unindexed until a test indexes it.
const running = await startTestService({ PROCESS_ROLE: 'api' })
const { search, searchIds, index } = searchClient(running)

describe('contract 8: search across buckets of the index', async () => {
  const pair = await aPair(running)
  const { issuer } = pair
  const ids = new Map<string, string>()
  /** Skips this many buckets, as if that many changes had happened. */
  const skipBuckets = async (buckets: number): Promise<void> => {
    await index(issuer)
    const positions = BigInt(buckets * limits.searchBucketPositions)
    await runAndSeal(
      running.database,
      'organization_counters',
      sql`
      update organization_counters set feed = feed + ${positions}
      where organization_id = ${issuer.uuid}`,
    )
    await running.database.run(sql`
      update search_progress
      set indexed = indexed + ${positions}, renewed = renewed + ${positions}
      where organization_id = ${issuer.uuid}`)
  }
  // Each text and the number of buckets skipped after it, oldest first.
  const notes = [
    ['oak brass scarce', 1],
    ['oak copper', 3],
    ['brass copper lone17', 12],
    ['oak brass copper', 40],
    ['scarce oak', 30],
    ['brass', 60],
    ['lone18 copper', 30],
    ['oak', 0],
    ['brass', 0],
  ] as const
  for (const [text, gap] of notes) {
    const { id } = await aDraft(running, pair, { notes: text })
    ids.set(id, text)
    await skipBuckets(gap)
  }
  await aDraft(running, pair, { notes: 'oak behind' }).then(({ id }) => ids.set(id, 'oak behind'))

  const idsWith = (...words: string[]): string[] =>
    [...ids]
      .filter(([, text]) => words.every((word) => text.split(' ').includes(word)))
      .map(([id]) => id)
      .toReversed()

  for (const words of [
    ...['oak', 'brass', 'copper', 'scarce', 'lone17', 'missing'].map((word) => [word]),
    ['oak', 'brass'],
    ['brass', 'oak', 'copper'],
    ['oak', 'scarce'],
    ['copper', 'scarce'],
    ['lone17', 'brass'],
    ['lone17', 'oak'],
    ['lone18', 'oak'],
    ['brass', 'lone18'],
    ['copper', 'lone18'],
  ]) {
    test(`${words.join(' ')} finds each match once, newest first, in pages of any size`, async () => {
      for (const limit of [1, 2, 100]) {
        assert.deepEqual(
          await searchIds(words.join(' '), issuer, `&limit=${limit}`),
          idsWith(...words),
        )
      }
      const filtered = await searchIds(words.join(' '), issuer, '&status=draft&limit=2')
      assert.deepEqual(filtered, idsWith(...words))
    })
  }

  test('a page scans a bounded part of the index, and its cursor continues from there', async () => {
    const first = (await search('lone17', issuer)).body
    assert.deepEqual([first.data.length, first.has_more], [0, true])
    assert.deepEqual(await searchIds('lone17', issuer), idsWith('lone17'))
  })

  test('a match below a run of very many entries is found', async () => {
    const [id] = [...ids].find(([, text]) => text.includes('lone18'))!
    const [view] = await running.database.rows<{ position: bigint }>(sql`
      select position from document_views where document_id = ${decodeId('doc', id)!}`)
    const crowded = bucketStart(bucketOf(view!.position) + 3n)
    // Entries without documents: the index finds them, but no page shows them.
    const positions = Array.from({ length: limits.searchRunEntriesMax + 1 }, (_, i) => BigInt(i))
    const entries = positions.map((i) => {
      const position = crowded + i
      return { position, words: indexEntryOf(issuer.uuid, position, new Set(['#lone18'])) }
    })
    await saveEntries(running.database, issuer.uuid, entries)
    assert.deepEqual(await searchIds('lone18', issuer, '&limit=100'), idsWith('lone18'))
    assert.deepEqual(await searchIds('lone18 copper', issuer, '&limit=100'), idsWith('lone18'))
  })
})

test('the runs cover every bucket once, from the newest to the last', () => {
  for (const [top, last] of [
    [0n, 0n],
    [7n, 7n],
    [63n, 0n],
    [200n, 137n],
  ] as const) {
    const runs = bucketRuns(top, last)
    const expected = Array.from({ length: Number(top - last) + 1 }, (_, i) => top - BigInt(i))
    assert.deepEqual(runs.flat(), expected)
    assert(runs.every((run) => run.length <= limits.searchBucketsAtOnce))
    assert.equal(runs[0]!.length, 1, 'the first run holds only the newest bucket')
  }
})
