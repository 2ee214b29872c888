/** Contract 11: the characters that no text of a body may contain. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '../../src/core/strict-json.ts'

/** Tab and line feed are the control characters that a text may contain. */
const isForbidden = (code: number): boolean =>
  (code < 0x20 && ![0x09, 0x0a].includes(code)) ||
  (code >= 0x7f && code <= 0x9f) ||
  (code >= 0x202a && code <= 0x202e) ||
  (code >= 0x2066 && code <= 0x2069)

const everyCharacter = Array.from({ length: 0xd800 }, (_, code) => code)

test('C0, DEL, C1 and bidirectional overrides are refused, and nothing else', () => {
  for (const code of everyCharacter) {
    const escape = `\\u${code.toString(16).padStart(4, '0')}`
    const asItIs = JSON.stringify({ text: `a${String.fromCharCode(code)}b` })
    for (const body of [asItIs, `{"text":"a${escape}b"}`, `{"n":"x","t":{"a${escape}":1}}`]) {
      const result = parseJson(body)
      assert.equal(result.ok, !isForbidden(code), escape)
      if (!result.ok)
        assert.match(result.message, new RegExp(`U\\+${escape.slice(2)}.*Remove it`, 'i'))
    }
  }
})

test('a carriage return is accepted where it ends a line with a line feed', () => {
  for (const [text, ok] of [
    ['one\r\ntwo', true],
    ['one\rtwo', false],
    ['one\n\rtwo', false],
    ['one\r', false],
  ] as const) {
    assert.equal(parseJson(JSON.stringify({ text })).ok, ok, JSON.stringify(text))
  }
})

test('the problem names the field', () => {
  const result = parseJson('{"notes":"paid","line_items":[{"description":"a\u202eb"}]}')
  assert(!result.ok)
  assert.equal(result.param, '/line_items/0/description')
})
