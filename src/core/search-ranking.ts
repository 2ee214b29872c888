/**
 * How well a record answers a search: a whole number or reference comes before its beginning, that
 * before a part of it, and a name before the words of a text. Only letters and digits count,
 * without case, accents and leading zeros, so that `inv 42` is INV-000042.
 */

/** A field by which a record is found. */
export interface SearchField {
  field: string
  value: string
  kind: 'id' | 'reference' | 'name' | 'text'
}

export interface BestMatch {
  score: number
  field: string
  value: string
}

/** `words`: each word of the search begins one of the field's; `some`: at least one does. */
const scores = {
  reference: { whole: 1000, beginning: 500, part: 200, words: 50, some: 1 },
  name: { whole: 150, beginning: 120, part: 100, words: 80, some: 1 },
  text: { whole: 20, beginning: 15, part: 10, words: 5, some: 1 },
} as const

/** Below this, a record has some of the words; only an index knows whether it has the others. */
export const leastWholeScore = 5

/** The field that answers best; undefined if none does. Of equal ones, the first. */
export const bestMatchOf = (
  query: string,
  fields: readonly SearchField[],
): BestMatch | undefined => {
  let best: BestMatch | undefined
  const words = wordsOf(query)
  for (const { field, value, kind } of fields) {
    const score = kind === 'id' ? scoreOfId(query, value) : scoreOf(kind, words, wordsOf(value))
    if (score === 0) continue
    if (best === undefined || score > best.score) best = { score, field, value }
  }
  return best
}

/** The middle of an id means nothing. */
const scoreOfId = (query: string, id: string): number =>
  id === query.toLowerCase() ? scores.reference.whole : 0

const scoreOf = (
  kind: keyof typeof scores,
  query: readonly string[],
  value: readonly string[],
): number => {
  const [sought, text] = [query.join(''), value.join('')]
  if (sought === '' || text === '') return 0
  if (text === sought) return scores[kind].whole
  if (text.startsWith(sought)) return scores[kind].beginning
  if (text.includes(sought)) return scores[kind].part
  const begins = (word: string) => value.some((one) => one.startsWith(word))
  if (query.every(begins)) return scores[kind].words
  return query.some(begins) ? scores[kind].some : 0
}

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .match(/\p{L}+|\p{N}+/gu)
    ?.map((word) => word.replace(/^0+(?=\d)/, '')) ?? []
