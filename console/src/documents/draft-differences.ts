/** Where two versions of a draft differ, field by field and line by line, under their labels. */
import { shiftedText } from '../design/typed-numbers.ts'
import { type Draft, type DraftLine, isSent } from './draft.ts'

export const detailLabels = {
  terms: 'Payment terms',
  date: 'Date',
  reference: 'Your reference',
  notes: 'Notes',
} as const

export const lineLabels = {
  description: 'Description',
  quantity: 'Quantity',
  unitPrice: 'Unit price',
  taxPercent: 'Tax %',
  sku: 'SKU',
  discount: 'Discount',
} as const

export type LineField = keyof typeof lineLabels

export interface Difference {
  label: string
  theirs: string
  yours: string
}

/** What was typed differently and means the same is no difference. */
export const differencesOf = (theirs: Draft, yours: Draft): Difference[] => [
  ...namesOf(detailLabels).flatMap((name) =>
    differing(detailLabels[name], theirs[name], yours[name], isSameText),
  ),
  ...differing('Other references', otherReferences(theirs), otherReferences(yours), isSameText),
  ...lineDifferences(sentLines(theirs), sentLines(yours)),
]

/**
 * One version with what the other has changed of what they began from. Where both have changed the
 * same, it is that of the first.
 */
export const mergedDraft = (began: Draft, first: Draft, second: Draft): Draft => ({
  ...first,
  ...Object.fromEntries(
    namesOf(detailLabels)
      .filter((name) => isSameText(began[name], first[name]))
      .map((name) => [name, second[name]]),
  ),
  ...(otherReferences(began) === otherReferences(first) && {
    otherReferences: second.otherReferences,
  }),
  lines: mergedLines(began, first, second),
})

/**
 * Lines have no identity but their descriptions: if those differ, all lines count as one. Rows that
 * say nothing yet stay where somebody is about to fill them.
 */
const mergedLines = (began: Draft, first: Draft, second: Draft): Lines => {
  const before = sentLines(began)
  const firstSent = sentLines(first)
  const secondSent = sentLines(second)
  if (lineDifferences(before, secondSent).length === 0) return first.lines
  if (lineDifferences(before, firstSent).length === 0) return inPlaceOf(first.lines, secondSent)
  const areSame = [firstSent, secondSent].every(
    (lines) =>
      lines.length === before.length &&
      lines.every(({ description }, i) => description.trim() === before[i]!.description.trim()),
  )
  if (!areSame) return first.lines
  const merged = firstSent.map((line, i) =>
    differencesAt(0, before[i], line).length === 0 ? secondSent[i]! : line,
  )
  return inPlaceOf(first.lines, merged)
}

/** These lines in the rows of those that are sent, in order; what is left over follows. */
const inPlaceOf = (rows: Lines, lines: Lines): Lines => {
  const left = [...lines]
  const placed = rows.flatMap((row) => (isSent(row) ? left.splice(0, 1) : [row]))
  return [...placed, ...left]
}

const sentLines = ({ lines }: Draft): Lines => lines.filter(isSent)

/**
 * The row that has the focus stays the row of its line, wherever that stands now. A line with another
 * description takes the row of one that is no longer there.
 */
export const inSameRows = (next: Draft, form: Draft): Draft => {
  const left = [...sentLines(form)]
  const take = (at: number): number | undefined => (at < 0 ? undefined : left.splice(at, 1)[0]?.id)
  const known = next.lines.map((line) =>
    isSent(line)
      ? take(left.findIndex(({ description }) => isSameText(description, line.description)))
      : line.id,
  )
  const lines = next.lines.map((line, i) => ({ ...line, id: known[i] ?? take(0) ?? line.id }))
  return { ...next, lines }
}

const namesOf = <Labels extends object>(labels: Labels) => Object.keys(labels) as (keyof Labels)[]

const differing = (
  label: string,
  theirs: string,
  yours: string,
  isSame: (theirs: string, yours: string) => boolean,
): Difference[] => (isSame(theirs, yours) ? [] : [{ label, theirs, yours }])

const isSameText = (one: string, other: string): boolean => one.trim() === other.trim()

/** 1.50 and 1,5 are one number; 007 and 7 are two references. */
const isSameNumber = (one: string, other: string): boolean =>
  shiftedText(one.trim(), 0) === shiftedText(other.trim(), 0)

const texts: readonly LineField[] = ['description', 'sku']

const otherReferences = ({ otherReferences: others }: Draft): string =>
  Object.entries(others)
    .map(([name, value]) => `${name}: ${value}`)
    .toSorted()
    .join(', ')

type Lines = readonly DraftLine[]

/** Compared from both ends: a line that was put in or taken out between makes no other differ. */
const lineDifferences = (theirs: Lines, yours: Lines): Difference[] => {
  const begin = sameAtBegin(theirs, yours)
  const same = sameAtBegin(theirs.slice(begin).reverse(), yours.slice(begin).reverse())
  const other = (lines: Lines) => lines.slice(begin, lines.length - same)
  const [theirOther, yourOther] = [other(theirs), other(yours)]
  const count = Math.max(theirOther.length, yourOther.length)
  return Array.from({ length: count }, (_, i) => i).flatMap((i) =>
    differencesAt(begin + i + 1, theirOther[i], yourOther[i]),
  )
}

const sameAtBegin = (theirs: Lines, yours: Lines): number => {
  const differs = theirs.findIndex(
    (line, i) => yours[i] === undefined || differencesAt(0, line, yours[i]).length > 0,
  )
  return differs === -1 ? theirs.length : differs
}

const differencesAt = (
  number: number,
  theirs: DraftLine | undefined,
  yours: DraftLine | undefined,
): Difference[] => {
  if (theirs === undefined || yours === undefined)
    return [{ label: `Line ${number}`, theirs: lineText(theirs), yours: lineText(yours) }]
  const category = `Tax category of line ${number}`
  const fields = namesOf(lineLabels).flatMap((name) =>
    differing(
      `${lineLabels[name]} of line ${number}`,
      theirs[name],
      yours[name],
      texts.includes(name) ? isSameText : isSameNumber,
    ),
  )
  const [one, other] = [theirs.taxCategory ?? '', yours.taxCategory ?? '']
  return [...fields, ...differing(category, one, other, isSameText)]
}

const lineText = (line: DraftLine | undefined): string =>
  line === undefined ? '' : `${line.description}, ${line.quantity} × ${line.unitPrice}`
