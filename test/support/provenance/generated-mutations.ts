/**
 * Mutations of bundles of both forms, drawn from a seed: of the finished bundle, of its bytes, and
 * of the bodies before everything is hashed, so that checks behind the hashes are reached as well.
 */
import { createHash } from 'node:crypto'
import { sortedJson } from './mutated-bundles.ts'
import { aSignedHistory } from './signed-history.ts'
import {
  type EventInput,
  SyntheticLog,
  syntheticBundle,
  syntheticDocument,
} from './synthetic-log.ts'

/** Numbers from 0 up to a bound, the same for the same seed. */
export type Random = (bound: number) => number

export const randomOf = (seed: string): Random => {
  let count = 0
  return (bound) => {
    count += 1
    return createHash('sha256').update(`${seed} ${count}`).digest().readUInt32BE() % bound
  }
}

const oneOf = <T>(random: Random, values: readonly T[]): T => values[random(values.length)]!

// oxlint-disable-next-line typescript/no-explicit-any -- a mutation may change anything
type Json = any

const strangeValues: readonly Json[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  2,
  7,
  2 ** 53 - 1,
  '',
  'x',
  '0',
  'content.erased',
  'draft',
  'document.issued',
  'a..b',
  'A',
  'a'.repeat(65),
  '0'.repeat(32),
  '0'.repeat(64),
  'F'.repeat(64),
  [],
  {},
  [{}],
  [[]],
  [{ seq: 1 }],
  [{ seq: 2 }, { seq: 1 }],
  [{ seq: 0 }],
  { set: {} },
  '2026-11-21T01:00:00.000Z',
  '2026-11-21',
  '108.02',
  '01.0',
  'é',
  'e\u0301',
  '\u{1F600}',
  '\n',
  { issuer: 'org_01kbqkfbf5kznwj47tan9zt24m', counterparty: 'org_01kbqkfbf5kznwj47tan9zt25n' },
  { base: '"@method": POST', value: Buffer.alloc(64).toString('base64') },
  { base: '', value: Buffer.alloc(63).toString('base64') },
  { balance_due: '108.02', due_date: null, pledge: null, status: 'submitted' },
]

const strangeNames: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'length',
  'extra',
  '',
  'é',
  '\u{1F600}',
  '\uFFFF',
  'finance',
  'issuer',
  'counterparty',
  'shared',
  'body',
  'salt',
  'erased',
  'parties',
  'request',
  'set',
  'signature',
  'state',
  'type',
  'link',
  'links',
  'payment',
  'organization_id',
]

interface Place {
  holder: Json
  name: string | number
}

const placesIn = (value: Json): Place[] => {
  if (typeof value !== 'object' || value === null) return []
  const names = Array.isArray(value) ? value.map((_, i) => i) : Object.keys(value)
  return names.flatMap((name) => [{ holder: value, name }, ...placesIn(value[name])])
}

const define = (holder: Json, name: string | number, value: Json): void => {
  Object.defineProperty(holder, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

/** The text with one character more, fewer or other; none is cut in half. */
export const changedText = (random: Random, text: string): string => {
  const characters = [...text]
  const at = random(characters.length + 1)
  const [before, after] = [characters.slice(0, at).join(''), characters.slice(at + 1).join('')]
  const digit = oneOf(random, [...'0123456789abcdefABCDEF=+/ \n—é'])
  return oneOf(random, [
    before + digit + after,
    before + digit + (characters[at] ?? '') + after,
    before + after,
    text.toUpperCase(),
    `${text}\n`,
    text.split('\n').toReversed().join('\n'),
  ])
}

/** Changes one place of the value, in place. */
export const mutate = (random: Random, root: Json): void => {
  const places = placesIn(root)
  if (places.length === 0) return
  const { holder, name } = oneOf(random, places)
  const value = holder[name]
  const other = oneOf(random, places)
  const kinds: (() => void)[] = [
    () => define(holder, name, structuredClone(oneOf(random, strangeValues))),
    () => define(holder, name, structuredClone(other.holder[other.name])),
    () => (Array.isArray(holder) ? holder.splice(Number(name), 1) : delete holder[name]),
    () => {
      if (typeof value === 'string') define(holder, name, changedText(random, value))
      else if (typeof value === 'number') define(holder, name, value + oneOf(random, [-1, 1, 1000]))
      else if (Array.isArray(value)) value.reverse()
      else if (value !== null && typeof value === 'object') {
        define(value, oneOf(random, strangeNames), structuredClone(oneOf(random, strangeValues)))
      }
    },
    () => {
      if (Array.isArray(holder)) holder.splice(Number(name), 0, structuredClone(value))
      else define(holder, oneOf(random, strangeNames), structuredClone(value))
    },
  ]
  oneOf(random, kinds)()
}

const mutations = (random: Random): number => 1 + random(2)

/** The bundle with one or two changed places, in canonical form again. */
export const mutatedValue = (random: Random, bundle: string): string => {
  const value = JSON.parse(bundle)
  for (let left = mutations(random); left > 0; left -= 1) mutate(random, value)
  return sortedJson(value)
}

/** The bundle with one or two of its fields from others. */
export const crossed = (random: Random, bundle: string, others: readonly string[]): string => {
  const value = JSON.parse(bundle)
  for (let left = mutations(random); left > 0; left -= 1) {
    const other = JSON.parse(oneOf(random, others))
    const name = oneOf(random, Object.keys(value))
    value[name] = other[name]
  }
  return sortedJson(value)
}

/** The bundle with changed bytes. */
export const mutatedBytes = (random: Random, bundle: string): Buffer => {
  const bytes = Buffer.from(bundle)
  const at = random(bytes.length)
  const byte = Buffer.of(random(256))
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  return oneOf(random, [
    Buffer.concat([before, byte, after.subarray(1)]),
    Buffer.concat([before, byte, after]),
    Buffer.concat([before, after.subarray(1)]),
    Buffer.concat([before, after.subarray(random(40))]),
    Buffer.concat([bytes, byte]),
    Buffer.concat([before, bytes.subarray(random(bytes.length), at), after]),
  ])
}

/** A genuine bundle of a history whose bodies were changed before they were hashed. */
export const bundleOfMutatedBodies = (random: Random, version: 1 | 2): string => {
  const inputs: EventInput[] = structuredClone(anErasedHistory())
  const bodies = inputs.map(({ slots }) => slots)
  for (let left = mutations(random); left > 0; left -= 1) mutate(random, oneOf(random, bodies))
  return bundleOf(random, inputs, version)
}

const bundleOf = (random: Random, inputs: EventInput[], version: 1 | 2): string => {
  const role = oneOf(random, ['issuer', 'counterparty'] as const)
  const names = ['shared', 'issuer', 'counterparty', 'finance'] as const
  const objects = inputs.map(({ at, slots }) => ({
    at,
    slots: Object.fromEntries(
      names.map((name) => [name, typeof slots[name] === 'object' ? slots[name] : null]),
    ) as unknown as EventInput['slots'],
  }))
  const document = syntheticDocument(objects, { version })
  const log = new SyntheticLog().add(...document.events)
  const state = oneOf(random, [0, 1, 2]) === 0 ? { state: { status: 'draft' } } : {}
  const erasedSlots = random(2) === 0 ? ['2 shared', '4 shared', '5 shared', `2 ${role}`] : []
  return syntheticBundle(document, log, { role, erasedSlots, ...state })
}

/** The history of an invoice that ends with an erasure, and with the places of signatures. */
const anErasedHistory = (): EventInput[] => {
  const inputs = aSignedHistory()
  const { set } = inputs[1]!.slots.shared as { set: object }
  const erased = (seqs: number[]) => seqs.map((seq) => ({ seq, type: 'document.issued' }))
  const finance = { balance_due: '0.00', due_date: null, pledge: null, status: 'paid' }
  const rest = { ...set, status: 'paid', balance_due: '0.00', notes: null }
  return [
    ...inputs,
    {
      at: '2026-11-21T01:00:20.000Z',
      slots: {
        shared: { type: 'content.erased', set: rest, erased: erased([2, 4, 5]) },
        issuer: { set: { number: 'INV-000001' }, erased: erased([1, 2]) },
        counterparty: { set: { number: 'BILL-000001' }, erased: erased([2]) },
        finance,
      },
    },
  ]
}

const strangeCharacters = [...';"=\\\n ()01a:@é,\t-?\u007f']

/** A signed text with other characters in one or two places. */
const mutatedBase = (random: Random, base: string): string => {
  let text = base
  for (let left = mutations(random); left > 0; left -= 1) {
    const at = random(text.length + 1)
    const [before, after] = [text.slice(0, at), text.slice(at)]
    const length = 1 + random(30)
    text = oneOf(random, [
      before + oneOf(random, strangeCharacters) + after,
      before + oneOf(random, strangeCharacters) + after.slice(1),
      before + after.slice(1),
      before + after.slice(length),
      before + after.slice(0, length) + after,
    ])
  }
  return text
}

/** A bundle of which one event has another signed text, with a right signature of it. */
export const bundleOfMutatedBase = (random: Random): string => {
  const edit = (base: string) => mutatedBase(random, base)
  const document = syntheticDocument(aSignedHistory({ [oneOf(random, [0, 1, 3])]: { edit } }))
  const role = oneOf(random, ['issuer', 'counterparty'] as const)
  return syntheticBundle(document, new SyntheticLog().add(...document.events), { role })
}
