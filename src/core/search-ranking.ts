/**
 * How well a record answers a search: a whole number or reference comes before its beginning, that
 * before a part of it, and a name before the words of a text. Only letters and digits count,
 * without case, accents and leading zeros, so that `inv 42` is INV-000042. An amount comes between
 * a whole number and a beginning, unless it might as well be a part of a number.
 */
import type { QueryAmount } from './documents/search-amounts.ts'
import { queryAmounts } from './documents/search-terms.ts'
import { foldedText } from './folded-text.ts'
import { withCompactIbans } from './identity/business-identifiers.ts'
import { minorText } from './money.ts'

/** A field by which a record is found. */
export interface SearchField {
  field: string
  value: string
  kind: 'id' | 'reference' | 'amount' | 'name' | 'text'
}

/** An amount as the value of a field. */
export const amountText = (minor: bigint, currency: string): string =>
  `${minorText(minor)} ${currency}`

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
const amountScores = { writtenOut: 600, bare: 100 } as const

/** Below this, a record has some of the words; only an index knows whether it has the others. */
export const leastWholeScore = 5

/** The field that answers best; undefined if none does. Of equal ones, the first. */
export const bestMatchOf = (
  query: string,
  fields: readonly SearchField[],
): BestMatch | undefined => {
  let best: BestMatch | undefined
  const words = wordsOf(query)
  const amounts = queryAmounts(query)
  const scoreFor = ({ kind, value }: SearchField): number => {
    if (kind === 'id') return scoreOfId(query, value)
    if (kind === 'amount') return scoreOfAmount(amounts, value)
    return scoreOf(kind, words, wordsOf(value))
  }
  for (const searched of fields) {
    const { field, value } = searched
    const score = scoreFor(searched)
    if (score === 0) continue
    if (best === undefined || score > best.score) best = { score, field, value }
  }
  return best
}

/** The middle of an id means nothing. */
const scoreOfId = (query: string, id: string): number =>
  id === query.toLowerCase() ? scores.reference.whole : 0

const scoreOfAmount = (amounts: readonly QueryAmount[], value: string): number => {
  const amount = amounts.find(({ minor, currency }) =>
    value.startsWith(amountText(minor, currency)),
  )
  if (amount === undefined) return 0
  return amount.isWrittenOut ? amountScores.writtenOut : amountScores.bare
}

const scoreOf = (
  kind: keyof typeof scores,
  query: readonly string[],
  value: readonly string[],
): number => {
  const [words, text] = [query.join(''), value.join('')]
  if (words === '' || text === '') return 0
  if (text === words) return scores[kind].whole
  if (text.startsWith(words)) return scores[kind].beginning
  if (text.includes(words)) return scores[kind].part
  const begins = (word: string) => value.some((one) => one.startsWith(word))
  if (query.every(begins)) return scores[kind].words
  return query.some(begins) ? scores[kind].some : 0
}

const wordsOf = (text: string): string[] =>
  foldedText(withCompactIbans(text))
    .match(/\p{L}+|\p{N}+/gu)
    ?.map((word) => word.replace(/^0+(?=\d)/, '')) ?? []
