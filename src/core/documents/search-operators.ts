/**
 * The operators in the text of a search (docs/decisions/0170): splits the text into words to find
 * and restrictions. The console reads searches with it too, so it depends on nothing of Node.
 *
 * A colon makes an operator only after letters at the beginning of a word, so that 12:30, S2:17
 * and https://example.com stay text.
 */
import { currencies } from '../../contract/currencies.ts'
import { statuses } from '../../contract/document-phases.ts'
import { documentTypeNames } from '../../contract/document-types.ts'
import { closestMatch } from '../did-you-mean.ts'
import { amountsOf, chunksOf } from './search-amounts.ts'

const comparisons = ['<=', '>=', '<', '>', '='] as const
export type Comparison = (typeof comparisons)[number]

type ChoiceName = 'status' | 'type' | 'currency' | 'is'
const choices: Readonly<Record<ChoiceName, readonly string[]>> = {
  status: statuses,
  type: documentTypeNames,
  currency: currencies,
  is: ['overdue', 'draft'],
}

const textNames = ['number', 'ref', 'from', 'to', 'party', 'sku'] as const
export type TextName = (typeof textNames)[number]

export const searchOperators = [
  'status',
  'type',
  'number',
  'ref',
  'from',
  'to',
  'party',
  'sku',
  'currency',
  'total',
  'due',
  'is',
] as readonly string[]

export type Restriction = { shown: string } & (
  | { operator: ChoiceName; values: readonly string[] }
  | { operator: TextName; text: string }
  | { operator: 'total'; comparison: Comparison; minor: bigint; currency: string; text: string }
  | { operator: 'due'; comparison: Comparison; date: string }
  /** What must, or must not, be in one of the texts of the document, as written. */
  | { operator: 'phrase'; text: string }
  | { operator: 'without'; text: string; isPhrase: boolean }
)

export interface SearchProblem {
  message: string
  fix: string
}

export interface ParsedSearch {
  /** The text without its operators; all of it, unchanged, if there are none. */
  text: string
  restrictions: readonly Restriction[]
  problems: readonly SearchProblem[]
}

/** A phrase or the value of an operator in quotes, or all up to the next blank. */
const pieces = /-?(?:\p{L}+:(?:[<>]=?|=)?)?"[^"]*[\p{L}\p{N}][^"]*"(?![^ \t\r\n])|[^ \t\r\n]+/gu

const operatorForm = /^(?<name>\p{L}+):(?!\/\/)(?<value>.*)$/su
const phraseForm = /^"(?<phrase>[^"]*[\p{L}\p{N}][^"]*)"$/su
const exclusionForm = /^-(?<excluded>["\p{L}\p{N}].*)$/su

export const parseSearch = (text: string): ParsedSearch => {
  const words: string[] = []
  const restrictions: Restriction[] = []
  const problems: SearchProblem[] = []
  for (const [piece] of text.matchAll(pieces)) {
    const found = restrictionIn(piece)
    if (found === undefined) words.push(piece)
    else if ('message' in found) problems.push(found)
    else restrictions.push(found)
  }
  const isPlain = restrictions.length === 0 && problems.length === 0
  return { text: isPlain ? text : words.join(' '), restrictions, problems }
}

/** Undefined for plain text. */
const restrictionIn = (piece: string): Restriction | SearchProblem | undefined => {
  const excluded = exclusionForm.exec(piece)?.groups?.['excluded']
  if (excluded !== undefined) return exclusionOf(excluded)
  const phrase = phraseForm.exec(piece)?.groups?.['phrase']
  if (phrase !== undefined) return { operator: 'phrase', text: phrase, shown: piece }
  const { name, value } = operatorForm.exec(piece)?.groups ?? {}
  if (name === undefined || value === undefined) return undefined
  const operator = name.toLowerCase()
  if (searchOperators.includes(operator)) return restrictionOf(operator, unquoted(value))
  // `Note: ring` is prose.
  return value === '' ? undefined : unknownOperator(name, piece)
}

const exclusionOf = (excluded: string): Restriction | SearchProblem => {
  const shown = `-${excluded}`
  const phrase = phraseForm.exec(excluded)?.groups?.['phrase']
  if (phrase !== undefined) return { operator: 'without', text: phrase, isPhrase: true, shown }
  const { name, value = '' } = operatorForm.exec(excluded)?.groups ?? {}
  if (name === undefined) return { operator: 'without', text: excluded, isPhrase: false, shown }
  if (!searchOperators.includes(name.toLowerCase()))
    return unknownOperator(name, `-${name}:${value}`)
  return {
    message: `A minus excludes a word or a phrase, and no operator (got ${shown}).`,
    fix: 'leave the minus out, or write the other values',
  }
}

const unknownOperator = (name: string, piece: string): SearchProblem => {
  const meant = closestMatch(name, searchOperators)
  const suggestion = meant === undefined ? '' : `did you mean ${meant}:? `
  const legal = searchOperators.map((one) => `${one}:`).join(', ')
  const message = `There is no operator ${name}:. The operators are ${legal}, -word and "phrase".`
  return {
    message,
    fix: `${suggestion}to find it as text, put "${piece.replaceAll('"', '')}" in quotes`,
  }
}

const unquoted = (value: string): string =>
  value.replace(/^(?<comparison>[<>]=?|=)?"(?<text>[^"]*)"$/su, '$<comparison>$<text>')

const restrictionOf = (operator: string, value: string): Restriction | SearchProblem => {
  const shown = `${operator}:${value}`
  if (operator === 'total') return totalOf(value, shown)
  if (operator === 'due') return dueOf(value, shown)
  if (Object.hasOwn(choices, operator)) return choiceOf(operator as ChoiceName, value, shown)
  if (/[\p{L}\p{N}]/u.test(value)) return { operator: operator as TextName, text: value, shown }
  return illegal(operator, value, 'a word, or words in quotes, directly after the colon')
}

const choiceOf = (
  operator: ChoiceName,
  value: string,
  shown: string,
): Restriction | SearchProblem => {
  const legal = choices[operator]
  const values = value.split(',').map((one) => legal.find((name) => isSame(name, one)) ?? one)
  const wrong = values.find((one) => !legal.includes(one))
  if (wrong === undefined) return { operator, values, shown }
  return illegal(operator, wrong, `one of ${legal.join(', ')}`, closestMatch(wrong, legal))
}

const isSame = (name: string, written: string): boolean =>
  name.toLowerCase() === written.toLowerCase()

const totalOf = (value: string, shown: string): Restriction | SearchProblem => {
  const { comparison, rest } = comparedIn(value)
  const amounts = amountsOf(chunksOf(rest))
  const [amount] = amounts
  if (amount === undefined || amounts.some((one) => one?.minor !== amount.minor))
    return illegal('total', value, 'an amount, such as 1000, >1000, <=1,234.50 or >EUR1000')
  const { minor, currency } = amount
  return { operator: 'total', comparison, minor, currency, text: rest, shown }
}

const dueOf = (value: string, shown: string): Restriction | SearchProblem => {
  const { comparison, rest } = comparedIn(value)
  if (isDay(rest)) return { operator: 'due', comparison, date: rest, shown }
  return illegal('due', value, 'a date, such as 2026-12-01, <2026-12-01 or >=2026-12-01')
}

const comparedIn = (value: string): { comparison: Comparison; rest: string } => {
  const written = comparisons.find((one) => value.startsWith(one))
  return { comparison: written ?? '=', rest: value.slice(written?.length ?? 0) }
}

/** Date.parse takes 30 February for the second day of March. */
const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '0001-01-02') return false
  const moment = Date.parse(text)
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(text)
}

const illegal = (operator: string, value: string, legal: string, near?: string): SearchProblem => {
  const got = value === '' ? 'got nothing' : `got ${value}`
  const suggestion = near === undefined ? '' : `did you mean ${near}? `
  return { message: `${operator}: takes ${legal} (${got}).`, fix: `${suggestion}write ${legal}` }
}

/** Whether the comparison holds between the two. */
export const compares = <T extends bigint | string>(
  left: T,
  comparison: Comparison,
  right: T,
): boolean =>
  ({
    '<': left < right,
    '<=': left <= right,
    '>': left > right,
    '>=': left >= right,
    '=': left === right,
  })[comparison]
