/**
 * Brings the search index of each organization up to its feed. Writers wait for nothing of it, and
 * a search looks through what is still behind: so this may lag, run twice, or not run for a while.
 * An organization with few changes behind its index is left alone, as they are quickly looked
 * through.
 */
import { limits } from '../contract/limits.ts'
import { indexEntryOf, searchableWords } from '../core/documents/search-terms.ts'
import {
  documentsToIndex,
  organizationsToIndex,
  saveEntries,
  setIndexedPosition,
  lockSearchIndex,
} from '../store/documents/search-index.ts'
import type { Context } from '../context.ts'
import type { Task } from './runner.ts'

export const indexSearch: Task = {
  name: 'index-search',
  everyMs: limits.searchIndexEveryMs,
  run: async ({ database }) => {
    const most = limits.searchIndexOrganizationsPerRound
    const due = await organizationsToIndex(database.read, limits.searchIndexMinChanges, most)
    let isBehind = due.length === most
    for (const organization of due) {
      isBehind = (await indexBatch(database, organization)) || isBehind
    }
    return isBehind
  },
}

/** One stretch of the feed of one organization; true when there is more of it. */
const indexBatch = (database: Context['database'], organization: string): Promise<boolean> =>
  database.transaction(async (tx) => {
    const index = await lockSearchIndex(tx, organization)
    if (index === undefined) return false
    const from = index.indexed
    const end = from + BigInt(limits.searchIndexPositionsPerRound)
    const to = end < index.feed ? end : index.feed
    const documents = await documentsToIndex(tx, organization, { from, to })
    await saveEntries(
      tx,
      organization,
      documents.map((document) => ({
        position: document.position,
        words: indexEntryOf(organization, document.position, searchableWords(document)),
      })),
    )
    await setIndexedPosition(tx, organization, to)
    return to < index.feed
  })
