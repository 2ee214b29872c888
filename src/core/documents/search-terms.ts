/**
 * Search (contract 8): which words a document is found by, and what a query asks for.
 *
 * A text is cut into words at everything that is neither letter nor digit, without case and
 * accents. Every word of a query must begin a word of the document; words with digits, of which
 * there are as many as documents, must be one, unless they come last. In the index each
 * word stands behind the name of its bucket, an organization and a range of its positions, so that
 * a look-up walks over nobody else's words, and over the newest first.
 */
import { hash } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import { parseContent } from './content.ts'
import { isCloseMatch } from '../did-you-mean.ts'

/** What a viewer's document is found by. */
export interface SearchableFields {
  side: string
  /** The viewer's own number. */
  number: string
  issuer_number: string
  content: string
}

export interface SearchTerm {
  /** The word, and what it may have been meant to be: one of them must be found. */
  alternatives: readonly string[]
  /** Whether it must be a whole word, not only begin one. */
  isWhole: boolean
}
export type SearchQuery = readonly SearchTerm[]

const diacritics = /\p{M}/gu
const wordSeparators = /[^\p{L}\p{N}]+/u
const leadingZeros = /^0+(?=\d)/

/** Without case and accents; ß is ss, as it is in capitals. */
const normalized = (text: string): string =>
  text.normalize('NFKD').replace(diacritics, '').toLowerCase().replaceAll('ß', 'ss')

const tokenize = (text: string): string[] =>
  normalized(text)
    .split(wordSeparators)
    .filter((word) => word !== '')
    .map(taggedWord)

/** Words of letters and digits are set apart, so that a word of letters does not begin them all. */
const taggedWord = (word: string): string => {
  const mark = /\p{N}/u.test(word) && /\p{L}/u.test(word) ? '#' : ''
  return mark + word.slice(0, limits.searchWordMaxLength)
}

/** What a word of letters and digits begins with: letters alone, or digits alone. */
const leadingRunOf = (word: string): string =>
  word.startsWith('#') ? /^(?:\p{L}+|\p{N}+)/u.exec(word.slice(1))![0] : word

/**
 * The words of a text. `SO-2026-0117` is found by its parts, by 117, and written as one word;
 * `OAK180` by its beginnings on both sides of the turn, as OAK is a word of its own, too: one in a
 * bucket, however many documents have it.
 */
const indexWordsOf = function* (text: string): Generator<string> {
  for (const chunk of text.split(/\s+/)) {
    const words = tokenize(chunk)
    yield* words
    for (const word of words) {
      const lead = leadingRunOf(word)
      if (lead !== word) yield lead
      const bare = word.replace(leadingZeros, '')
      if (bare !== word) yield bare
    }
    if (words.length > 1) yield taggedWord(words.join('').replaceAll('#', ''))
  }
}

/** Every word that the viewer finds the document by. */
export const searchableWords = ({
  side,
  number,
  issuer_number,
  content,
}: SearchableFields): Set<string> => {
  const { line_items, notes, external_refs, ...parties } = parseContent(content)
  const other = side === 'issuer' ? parties.counterparty : parties.issuer
  const words = new Set<string>()
  const texts = [
    number,
    issuer_number,
    other.name,
    ...Object.values(external_refs),
    ...line_items.flatMap(({ description, sku }) => [description, sku ?? '']),
    notes ?? '',
  ]
  for (const text of texts) {
    for (const word of indexWordsOf(text)) {
      if (words.size >= limits.searchWordsMax) return words
      words.add(word)
    }
  }
  return words
}

/** The words of a query, each once. */
export const queryWords = (text: string): string[] => [...new Set(tokenize(text))]

/** The query, with what a word may have been meant to be among the names of counterparties. */
export const searchQueryOf = (words: readonly string[], names: readonly string[]): SearchQuery => {
  const nameWords = [...new Set(names.flatMap(tokenize))]
  return words.map((word, i) => ({
    alternatives: [
      word,
      ...nameWords.filter((name) => !name.startsWith(word) && isCloseMatch(word, name)),
    ],
    isWhole: i < words.length - 1 && /\p{N}/u.test(word),
  }))
}

export const matchesQuery = (words: ReadonlySet<string>, query: SearchQuery): boolean =>
  query.every(({ alternatives, isWhole }) =>
    alternatives.some((word) => words.has(word) || (!isWhole && hasWordWithPrefix(words, word))),
  )

const hasWordWithPrefix = (words: ReadonlySet<string>, start: string): boolean => {
  for (const word of words) if (word.startsWith(start)) return true
  return false
}

/** Which bucket a position is in. */
export const bucketOf = (position: bigint): bigint =>
  position / BigInt(limits.searchBucketPositions)

/** The first position of a bucket. */
export const bucketStart = (bucket: bigint): bigint => bucket * BigInt(limits.searchBucketPositions)

/**
 * 36 bits are enough: what two buckets of one name share is sorted out by organization and
 * position.
 */
const bucketNameOf = (organization: string, bucket: bigint): string =>
  hash('sha256', `${organization} ${bucket}`, 'base64url').slice(0, 6)

/** The index entry of a document at a position: its words in the name of their bucket. */
export const indexEntryOf = (
  organization: string,
  position: bigint,
  words: ReadonlySet<string>,
): string => {
  const name = bucketNameOf(organization, bucketOf(position))
  return [...words].map((word) => name + word).join(' ')
}

/**
 * The buckets from one down to another, in the runs in which they are asked for: the newest alone,
 * then as many at once as may be. A run costs some 0.06 ms whatever it finds, and one that would
 * find very many is given up (`searchRunEntriesMax`).
 */
export const bucketRuns = (top: bigint, last: bigint): bigint[][] => {
  const runs: bigint[][] = []
  for (let next = top; next >= last;) {
    const most = runs.length === 0 ? 1 : limits.searchBucketsAtOnce
    const run: bigint[] = []
    for (; run.length < most && next >= last; next -= 1n) run.push(next)
    runs.push(run)
  }
  return runs
}

/** The name of each bucket. */
export const bucketNamesOf = (organization: string, buckets: readonly bigint[]): string[] =>
  buckets.map((bucket) => bucketNameOf(organization, bucket))

/** The query for the buckets of these names, as PostgreSQL reads it. */
export const bucketsTsquery = (names: readonly string[], query: SearchQuery): string =>
  names.map((name) => `(${bucketTsquery(name, query)})`).join('|')

/** Stands for a bucket's name in a query; no word and no name holds it. */
export const bucketNamePlaceholder = '~'

/** Words hold nothing that needs an escape. */
export const bucketTsquery = (name: string, query: SearchQuery): string =>
  query
    .map(({ alternatives, isWhole }) =>
      alternatives.map((word) => `'${name}${word}'${isWhole ? '' : ':*'}`).join('|'),
    )
    .map((term) => `(${term})`)
    .join('&')
