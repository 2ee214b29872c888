/**
 * Brings the search index of each organization up to its feed. Writers never wait for it, and a
 * search scans whatever is not indexed yet, so this task may lag, run twice, or pause.
 * Organizations with few unindexed changes are skipped, because those are quick to scan. Entries
 * that an older version has written are renewed in the same way.
 */
import { limits } from '../contract/limits.ts'
import { indexEntryOf } from '../core/documents/search-index.ts'
import { inTurns } from '../database/in-turns.ts'
import { type SearchDocumentRow, wordsOf } from '../store/documents/search-index.ts'
import * as store from '../store/documents/search-indexing.ts'
import type { Context } from '../context.ts'
import type { Task } from './runner.ts'
import { openDueWork } from './due-work.ts'

const indexing = openDueWork('index-search')
const renewing = openDueWork('index-search')

export const indexSearch: Task = {
  name: 'index-search',
  everyMs: limits.searchIndexEveryMs,
  run: async (context) => {
    const { database } = context
    const minChanges = limits.searchIndexMinChanges
    const ofEach = { limit: limits.searchIndexOrganizationsPerRound, inTurn: true } as const
    let isBehind = false
    const isFull = await indexing.perform<string>(context, {
      ...ofEach,
      find: (most) => store.organizationsToIndex(database.background, minChanges, most),
      keyOf: (organization) => organization,
      run: async (organization) => {
        isBehind = (await indexBatch(database, organization)) || isBehind
      },
    })
    await renewing.perform<string>(context, {
      ...ofEach,
      find: (most) => store.organizationsToRenew(database.background, most),
      keyOf: (organization) => organization,
      run: async (organization) => {
        isBehind = (await renewBatch(database, organization)) || isBehind
      },
    })
    return isBehind || isFull
  },
}

/** Indexes one range of an organization's feed; returns true if there is more. */
const indexBatch = (database: Context['database'], organization: string): Promise<boolean> =>
  database.transaction(async (tx) => {
    const index = await store.lockSearchIndex(tx, organization)
    if (index === undefined) return false
    const from = index.indexed
    const end = from + BigInt(limits.searchIndexPositionsPerRound)
    const range = { from, to: end < index.feed ? end : index.feed }
    const { documents, to } = await store.documentsToIndex(tx, organization, range)
    await store.saveEntries(tx, organization, await inTurns(entriesOf(organization, documents)))
    await store.setIndexedPosition(tx, organization, to)
    return to < index.feed
  })

/** Writes the next entries of an older version anew; returns true if there are more. */
const renewBatch = (database: Context['database'], organization: string): Promise<boolean> =>
  database.transaction(async (tx) => {
    const index = await store.lockSearchIndex(tx, organization)
    if (index === undefined || index.renewed >= index.indexed) return false
    const range = { from: index.renewed, to: index.indexed }
    const limit = limits.searchIndexPositionsPerRound
    const { documents, to } = await store.documentsToRenew(tx, organization, { ...range, limit })
    await store.saveEntries(tx, organization, await inTurns(entriesOf(organization, documents)))
    await store.setRenewedPosition(tx, organization, to)
    return to < index.indexed
  })

/** As steps, since the documents may have half a megabyte of text. */
function* entriesOf(
  organization: string,
  documents: readonly SearchDocumentRow[],
): Generator<void, store.SearchEntry[]> {
  const entries: store.SearchEntry[] = []
  for (const document of documents) {
    const { position } = document
    entries.push({ position, words: indexEntryOf(organization, position, wordsOf(document)) })
    yield
  }
  return entries
}
