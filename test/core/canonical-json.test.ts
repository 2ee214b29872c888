/**
 * Canonical JSON: contract 5.2 (fingerprints) and provenance 1.2 (profile JCS-int). The
 * vectors are those of RFC 8785: 3.2.2, 3.2.3 and appendix B.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  CanonicalText,
  canonicalJson,
  canonicalIntegerJson,
} from '../../src/core/canonical-json.ts'

const fromBits = (hex: string) => Buffer.from(hex, 'hex').readDoubleBE()

test('5.2 literals, numbers and escapes are written as in RFC 8785 3.2.2', () => {
  const value: unknown = JSON.parse(`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
    "literals": [null, true, false]
  }`)
  const expected =
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
    '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
  assert.equal(canonicalJson(value), expected)
})

test('5.2 keys are sorted by their UTF-16 code units as in RFC 8785 3.2.3, digits included', () => {
  const value = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '\ud83d\ude00': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  }
  const parsed: unknown = JSON.parse(canonicalJson(value))
  assert.deepEqual(parsed, value)
  assert.deepEqual(canonicalJson(value).match(/"([A-Z][^"]*)"/g), [
    '"Carriage Return"',
    '"One"',
    '"Control"',
    '"Latin Small Letter O With Diaeresis"',
    '"Euro Sign"',
    '"Emoji: Grinning Face"',
    '"Hebrew Letter Dalet With Dagesh"',
  ])
  // JavaScript objects list 2 before 10; text order is the other way round.
  assert.equal(
    canonicalJson({ 2: 'b', 10: 'a', a: { z: 1, B: 2 } }),
    '{"10":"a","2":"b","a":{"B":2,"z":1}}',
  )
})

const numbers: [string, string][] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
]

test('5.2 numbers are written as ECMAScript prints them (RFC 8785 appendix B)', () => {
  for (const [bits, expected] of numbers) assert.equal(canonicalJson(fromBits(bits)), expected)
})

const nested = (levels: number) => {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

class Price {
  amount = 1
}

const neverCanonical: [string, unknown][] = [
  ['undefined', undefined],
  ['a field that is undefined', { a: undefined }],
  ['a hole', [1, , 2]], // oxlint-disable-line no-sparse-arrays
  ['NaN', NaN],
  ['Infinity', [Infinity]],
  ['-Infinity', { a: -Infinity }],
  ['a bigint', 1n],
  ['a function', () => 1],
  ['a symbol', Symbol('a')],
  ['a Date', new Date(0)],
  ['a Map', new Map()],
  ['bytes', Buffer.from('a')],
  ['an instance', new Price()],
  ['a lone high surrogate', 'a\ud800'],
  ['a lone low surrogate', ['\udc00a']],
  ['a lone surrogate in a key', { '\ud800': 1 }],
  ['33 levels', nested(33)],
  ['200,000 levels', nested(200_000)],
]

test('5.2 a value without an exact JSON form throws in both profiles', () => {
  const circular: unknown[] = []
  circular.push(circular)
  for (const [name, value] of [...neverCanonical, ['a circle', circular] as const]) {
    assert.throws(() => canonicalJson(value), TypeError, name)
    assert.throws(() => canonicalIntegerJson(value), TypeError, name)
  }
})

test('provenance 1.2: unlike JSON, a record holds no fraction, unsafe integer, -0 or U+0000', () => {
  const onlyJson = [0.5, 2 ** 53, -(2 ** 53), 1e21, 5e-324, -0, 'a\0b', { '\0': 1 }, [{ a: [1.5] }]]
  for (const value of onlyJson) {
    assert.doesNotThrow(() => canonicalJson(value))
    assert.throws(() => canonicalIntegerJson(value), /a canonical record cannot hold/)
  }
  const inBoth = [
    0,
    -1,
    2 ** 53 - 1,
    -(2 ** 53 - 1),
    1.0,
    '108.02',
    '\u007f\u2028',
    nested(32),
    null,
  ]
  for (const value of inBoth) assert.equal(canonicalIntegerJson(value), canonicalJson(value))
})

test('provenance 1.2: a part that was written before reads in a record as if written in place', () => {
  const part = { set: { b: ['1', null], a: { '€': 'Euro' } }, 'a"b': true }
  const written = new CanonicalText(canonicalIntegerJson(part))
  assert.equal(canonicalIntegerJson(written), canonicalIntegerJson(part))
  const record = (inner: unknown) => canonicalIntegerJson({ z: 1, list: [inner], state: inner })
  assert.equal(record(written), record(part))
})

test('provenance 1.2: the header of an event has exactly these bytes', () => {
  const header = {
    v: 'svc-event/1',
    stream: '00ff',
    seq: 1,
    prev: null,
    c: { shared: 'b', issuer: 'a' },
  }
  const expected =
    '{"c":{"issuer":"a","shared":"b"},"prev":null,"seq":1,"stream":"00ff","v":"svc-event/1"}'
  assert.equal(canonicalIntegerJson(header), expected)
})

test('5.2 keys that reach prototypes are written like any other', () => {
  const parsed: unknown = JSON.parse('{"b":1,"__proto__":{"polluted":true},"constructor":2}')
  assert.equal(canonicalJson(parsed), '{"__proto__":{"polluted":true},"b":1,"constructor":2}')
  assert.equal(canonicalJson(Object.create(null)), '{}')
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
})

const value = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' })

/** The same value with the keys of every object in reverse. */
function reversed(any: unknown): unknown {
  if (Array.isArray(any)) return any.map(reversed)
  if (typeof any !== 'object' || any === null) return any
  const pairs = Object.entries(any).toReversed()
  return Object.fromEntries(pairs.map(([key, inner]) => [key, reversed(inner)]))
}

test('5.2 the order of keys does not matter, and parsing the text returns the same value', () => {
  fc.assert(
    fc.property(value, (any) => {
      const text = canonicalJson(any)
      assert.equal(canonicalJson(reversed(any)), text)
      assert.equal(canonicalJson(JSON.parse(text)), text)
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(any)))
    }),
    { numRuns: 2_000 },
  )
})

test('5.2 different values have different texts', () => {
  fc.assert(
    fc.property(value, value, (one, other) => {
      const same = JSON.stringify(reversed(one)) === JSON.stringify(reversed(other))
      if (same) assert.equal(canonicalJson(one), canonicalJson(other))
      if (canonicalJson(one) === canonicalJson(other)) {
        assert.deepEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)))
      }
    }),
  )
})

test('5.2 text is escaped exactly as JSON.stringify escapes it', () => {
  for (let code = 0; code < 0x10000; code += 1) {
    const text = `a${String.fromCharCode(code)}z`
    if (text.isWellFormed()) assert.equal(canonicalJson(text), JSON.stringify(text))
    else assert.throws(() => canonicalJson(text))
  }
})
