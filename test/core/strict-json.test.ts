/**
 * Strict JSON: contract 2 (JSON 400 invalid_request), reliability 2 "All bodies" and 0.9.
 * Tables of accepted and refused bodies come first, then properties checked against JSON.parse.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { parseJson } from '../../src/core/strict-json.ts'

const parse = (text: string) => parseJson(Buffer.from(text, 'utf8'))

function refusal(body: string | Buffer): { param: string; message: string } {
  const result = parseJson(Buffer.from(body))
  assert.ok(!result.ok, `${JSON.stringify(body.toString().slice(0, 80))} must be refused`)
  assert.ok(result.message.isWellFormed() && !result.message.includes('\0'))
  assert.ok(result.param.isWellFormed() && !result.param.includes('\0'))
  assert.ok(result.message.length < 400 && result.message.endsWith('.'), result.message)
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
  return result
}

const accepted = [
  '{}',
  '[]',
  'null',
  '0',
  '-0',
  '-0.0e-0',
  '""',
  ' \t\r\n{ "a" : 1 }\n',
  '{"a":1,"b":1}',
  '{"a":{"a":{"a":1}}}',
  '[{"a":1},{"a":2}]',
  '{"a":"a","b":"a"}',
  '{"A":1,"a":2}',
  '{"":1}',
  '{"a":"\\"a\\":1,\\"a\\":2"}',
  '{"a":"{[}]","b":"[[[[[[[[[[[[[[[[[["}',
  '{"a":"\\\\","b":"\\\\\\""}',
  '{"\\"":1,"\\\\":2}',
  '{"\\u0041":1,"a":2}',
  '{"a":"\\ud83d\\ude00"}',
  '{"😀":"\\uD83D\\uDE00"}',
  '{"a":"ü€😀\u2028\ufeff"}',
  '{"a":"__proto__","b":["constructor"]}',
  '{"proto":1,"__proto":2,"Constructor":3}',
  '[1e308,-1e308,1.7976931348623157e308,1e-400,9007199254740993,123456789012345678901234567890]',
  `[${'9'.repeat(308)}]`,
  `[0.${'1'.repeat(400)}]`,
  '[true,false,null,1E2,1e+2,1e-2]',
  '['.repeat(16) + ']'.repeat(16),
  '{"a":'.repeat(15) + '{}' + '}'.repeat(15),
]

test('2 well-formed bodies pass with the value of JSON.parse', () => {
  for (const text of accepted) {
    const result = parse(text)
    assert.ok(result.ok, `${text.slice(0, 80)}: ${result.ok ? '' : result.message}`)
    assert.deepEqual(result.value, JSON.parse(text))
  }
})

// body                                             param          message says
const refused: [string, string, RegExp][] = [
  ['{"a":1,"a":2}', '/a', /"a" appears twice/],
  ['{"a":1,"b":{"c":1,"d":[],"c":2}}', '/b/c', /"c" appears twice/],
  ['[0,{"x":1},[{"a":1,"a":1}]]', '/2/0/a', /twice/],
  ['{"line_items":[{"q":1},{"q":1,"q":2}]}', '/line_items/1/q', /twice/],
  ['{"a":1,"\\u0061":2}', '/a', /"a" appears twice/],
  ['{"\\u0061":1,"a":2}', '/a', /twice/],
  ['{"\\u00e9":1,"é":2}', '/é', /twice/],
  ['{"\\ud83d\\ude00":1,"😀":2}', '/😀', /twice/],
  ['{"\\n":1,"\\u000a":2}', '/\n', /"\\n" appears twice/],
  ['{"/":1,"\\/":2}', '/~1', /twice/],
  ['{"~":1,"~":2}', '/~0', /twice/],
  ['{"":1,"":2}', '/', /"" appears twice/],
  ['{"a":{"b":1},"c":{"b":1},"a":0}', '/a', /twice/],
  ['{"a" : 1 , "a"\n:\t2}', '/a', /twice/],
  ['{"__proto__":{"polluted":true}}', '/__proto__', /not allowed/],
  ['{"\\u005f_proto__":{"polluted":true}}', '/__proto__', /not allowed/],
  ['{"a":[{"constructor":{"prototype":{"polluted":1}}}]}', '/a/0/constructor', /not allowed/],
  ['{"prototype":null}', '/prototype', /not allowed/],
  ['{"a":"x\\u0000y"}', '/a', /U\+0000/],
  ['{"a":["ok","\\u0000"]}', '/a/1', /U\+0000/],
  ['{"a":{"k\\u0000":1}}', '/a', /U\+0000/],
  ['{"a":"x\0y"}', '', /U\+0000/],
  ['{"a\0":1}', '', /U\+0000/],
  ['{}\0', '', /U\+0000/],
  ['{"a":"bell \\u0007"}', '/a', /control character U\+0007/],
  ['{"a":{"\\f":1}}', '/a', /U\+000C/],
  ['{"a":"\\ud800"}', '/a', /surrogate/],
  ['{"a":"\\udc00\\ud800"}', '/a', /surrogate/],
  ['{"a":"\\ud83d\\u0041"}', '/a', /surrogate/],
  ['{"a":"\\ud83d😀"}', '/a', /surrogate/],
  ['{"a":{"\\uDFFF":1}}', '/a', /surrogate/],
  ['"\\ud800"', '', /surrogate/],
  ['{"a":1e400}', '/a', /too large/],
  ['[1,-1e400]', '/1', /too large/],
  ['{"a":1E+309}', '/a', /too large/],
  ['1.8e308', '', /too large/],
  [`{"a":${'9'.repeat(309)}}`, '/a', /too large/],
  [`{"a":${'9'.repeat(400)}.5}`, '/a', /too large/],
  ['['.repeat(17) + ']'.repeat(17), '/0'.repeat(16), /16 levels/],
  ['{"a":'.repeat(16) + '{}' + '}'.repeat(16), '/a'.repeat(16), /16 levels/],
  ['\ufeff{}', '', /byte order mark/],
  [`{"${'k'.repeat(101)}":1,"${'k'.repeat(101)}":2}`, '', /twice/],
]

test('2 a forbidden value that JSON.parse would accept is refused with its JSON pointer', () => {
  for (const [body, param, message] of refused) {
    const result = refusal(body)
    assert.equal(result.param, param, body.slice(0, 80))
    assert.match(result.message, message)
  }
})

const withoutSpaces = String.raw`
  { } [ ] " "\ "\" "\u00 {"a"} {"a":} {"a":1,} [1,] [,1] {,} {a:1} {'a':1} {}{} {"a":1}} [1]] [1}
  {"a":1] nul True NaN Infinity - +1 01 .5 1. 1e 1e+ 0x10 "\x41" "\u12g4" , : {"a":1,"b"} {"a"::1}
  {1:2} [":"]: {"\q":1} {"a":1;"b":2} "a {"a":"b" 1e5e5 --1 1-1 undefined {"a":undefined} [1,2 (1)`
const withSpaces = ['', ' ', '{"a" 1}', '{"a":1 "b":2}', '[1 2]', '1 2', '"\t"', '"\n"', '// a\n1']
const malformed = [...withoutSpaces.trim().split(/\s+/), ...withSpaces, '/* */1', '\u00a01', '`a`']

test('2 a body that is not JSON is refused as a whole, and the message echoes none of it', () => {
  for (const body of malformed) {
    assert.throws(() => JSON.parse(body), body)
    const result = refusal(body)
    assert.equal(result.param, '', body)
    assert.match(result.message, /^The body is not valid JSON/)
  }
  assert.match(refusal('{\n  "a": 1,\n  b: 2\n}').message, /at line 3, column 3/)
  assert.match(refusal('{"a":1').message, /ends too early|at line 1/)
  assert.doesNotMatch(refusal('{"password":hunter2}').message, /password|hunter/)
})

test('2 only UTF-8 is accepted: broken bytes, CESU surrogates and UTF-16 are refused', () => {
  const bodies = [
    [0x22, 0xff, 0x22],
    [0x22, 0xc3, 0x22],
    [0x22, 0xc0, 0xaf, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
    [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00],
    [0x22, 0xe2, 0x82],
  ]
  for (const bytes of bodies) assert.match(refusal(Buffer.from(bytes)).message, /not valid UTF-8/)
})

test('2 5,000 keys pass and 5,001 do not, in one object or in many', () => {
  const one = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, key) => [`k${key}`, key])))
  const many = (count: number) => {
    const objects = Object.groupBy(
      Array.from({ length: count }, (_, key) => key),
      (key) => key >> 3,
    )
    return JSON.stringify(
      Object.values(objects).map((keys) => Object.fromEntries(keys!.map((key) => [`k${key}`, 0]))),
    )
  }
  for (const body of [one, many]) {
    assert.ok(parse(body(5_000)).ok)
    assert.match(refusal(body(5_001)).message, /5000 keys/)
  }
})

test('2 1,000 entries pass and 1,001 do not, in one array or in many', () => {
  const one = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({})))
  const many = (count: number) => `{"a":${one(count - 500)},"b":[1,[${'2,'.repeat(498)}2]]}`
  for (const body of [one, many]) {
    assert.ok(parse(body(1_000)).ok)
    assert.match(refusal(body(1_002)).message, /1000 list entries/)
  }
})

test('2 a duplicate of any of 60 keys of one object is refused', () => {
  const names = Array.from({ length: 60 }, (_, index) => `k${index}`)
  for (const [index, name] of names.entries()) {
    const members = [...names, name].map((key) => `"${key}":1`)
    assert.equal(refusal(`{${members.join(',')}}`).param, `/${name}`)
    for (const count of [15, 16, 17, 18]) {
      const few = [...names.slice(0, count), names[index % count]].map((key) => `"${key}":1`)
      assert.equal(refusal(`{${few.join(',')}}`).param, `/${names[index % count]}`)
    }
  }
})

test('0.9 200,000 levels of any kind are refused at the 17th', () => {
  const bodies = ['[', '{"a":', '[{"a":', '[[[1],', '{"a":{},"b":'].map((part) =>
    part.repeat(200_000),
  )
  for (const body of [...bodies, '['.repeat(200_000) + ']'.repeat(200_000)]) {
    assert.match(refusal(body).message, /16 levels/)
  }
})

test('2 a hostile megabyte of any kind is parsed in less than 200 ms', () => {
  const megabyte = 1 << 20
  const units = String.raw`"\u0041", "\\", "", 1, 1e1, {}, {"a":1}, \" \ " a`.split(' ')
  for (const unit of units) {
    const body = Buffer.from(`[${unit.repeat(megabyte / unit.length)}0]`)
    const before = process.cpuUsage()
    parseJson(body)
    assert.ok(process.cpuUsage(before).user < 200_000, `microseconds for ${unit}`)
  }
})

/** The key as JSON text, in which each character is plain or escaped. */
const spelling = (key: string, escaped: readonly boolean[]) =>
  Array.from(key)
    .map((character, index) => {
      const code = character.charCodeAt(0).toString(16).padStart(4, '0')
      return escaped[index] === true ? `\\u${code}` : character
    })
    .join('')

/** Text of any value, with white space and escapes that no serializer would choose. */
const jsonText = fc
  .tuple(
    fc.json({ maxDepth: 6, stringUnit: 'binary' }),
    fc.constantFrom(undefined, 1, '\t'),
    fc.boolean(),
  )
  .map(([text, indent, escapes]) => {
    const spaced = JSON.stringify(JSON.parse(text), null, indent)
    // These letters occur in no literal, number or escape.
    return escapes ? spaced.replaceAll(/[gkopqz]/g, (letter) => spelling(letter, [true])) : spaced
  })

/** All but tab, line feed and the carriage return before one (forbidden-characters.test.ts). */
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const controls = /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/

/** Restates the rules for the parsed value, whose keys are already unique. */
function isAllowed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !controls.test(value)
  if (Array.isArray(value)) return value.every(isAllowed)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(
    ([key, inner]) =>
      !/^(__proto__|constructor|prototype)$/.test(key) && isAllowed(key) && isAllowed(inner),
  )
}

test('2 generated JSON yields the value of JSON.parse or breaks one of the rules', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const expected: unknown = JSON.parse(text)
      const result = parse(text)
      assert.equal(result.ok, isAllowed(expected), text)
      if (result.ok) assert.deepEqual(result.value, expected)
    }),
    { numRuns: 5_000 },
  )
})

test('2 a text that JSON.parse refuses is refused, and none throws', () => {
  const pieces = '{ } [ ] : , " \\ "a" 1 e - . true \\u0000 é'.split(' ')
  const anyText = fc.array(fc.constantFrom(...pieces, ' '), { maxLength: 24 })
  fc.assert(
    fc.property(anyText, (parts) => {
      const text = parts.join('')
      const result = parse(text)
      if (result.ok) assert.deepEqual(result.value, JSON.parse(text))
      else refusal(text)
    }),
    { numRuns: 20_000 },
  )
})

test('2 random bytes never throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => void parseJson(Buffer.from(bytes))),
  )
})

test('2 a duplicate key is refused at any position and in any spelling', () => {
  const key = fc.stringMatching(/^[a-z]{1,8}$/)
  const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 40 })
  const escapes = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 })
  const wrappers = fc.array(fc.constantFrom('array', 'object'), { maxLength: 10 })
  fc.assert(
    fc.property(keys, fc.nat(), fc.nat(), escapes, wrappers, (names, from, to, escaped, around) => {
      const planted = names[from % names.length] ?? ''
      const members = names.map((name) => `"${name}":{"x":[1,"${name}"]}`)
      assert.ok(parse(`{${members.join(',')}}`).ok)
      members.splice(to % (members.length + 1), 0, `"${spelling(planted, escaped)}":0`)
      let body = `{${members.join(', ')}}`
      let path = `/${planted}`
      for (const kind of around) {
        body = kind === 'array' ? `[0,${body}]` : `{"w":1,"in":${body}}`
        path = (kind === 'array' ? '/1' : '/in') + path
      }
      const result = refusal(body)
      assert.equal(result.param, path)
      assert.match(result.message, /twice/)
    }),
    { numRuns: 1_000 },
  )
})
