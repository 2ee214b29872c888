/** Where two versions of a draft differ, field by field and line by line, under their labels. */
import { type Draft, type DraftLine, isSent, numberOf } from './draft.ts'

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
    differing(detailLabels[name], theirs[name], yours[name]),
  ),
  ...differing('Other references', otherReferences(theirs), otherReferences(yours)),
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
      .filter((name) => meansSame(began[name], first[name]))
      .map((name) => [name, second[name]]),
  ),
  ...(otherReferences(began) === otherReferences(first) && {
    otherReferences: second.otherReferences,
  }),
  lines: [
    ...mergedLines(sentLines(began), sentLines(first), sentLines(second)),
    ...first.lines.filter((line) => !isSent(line)),
  ],
})

/** Lines have no identity but their descriptions: if those differ, all lines count as one. */
const mergedLines = (began: Lines, first: Lines, second: Lines): Lines => {
  if (lineDifferences(began, first).length === 0) return second
  const areSame = [first, second].every(
    (lines) =>
      lines.length === began.length &&
      lines.every(({ description }, i) => meansSame(began[i]!.description, description)),
  )
  if (!areSame) return first
  return first.map((line, i) => (differencesAt(0, began[i], line).length === 0 ? second[i]! : line))
}

const sentLines = ({ lines }: Draft): Lines => lines.filter(isSent)

/** The rows of the form stay the same rows, and so does the one that has the focus. */
export const inSameRows = (next: Draft, { lines }: Draft): Draft => ({
  ...next,
  lines: next.lines.map((line, i) => ({ ...line, id: lines[i]?.id ?? line.id })),
})

const namesOf = <Labels extends object>(labels: Labels) => Object.keys(labels) as (keyof Labels)[]

const differing = (label: string, theirs: string, yours: string): Difference[] =>
  meansSame(theirs, yours) ? [] : [{ label, theirs, yours }]

const meansSame = (one: string, other: string): boolean => meaningOf(one) === meaningOf(other)

const meaningOf = (text: string): string => String(numberOf(text.trim()))

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
  return namesOf(lineLabels).flatMap((name) =>
    differing(`${lineLabels[name]} of line ${number}`, theirs[name], yours[name]),
  )
}

const lineText = (line: DraftLine | undefined): string =>
  line === undefined ? '' : `${line.description}, ${line.quantity} × ${line.unitPrice}`
