/** Filenames, media types and download links. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { create, parse } from 'content-disposition'
import { verifyDownloadLink, signDownloadLink } from '../../src/core/attachments/download-links.ts'
import { filenameProblem } from '../../src/core/attachments/filenames.ts'
import { mediaTypeOf } from '../../src/core/attachments/media-types.ts'

const key = Buffer.alloc(32, 7)

describe('download links', () => {
  const links = fc.record({
    attachment: fc.uuid(),
    organization: fc.uuid(),
    expiresAtMs: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  })

  test('a signed link verifies with its own key and with no other', () => {
    fc.assert(
      fc.property(links, (link) => {
        const token = signDownloadLink(key, link)
        assert.match(token, /^[\w-]{72}$/)
        assert.deepEqual(verifyDownloadLink(key, token), { ...link })
        assert.equal(verifyDownloadLink(Buffer.alloc(32, 8), token), undefined)
      }),
    )
  })

  test('no other text verifies', () => {
    fc.assert(
      fc.property(links, fc.nat(431), (link, bit) => {
        const bytes = Buffer.from(signDownloadLink(key, link), 'base64url')
        bytes[bit >> 3]! ^= 1 << (bit & 7)
        assert.equal(verifyDownloadLink(key, bytes.toString('base64url')), undefined)
      }),
    )
    fc.assert(fc.property(fc.string(), (text) => verifyDownloadLink(key, text) === undefined))
  })
})

describe('filenames', () => {
  test('a name has no character that nobody sees, but the joiners of scripts and emoji', () => {
    const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/u
    const joiners = ['\u200c', '\u200d']
    for (let code = 1; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code)
      if (!character.isWellFormed() || '/\\\ufffd'.includes(character)) continue
      const isRefused = filenameProblem(`a${character}b`) !== undefined
      const isInvisible = invisible.test(character) && !joiners.includes(character)
      assert.equal(isRefused, isInvisible, code.toString(16))
    }
    const [message, fix] = ['The name contains the invisible character U+00AD.', 'remove it']
    const expected = { param: '/file', code: 'invalid_value', message, fix }
    assert.deepEqual(filenameProblem('in\u00advoice.pdf'), expected)
  })

  test('a name has a visible character: joiners, spaces and marks alone are none', () => {
    for (const name of ['\u200d', '\u200c', '\u200d \u200d', '\u200c\u00a0\u200c', '\u0301']) {
      assert.equal(filenameProblem(name)?.message, 'The name has no visible character.')
      assert.equal(filenameProblem(`${name}x${name}`), undefined)
    }
    assert.equal(filenameProblem('👩‍💻'), undefined)
  })

  test('every accepted name is sent in a header of plain ASCII and decodes unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (name) => {
        fc.pre(name.isWellFormed() && filenameProblem(name) === undefined)
        const header = create(name)
        assert.match(header, /^[\x20-\x7e]*$/)
        const { type, parameters } = parse(header)
        assert.deepEqual([type, parameters['filename']], ['attachment', name])
      }),
    )
  })

  test('the replacement character, which stands for a lone surrogate, is refused', () => {
    assert.equal(filenameProblem('a\ufffdb')?.code, 'invalid_value')
  })
})

test('a media type is type/subtype without parameters, in lower case', () => {
  assert.equal(mediaTypeOf('Application/PDF'), 'application/pdf')
  assert.equal(
    mediaTypeOf('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  )
  for (const wrong of [
    '',
    'text',
    'text/',
    '/plain',
    'text/plain; charset=utf-8',
    'a b/c',
    'a/b/c',
  ]) {
    assert.equal(mediaTypeOf(wrong), undefined, wrong)
  }
  assert.equal(mediaTypeOf(`text/${'x'.repeat(200)}`), undefined)
})
