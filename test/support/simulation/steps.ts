/** Random steps of a walk over the API. */
import fc from 'fast-check'
import { type Line, creatableTypes, grossOf } from './model.ts'

const decimal = (max: number, decimals: number): fc.Arbitrary<number> =>
  fc
    .tuple(fc.integer({ min: 0, max: max * 10 ** decimals }), fc.integer({ min: 0, max: decimals }))
    .map(([digits, places]) => Number((digits / 10 ** decimals).toFixed(places)))

/** The walk sets the texts later, each with its own canary. */
const arbitraryLine: fc.Arbitrary<Line> = fc
  .record({
    quantity: fc.oneof(decimal(20, 0), decimal(99, 3), decimal(1, 6)),
    unit_price: fc.oneof(decimal(500, 2), decimal(1, 6), fc.constant(0)),
    tax_rate: fc.constantFrom(0, 0.08, 0.19, 0.2, 0.075, 0.088875),
    discount: fc.oneof(fc.constant(null), decimal(100, 4), fc.constant('fixed' as const)),
  })
  .map(({ discount, ...line }) => ({
    ...line,
    description: '',
    sku: '',
    discount_type: discount === null ? null : discount === 'fixed' ? 'fixed' : 'percent',
    discount_value: discount === 'fixed' ? Number(grossOf(line) / 2n) / 100 : discount,
  }))

const arbitraryParty = fc.constantFrom<(0 | 1)[]>(0, 1)
const index = fc.nat({ max: 1_000 })
const lines = fc.array(arbitraryLine, { minLength: 1, maxLength: 4 })
/** `twice` repeats the request with the same key; `dry` is a dry run. */
const arbitraryWriteMode = fc.constantFrom('once', 'once', 'once', 'twice', 'dry')
/** Most steps choose a document that permits them; some choose any document. */
const isLegal = fc.constantFrom(true, true, true, false)
const limit = fc.integer({ min: 1, max: 7 })
const action = <const T extends string>(name: T) => fc.constant(name)

const arbitraryCreate = fc.record({
  action: action('create'),
  party: arbitraryParty,
  mode: arbitraryWriteMode,
  type: fc.constantFrom('invoice', 'quote', 'purchase_order', 'invoice', ...creatableTypes),
  lines,
})

/** One step; `documentIndex` selects a document, `choice` a target or a filter. */
const arbitraryStep = fc.oneof(
  arbitraryCreate,
  fc.record({
    action: action('edit'),
    party: arbitraryParty,
    mode: arbitraryWriteMode,
    documentIndex: index,
    lines: fc.option(lines),
  }),
  fc.record({
    action: action('issue'),
    party: arbitraryParty,
    mode: arbitraryWriteMode,
    documentIndex: index,
    isLegal,
  }),
  fc.record({
    action: action('issue'),
    party: arbitraryParty,
    mode: arbitraryWriteMode,
    documentIndex: index,
    isLegal,
  }),
  fc.record({
    action: action('move'),
    party: arbitraryParty,
    mode: arbitraryWriteMode,
    documentIndex: index,
    choice: index,
    isLegal,
  }),
  fc.record({
    action: action('move'),
    party: arbitraryParty,
    mode: arbitraryWriteMode,
    documentIndex: index,
    choice: index,
    isLegal,
  }),
  fc.record({
    action: action('convert'),
    party: arbitraryParty,
    mode: arbitraryWriteMode,
    documentIndex: index,
    isLegal,
    choice: index,
    lines: fc.option(lines),
  }),
  fc.record({
    action: action('convert'),
    party: arbitraryParty,
    mode: arbitraryWriteMode,
    documentIndex: index,
    isLegal,
    choice: index,
    lines: fc.option(lines),
  }),
  fc.record({ action: action('read'), documentIndex: index }),
  fc.record({ action: action('search'), documentIndex: index, choice: index }),
  fc.record({ action: action('list'), party: arbitraryParty, limit, choice: index }),
)
export const arbitrarySteps = fc
  .tuple(
    fc.array(arbitraryCreate, { minLength: 3, maxLength: 8, size: 'max' }),
    fc.array(arbitraryStep, { minLength: 10, maxLength: 60, size: 'max' }),
  )
  .map(([creates, steps]) => [...creates, ...steps])

export type Step = typeof arbitraryStep extends fc.Arbitrary<infer S> ? S : never
export type StepOf<T extends Step['action']> = Extract<Step, { action: T }>
