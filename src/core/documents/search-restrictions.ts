/**
 * Which documents satisfy the operators of a search (docs/decisions/0170), and the words by which
 * the index narrows it. A document is checked as its viewer sees it.
 */
import { otherSideOf } from '../../contract/document-types.ts'
import { type DocumentContent, lazyContent } from './content.ts'
import { isOverdue } from './projection.ts'
import type { DocumentRecord } from './document-record.ts'
import { type Restriction, compares } from './search-operators.ts'
import {
  type QueryWord,
  type SearchableFields,
  hasPhrase,
  matchesQuery,
  queryWords,
  searchQueryOf,
  searchableTexts,
  searchableWords,
  wordsOfTexts,
} from './search-terms.ts'

export interface CheckedDocument {
  fields: SearchableFields
  record: DocumentRecord
  /** By the viewer's clock. */
  today: string
}

/** Whether every word begins a word of these texts; a `name` tolerates a typing error. */
const areIn = (words: readonly QueryWord[], texts: readonly string[], isName = false): boolean =>
  matchesQuery(wordsOfTexts(texts), searchQueryOf(words, isName ? texts : [], 'document'))

/** Whether a word of the search may mean this name. */
const isNamed = (text: string, name: string): boolean => areIn(queryWords(text), [name], true)

/**
 * The words that are in the index of every document that satisfies the restriction. The viewer's
 * own name is in none.
 */
export const indexedWords = (restriction: Restriction, ownName: string): QueryWord[] => {
  switch (restriction.operator) {
    case 'number':
    case 'ref':
    case 'sku':
    case 'party':
    case 'phrase':
      return queryWords(restriction.text)
    case 'from':
    case 'to':
      return isNamed(restriction.text, ownName) ? [] : queryWords(restriction.text)
    case 'total':
      return restriction.comparison === '=' ? queryWords(restriction.text) : []
    default:
      return []
  }
}

export const satisfiesAll = (
  document: CheckedDocument,
  restrictions: readonly Restriction[],
): boolean => {
  const content = lazyContent(document.fields.content)
  return restrictions.every((one) => satisfies(document, one, content))
}

/** Whether a record of another kind satisfies all of them: never, if one is of documents. */
export const textsSatisfy = (
  texts: readonly string[],
  restrictions: readonly Restriction[],
): boolean =>
  restrictions.every(
    (one) => isOfAnyRecord(one) && isOfTexts(one, texts, () => wordsOfTexts(texts)),
  )

export const isOfAnyRecord = (one: Restriction): one is TextRestriction =>
  one.operator === 'phrase' || one.operator === 'without'

type TextRestriction = Extract<Restriction, { operator: 'phrase' | 'without' }>

const isOfTexts = (
  restriction: TextRestriction,
  texts: readonly string[],
  words: () => ReadonlySet<string>,
): boolean => {
  const { text } = restriction
  if (restriction.operator === 'phrase') return hasPhrase(texts, text)
  if (restriction.isPhrase) return !hasPhrase(texts, text)
  return !matchesQuery(words(), searchQueryOf(queryWords(text), [], 'document'))
}

const satisfies = (
  { fields, record, today }: CheckedDocument,
  restriction: Restriction,
  content: () => DocumentContent,
): boolean => {
  switch (restriction.operator) {
    case 'status':
      return restriction.values.includes(record.status)
    case 'type':
      return restriction.values.includes(record.type)
    case 'currency':
      return restriction.values.includes(fields.currency)
    case 'is':
      return restriction.values.some((value) =>
        value === 'draft' ? record.status === 'draft' : isOverdue(record, today),
      )
    case 'due': {
      const { due_date } = record
      return due_date !== null && compares(due_date, restriction.comparison, restriction.date)
    }
    case 'total': {
      const { comparison, minor, currency } = restriction
      const isOfCurrency = currency === '' || currency === fields.currency
      return isOfCurrency && compares(fields.total, comparison, minor)
    }
    case 'number':
      return areIn(queryWords(restriction.text), [fields.number, fields.issuer_number])
    case 'ref':
      return areIn(queryWords(restriction.text), Object.values(content().external_refs))
    case 'sku':
      return content().line_items.some(({ sku }) =>
        areIn(queryWords(restriction.text), [sku ?? '']),
      )
    case 'from':
      return isNamed(restriction.text, content().issuer.name)
    case 'to':
      return isNamed(restriction.text, content().counterparty.name)
    case 'party':
      return isNamed(restriction.text, content()[otherSideOf(fields.side)].name)
    case 'phrase':
    case 'without':
      return isOfTexts(restriction, searchableTexts(fields), () => searchableWords(fields))
  }
}
