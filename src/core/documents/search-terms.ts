/**
 * Search terms (contract 8): the words of a document, the terms of a query, and when they match.
 *
 * Text is split at everything but letters and digits, and compared in its plain form. Each word of
 * a query must be a prefix of a word of the document, or stand anywhere in a text without spaces. A
 * reference with digits is one word, whatever separates its parts: `SKU-9` finds SKU-9 and SKU-91,
 * but no SKU-1 whose invoice is INV-000009.
 * An amount is found to the cent (search-amounts.ts).
 */
import type { Side } from '../../contract/document-types.ts'
import { limits } from '../../contract/limits.ts'
import { isCloseMatch } from '../did-you-mean.ts'
import { foldedText } from '../folded-text.ts'
import { withCompactIbans } from '../identity/business-identifiers.ts'
import { parseContent } from './content.ts'
import {
  type AmountOwner,
  type QueryAmount,
  amountWord,
  amountsOf,
  chunksOf,
} from './search-amounts.ts'

/** The searchable part of a viewer's document. */
export interface SearchableFields {
  side: Side
  /** The viewer's own number. */
  number: string
  issuer_number: string
  content: string
  total: bigint
  currency: string
  /** The amounts of its payments in minor units, separated by blanks; null if it has none. */
  payment_amounts: string | null
}

/** A word of a query, and the amount that it states or gives the currency of. */
export interface QueryWord {
  word: string
  amount: QueryAmount | undefined
}

export interface SearchTerm {
  /** The word and its likely corrections; one of them must match. */
  alternatives: readonly string[]
}
export type SearchQuery = readonly SearchTerm[]

const wordSeparators = /[^\p{L}\p{N}]+/u
const leadingZeros = /^0+(?=\d)/

const wordsIn = (text: string): string[] =>
  foldedText(text)
    .split(wordSeparators)
    .filter((word) => word !== '')

const tokenize = (text: string): string[] => wordsIn(text).map(taggedWord)

/** Mixed words of letters and digits get a `#`, so that a word of letters is not their prefix. */
const taggedWord = (word: string): string => {
  const cut = word.slice(0, limits.searchWordMaxLength)
  return (/\p{N}/u.test(cut) && /\p{L}/u.test(cut) ? '#' : '') + cut
}

/** Words as one from here on, without their separators. More than characters fit are not needed. */
const joined = (words: readonly string[], from = 0): string =>
  taggedWord(
    words
      .slice(from, from + limits.searchWordMaxLength)
      .join('')
      .replaceAll('#', ''),
  )

/** The letters, or the digits, with which a mixed word begins. */
const leadingRunOf = (word: string): string =>
  word.startsWith('#') ? /^(?:\p{L}+|\p{N}+)/u.exec(word.slice(1))![0] : word

const unspacedScripts = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
const unspacedLetters = unspacedScripts.map((name) => `\\p{scx=${name}}`).join('')
const besideUnspacedLetter = new RegExp(
  `(?<!^)(?=[${unspacedLetters}])|(?<=[${unspacedLetters}])(?!$)`,
  'u',
)

/**
 * The index words of a text without spaces. `SO-2026-0117` is indexed by its parts, as 117, and as
 * one word from each part on, so that SO-2026 and 2026-01 are prefixes of one of its words; also
 * without leading zeros, so that INV-42 finds INV-000042. A part begins as well at each letter of a
 * script that puts no spaces between words, and after it.
 * `OAK180` is also indexed as OAK, so that OA matches it as well as OAK1; a bucket stores OAK once,
 * however many documents contain it.
 */
const indexWordsOf = function* (chunk: string): Generator<string> {
  const found = wordsIn(chunk)
  const parts = found.map(taggedWord)
  const pieces = found.flatMap((word) => word.split(besideUnspacedLetter))
  const words = [
    ...parts,
    ...(pieces.length > 1 ? pieces.map((_, i) => joined(pieces, i)) : []),
    ...(parts.length > 1 ? [joined(parts.map((part) => part.replace(leadingZeros, '')))] : []),
  ]
  yield* words
  for (const word of words) {
    const lead = leadingRunOf(word)
    if (lead !== word) yield lead
    const bare = word.replace(leadingZeros, '')
    if (bare !== word) yield bare
  }
}

/** Documents of one organization mostly repeat the names, descriptions and SKUs of others. */
const rememberedChunks = new Map<string, readonly string[]>()
const rememberedChunksMax = 4_096
const rememberedChunkMaxLength = 64

const rememberedWordsOf = (chunk: string): readonly string[] => {
  let words = rememberedChunks.get(chunk)
  if (words !== undefined) return words
  words = [...indexWordsOf(chunk)]
  if (chunk.length > rememberedChunkMaxLength) return words
  if (rememberedChunks.size === rememberedChunksMax) rememberedChunks.clear()
  rememberedChunks.set(chunk, words)
  return words
}

/** All texts in which the viewer can find the document. */
export const searchableTexts = ({
  side,
  number,
  issuer_number,
  content,
}: Pick<SearchableFields, 'side' | 'number' | 'issuer_number' | 'content'>): string[] => {
  const { line_items, notes, external_refs, ...parties } = parseContent(content)
  const counterparty = side === 'issuer' ? parties.counterparty : parties.issuer
  return [
    number,
    issuer_number,
    counterparty.name,
    ...Object.values(external_refs),
    ...line_items.flatMap(({ description, sku }) => [description, sku ?? '']),
    notes ?? '',
  ]
}

/** All words by which the viewer can find the document. */
export const searchableWords = (fields: SearchableFields): Set<string> => {
  const { total, currency, payment_amounts } = fields
  const words = new Set([amountWord('document', total, currency)])
  for (const amount of payment_amounts?.split(' ') ?? [])
    words.add(amountWord('payment', BigInt(amount), currency))
  return wordsOfTexts(searchableTexts(fields), words)
}

/** The words by which these texts are found, besides those that are given. */
export const wordsOfTexts = (texts: readonly string[], words = new Set<string>()): Set<string> => {
  // Most words of two hundred lines are the same.
  const chunks = new Set(texts.flatMap(chunksIn))
  let left: number = limits.searchWordsMax
  for (const chunk of chunks) {
    for (const word of rememberedWordsOf(chunk)) {
      if (left === 0) return words
      left -= 1
      words.add(word)
    }
  }
  return words
}

/** An IBAN in groups is found in groups and as one word. */
const chunksIn = (text: string): string[] => {
  const compact = withCompactIbans(text)
  return (compact === text ? text : `${text} ${compact}`).split(/\s+/)
}

/** Whether one of the texts has these whole words, one directly after the other. */
export const hasPhrase = (texts: readonly string[], phrase: string): boolean => {
  const words = spacedWords(phrase)
  return texts.some((text) => spacedWords(text).includes(words))
}

const spacedWords = (text: string): string => ` ${wordsIn(text).join(' ')} `

/** The distinct words of a query. A reference with digits, such as `SKU-9`, or an IBAN is one. */
export const queryWords = (text: string): QueryWord[] => {
  const chunks = chunksOf(withCompactIbans(text))
  const amounts = amountsOf(chunks)
  const found = chunks.flatMap((chunk, i) => {
    const parts = tokenize(chunk)
    const words = parts.length > 1 && /\p{N}/u.test(chunk) ? [joined(parts)] : parts
    return words.map((word) => ({ word, amount: amounts[i] }))
  })
  const keyOf = ({ word, amount }: QueryWord) => `${word} ${amount?.minor} ${amount?.currency}`
  return [...new Map(found.map((one) => [keyOf(one), one])).values()]
}

/** The amounts that a query states. */
export const queryAmounts = (text: string): QueryAmount[] =>
  amountsOf(chunksOf(text)).filter((amount) => amount !== undefined)

/**
 * The terms of a query, with corrections of misspelt words from the counterparties' names. Each
 * word of an amount may be the amount instead, so that `EUR 12.50` finds both the amount and the
 * text. Numbers are not corrected. For payments, only the amount counts.
 */
export const searchQueryOf = (
  words: readonly QueryWord[],
  names: readonly string[],
  owner: AmountOwner,
): SearchQuery => {
  const nameWords = [...new Set(names.flatMap(tokenize))]
  return words.map(({ word, amount }) => {
    if (amount !== undefined) {
      const exact = amountWord(owner, amount.minor, amount.currency)
      return { alternatives: owner === 'payment' ? [exact] : [word, exact] }
    }
    const isCorrection = (name: string) => !name.startsWith(word) && isCloseMatch(word, name)
    return { alternatives: [word, ...nameWords.filter(isCorrection)] }
  })
}

export const matchesQuery = (words: ReadonlySet<string>, query: SearchQuery): boolean =>
  query.every(({ alternatives }) =>
    alternatives.some((word) => words.has(word) || hasWordWithPrefix(words, word)),
  )

const hasWordWithPrefix = (words: ReadonlySet<string>, prefix: string): boolean => {
  for (const word of words) if (word.startsWith(prefix)) return true
  return false
}
