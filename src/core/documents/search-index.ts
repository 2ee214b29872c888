/**
 * The search index (contract 8): index entries and the tsqueries that read them.
 *
 * A bucket is one organization's documents in a range of feed positions. Every indexed word starts
 * with the name of its bucket, so a query never reads other organizations' words and can read the
 * newest documents first.
 */
import { hash } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import type { SearchQuery } from './search-terms.ts'

/** The bucket that contains a position. */
export const bucketOf = (position: bigint): bigint =>
  position / BigInt(limits.searchBucketPositions)

/** The first position of a bucket. */
export const bucketStart = (bucket: bigint): bigint => bucket * BigInt(limits.searchBucketPositions)

/** 36 bits suffice: after a collision, organization and position still separate the results. */
const bucketNameOf = (organization: string, bucket: bigint): string =>
  hash('sha256', `${organization} ${bucket}`, 'base64url').slice(0, 6)

/** The index entry of a document: its words, each after the name of the document's bucket. */
export const indexEntryOf = (
  organization: string,
  position: bigint,
  words: ReadonlySet<string>,
): string => {
  const name = bucketNameOf(organization, bucketOf(position))
  return [...words].map((word) => name + word).join(' ')
}

/**
 * The buckets from `top` down to `last`, grouped into one query each: the newest alone, then
 * `searchBucketsAtOnce` at a time. A query costs some 0.06 ms whatever it finds, and is given up if
 * it would find more than `searchRunEntriesMax`.
 */
export const bucketRuns = (top: bigint, last: bigint): bigint[][] => {
  const runs: bigint[][] = []
  for (let next = top; next >= last;) {
    const maxLength = runs.length === 0 ? 1 : limits.searchBucketsAtOnce
    const run: bigint[] = []
    for (; run.length < maxLength && next >= last; next -= 1n) run.push(next)
    runs.push(run)
  }
  return runs
}

export const bucketNamesOf = (organization: string, buckets: readonly bigint[]): string[] =>
  buckets.map((bucket) => bucketNameOf(organization, bucket))

/** The tsquery over several buckets. */
export const bucketsTsquery = (names: readonly string[], query: SearchQuery): string =>
  names.map((name) => `(${bucketTsquery(name, query)})`).join('|')

/** Placeholder for a bucket name in a tsquery; no word or name contains it. */
export const bucketNamePlaceholder = '~'

/** The tsquery over one bucket. Words contain nothing that needs escaping. */
export const bucketTsquery = (name: string, query: SearchQuery): string =>
  query
    .map(({ alternatives }) => alternatives.map((word) => `'${name}${word}':*`).join('|'))
    .map((term) => `(${term})`)
    .join('&')
