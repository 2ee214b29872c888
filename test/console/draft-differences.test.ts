/** Where two versions of a draft differ, as whoever has to choose between them reads it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  differencesOf,
  inSameRows,
  mergedDraft,
} from '../../console/src/documents/draft-differences.ts'
import { type Draft, emptyDraft, newLine } from '../../console/src/documents/draft.ts'

const draft = (texts: readonly string[], more: Partial<Draft> = {}): Draft => ({
  ...emptyDraft,
  ...more,
  lines: texts.map((description) => newLine({ description, unitPrice: '2' })),
})

const found = (theirs: Draft, yours: Draft) =>
  differencesOf(theirs, yours).map((one) => [one.label, one.theirs, one.yours])

test('fields and lines are named by their labels, each with both texts', () => {
  const theirs = draft(['Oak', 'Elm'], { notes: 'Polished' })
  const yours = draft(['Oak', 'Ash'], { terms: 'Net 30' })
  assert.deepEqual(found(theirs, yours), [
    ['Payment terms', '', 'Net 30'],
    ['Notes', 'Polished', ''],
    ['Description of line 2', 'Elm', 'Ash'],
  ])
})

test('a line that one side has put in or taken out makes no other line differ', () => {
  const theirs = draft(['Oak', 'Pine', 'Elm', 'Ash'])
  const yours = draft(['Oak', 'Elm', 'Ash'])
  assert.deepEqual(found(theirs, yours), [['Line 2', 'Pine, 1 × 2', '']])
  assert.deepEqual(found(yours, theirs), [['Line 2', '', 'Pine, 1 × 2']])
  assert.deepEqual(found(draft([]), draft(['Oak'])), [['Line 1', '', 'Oak, 1 × 2']])
})

test('equal lines that are repeated are told apart by their number alone', () => {
  const [twice, thrice] = [draft(['Oak', 'Oak']), draft(['Oak', 'Oak', 'Oak'])]
  assert.deepEqual(found(twice, thrice), [['Line 3', '', 'Oak, 1 × 2']])
})

test('what means the same is no difference, and neither is a line that is not sent', () => {
  const one = { ...emptyDraft, lines: [newLine({ description: 'Oak', unitPrice: '1.50' })] }
  const same = newLine({ description: 'Oak ', unitPrice: '1,5', quantity: '1.0' })
  assert.deepEqual(found(one, { ...emptyDraft, lines: [same, newLine()] }), [])
})

test('references that the form does not show are compared, in whatever order they stand', () => {
  const theirs = draft([], { otherReferences: { a: '1', b: '2' } })
  assert.deepEqual(found(theirs, draft([], { otherReferences: { b: '2', a: '1' } })), [])
  assert.deepEqual(found(theirs, draft([])), [['Other references', 'a: 1, b: 2', '']])
})

test('of two versions, each change that only one side has made is kept, whoever comes first', () => {
  const began = draft(['Oak'], { notes: 'Polished', terms: 'Net 30' })
  const mine = { ...began, notes: 'Raw', reference: 'SO-1' }
  const theirs = draft(['Oak', 'Elm'], { notes: 'Waxed', terms: 'Net 45' })
  const merged = mergedDraft(began, mine, theirs)
  const expected = draft(['Oak', 'Elm'], { notes: 'Raw', terms: 'Net 45', reference: 'SO-1' })
  assert.deepEqual(found(merged, expected), [])
  const swapped = mergedDraft(began, theirs, mine)
  assert.deepEqual(found(swapped, merged), [['Notes', 'Waxed', 'Raw']])
})

test('lines that both have changed are those of the first', () => {
  const began = draft(['Oak'])
  const merged = mergedDraft(began, draft(['Ash']), draft(['Oak', 'Elm']))
  assert.deepEqual(found(merged, draft(['Ash'])), [])
})

test('while nobody changes what lines describe, each line is merged like a field', () => {
  const line = (description: string, quantity: string) => newLine({ description, quantity })
  const of = (...lines: Draft['lines']): Draft => ({ ...emptyDraft, lines })
  const began = of(line('Oak', '1'), line('Elm', '1'), line('Ash', '1'))
  const mine = of(line('Oak', '5'), line('Elm', '2'), line('Ash', '1'))
  const theirs = of(line('Oak', '1'), line('Elm', '3'), line('Ash', '9'))
  const merged = mergedDraft(began, mine, theirs)
  const expected = of(line('Oak', '5'), line('Elm', '2'), line('Ash', '9'))
  assert.deepEqual(found(merged, expected), [])
  assert.deepEqual(found(mergedDraft(began, theirs, mine), merged), [
    ['Quantity of line 2', '3', '2'],
  ])
})

test('once a line is moved, put in or taken out, no line is mixed with another one', () => {
  const began = draft(['Oak', 'Elm', 'Ash'])
  const moved = draft(['Elm', 'Ash', 'Oak'])
  const dearer = { ...began, lines: began.lines.map((line) => ({ ...line, unitPrice: '3' })) }
  assert.deepEqual(found(mergedDraft(began, moved, dearer), moved), [])
  assert.deepEqual(found(mergedDraft(began, dearer, moved), dearer), [])
})

const descriptions = ({ lines }: Draft) => lines.map(({ description }) => description)

test('rows that say nothing yet stay where they are, with the row that has the focus', () => {
  const began = draft(['Oak'])
  const [empty, late] = [newLine(), newLine({ description: 'Cedar' })]
  const mine = { ...began, lines: [...began.lines, empty] }
  const merged = inSameRows(mergedDraft(began, mine, draft(['Oak', 'Elm'])), mine)
  assert.deepEqual(descriptions(merged), ['Oak', '', 'Elm'])
  assert.deepEqual(
    merged.lines.slice(0, 2).map(({ id }) => id),
    mine.lines.map(({ id }) => id),
  )
  const filled = { ...began, lines: [...began.lines, empty, late] }
  const noted = { ...draft(['Oak']), notes: 'Waxed' }
  const kept = inSameRows(mergedDraft(began, filled, noted), filled)
  assert.deepEqual(kept, { ...filled, notes: 'Waxed' })
})

test('a line that is emptied to be written anew is nobody else’s line', () => {
  const began = draft(['Oak', 'Elm', 'Ash'])
  const [oak, elm, ash] = began.lines
  const emptied = { ...elm!, description: '', unitPrice: '' }
  const mine = { ...began, lines: [oak!, emptied, ash!] }
  const theirs = { ...draft(['Oak', 'Elm', 'Ash']), notes: 'Waxed' }
  assert.deepEqual(inSameRows(mergedDraft(began, mine, theirs), mine), { ...mine, notes: 'Waxed' })
})

test('texts that look like numbers are texts, and differ in every digit', () => {
  const began = draft(['Oak'], { reference: '4711' })
  const theirs = { ...began, notes: 'Waxed' }
  assert.equal(mergedDraft(began, { ...began, reference: '004711' }, theirs).reference, '004711')
  const long = (end: string) => ({ ...began, reference: `34012345000000001${end}` })
  assert.deepEqual(found(long('1'), long('2')), [
    ['Your reference', '340123450000000011', '340123450000000012'],
  ])
  const sku = (text: string) => ({ ...began, lines: [newLine({ description: 'Oak', sku: text })] })
  assert.equal(found(sku('42'), sku('0042')).length, 1)
})

test('the row of a line stays its row when another one is taken out, and of a renamed line too', () => {
  const began = draft(['Oak', 'Elm', 'Ash'])
  const [oak, elm, ash] = began.lines.map(({ id }) => id)
  const idsIn = (theirs: Draft) =>
    inSameRows(mergedDraft(began, began, theirs), began).lines.map(({ id }) => id)
  assert.deepEqual(idsIn(draft(['Elm', 'Ash'])), [elm, ash])
  assert.deepEqual(idsIn(draft(['Oak', 'Beech', 'Ash'])), [oak, elm, ash])
  assert.deepEqual(idsIn(draft(['Ash', 'Oak', 'Elm'])), [ash, oak, elm])
})

test('the tax category, which the form does not show, is a difference, too', () => {
  const of = (quantity: string, taxCategory: 'Z' | 'E'): Draft => ({
    ...emptyDraft,
    lines: [newLine({ description: 'Oak', quantity, taxCategory })],
  })
  const [began, mine, theirs] = [of('1', 'Z'), of('2', 'Z'), of('1', 'E')]
  assert.deepEqual(found(mergedDraft(began, theirs, mine), mergedDraft(began, mine, theirs)), [
    ['Quantity of line 1', '1', '2'],
    ['Tax category of line 1', 'E', 'Z'],
  ])
})
