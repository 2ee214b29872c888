/**
 * Ids (contract 1), with the vectors of the TypeID specification (valid.yml) and of RFC 9562
 * appendix A.6.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { type IdPrefix, decodeId, encodeId, resourceOfPrefix, uuidv7 } from '../../src/core/ids.ts'

const isPrefix = (text: string): text is IdPrefix => text in resourceOfPrefix
const prefixes = Object.keys(resourceOfPrefix).filter(isPrefix)

const vectors: [string, string][] = [
  ['00000000000000000000000000', '00000000-0000-0000-0000-000000000000'],
  ['00000000000000000000000001', '00000000-0000-0000-0000-000000000001'],
  ['0000000000000000000000000a', '00000000-0000-0000-0000-00000000000a'],
  ['0000000000000000000000000g', '00000000-0000-0000-0000-000000000010'],
  ['00000000000000000000000010', '00000000-0000-0000-0000-000000000020'],
  ['7zzzzzzzzzzzzzzzzzzzzzzzzz', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ['0123456789abcdefghjkmnpqrs', '0110c853-1d09-52d8-d73e-1194e95b5f19'],
  ['01h455vb4pex5vsknk084sn02q', '01890a5d-ac96-774b-bcce-b302099a8057'],
]

test('1 the vectors of the TypeID specification hold in both directions for every prefix', () => {
  for (const prefix of prefixes) {
    for (const [suffix, uuid] of vectors) {
      assert.equal(encodeId(prefix, uuid), `${prefix}_${suffix}`)
      assert.equal(decodeId(prefix, `${prefix}_${suffix}`), uuid)
    }
  }
})

test('1 the prefixes are those of the contract, and those of later operations', () => {
  const ofContract = 'org con doc key whk evt dlv att pay acct ttx lst ofr agr req usr ses sbx inc'
  const later = 'inv apr rul cmt viw aud psk'
  assert.equal(prefixes.join(' '), `${ofContract} ${later}`)
  assert.equal(new Set(Object.values(resourceOfPrefix)).size, prefixes.length)
})

const good = '01h455vb4pex5vsknk084sn02q'
const malformed = [
  '',
  'doc',
  'doc_',
  good,
  `_${good}`,
  `DOC_${good}`,
  `con_${good}`,
  `doc-${good}`,
  `doc${good}`,
  `doc_${good} `,
  ` doc_${good}`,
  `doc_${good}0`,
  `doc_${good.slice(1)}`,
  `doc__${good.slice(1)}`,
  `doc_${good.toUpperCase()}`,
  `doc_${good.slice(0, 25)}Q`,
  `doc_8${good.slice(1)}`,
  ...['8', '9', 'a', 'z'].map((first) => `doc_${first}${'z'.repeat(25)}`),
  ...['i', 'l', 'o', 'u', '-', '_', ' ', '\0', 'é', '\u0660', '😀'].flatMap((character) =>
    Array.from({ length: 26 }, (_, at) => at).map(
      (at) => `doc_${good.slice(0, at)}${character}${good.slice(at + 1)}`,
    ),
  ),
  'doc_01890a5d-ac96-774b-bcce-b302099a8057',
  'doc_0188bac7-4afa-78aa-bc3b-bd1eef28d881',
  `acct_test_success`,
  'x'.repeat(100_000),
]

test('1 a malformed id, a wrong prefix, upper case and overflow decode to undefined', () => {
  for (const id of malformed) assert.equal(decodeId('doc', id), undefined, id.slice(0, 60))
  assert.equal(decodeId('acct', `doc_${good}`), undefined)
  assert.equal(decodeId('acct', `acct_${good.slice(1)}`), undefined)
})

test('1 encoding a malformed uuid throws', () => {
  const uuid = '01890a5d-ac96-774b-bcce-b302099a8057'
  const wrong = [
    '',
    uuid.toUpperCase(),
    uuid.replaceAll('-', ''),
    `${uuid} `,
    uuid.replace('a', 'g'),
  ]
  for (const text of wrong) assert.throws(() => encodeId('doc', text), TypeError)
})

test('1 every uuid survives the round trip, and no other text decodes to it', () => {
  const anyUuid = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) =>
    Buffer.from(bytes)
      .toString('hex')
      .replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  )
  fc.assert(
    fc.property(anyUuid, fc.constantFrom(...prefixes), fc.nat(25), (uuid, prefix, at) => {
      const id = encodeId(prefix, uuid)
      assert.equal(id.length, prefix.length + 27)
      assert.equal(decodeId(prefix, id), uuid)
      for (const other of prefixes)
        if (other !== prefix) assert.equal(decodeId(other, id), undefined)
      const place = prefix.length + 1 + at
      for (const digit of '0123456789abcdefghjkmnpqrstvwxyzABilou') {
        const changed = id.slice(0, place) + digit + id.slice(place + 1)
        if (changed !== id) assert.notEqual(decodeId(prefix, changed), uuid)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('1 the example UUIDv7 of RFC 9562 A.6 is reproduced', () => {
  const random = Buffer.from('0cc318c4dc0c0c07398f', 'hex')
  assert.equal(uuidv7(0x017f22e279b0, random), '017f22e2-79b0-7cc3-98c4-dc0c0c07398f')
})

test('1 version and variant are fixed, and 74 random bits are used', () => {
  const zeros = uuidv7(0, new Uint8Array(10))
  const ones = uuidv7(2 ** 48 - 1, new Uint8Array(10).fill(0xff))
  assert.equal(zeros, '00000000-0000-7000-8000-000000000000')
  assert.equal(ones, 'ffffffff-ffff-7fff-bfff-ffffffffffff')
  const seen = new Set<string>()
  for (let bit = 0; bit < 80; bit += 1) {
    const random = new Uint8Array(10)
    random[bit >> 3] = 1 << (bit & 7)
    seen.add(uuidv7(0, random))
  }
  assert.equal(seen.size, 74 + 1) // the six unused bits all give the uuid of zeros
})

test('1 ids sort by their creation time', () => {
  const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })
  const random = fc.uint8Array({ minLength: 10, maxLength: 10 })
  fc.assert(
    fc.property(time, time, random, random, (one, other, someBytes, otherBytes) => {
      if (one === other) return
      const first = encodeId('evt', uuidv7(one, someBytes))
      const second = encodeId('evt', uuidv7(other, otherBytes))
      assert.equal(first < second, one < other)
    }),
  )
})

test('1 a time beyond 48 bits or too little randomness throws', () => {
  for (const time of [-1, 0.5, NaN, Infinity, 2 ** 48]) {
    assert.throws(() => uuidv7(time, new Uint8Array(10)), RangeError)
  }
  for (const [count, from] of [
    [0, 0],
    [9, 0],
    [20, 11],
  ] as const) {
    assert.throws(() => uuidv7(0, new Uint8Array(count), from), RangeError)
  }
})
