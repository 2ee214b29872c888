/** Names of files, media types, and links: what is taken, and what comes back out of it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { verifyDownloadLink, signDownloadLink } from '../../src/core/attachments/download-links.ts'
import {
  contentDisposition,
  filenameProblem,
  mediaTypeOf,
} from '../../src/core/attachments/filenames.ts'

const key = Buffer.alloc(32, 7)

describe('links', () => {
  const links = fc.record({
    attachment: fc.uuid(),
    organization: fc.uuid(),
    expiresAtMs: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  })

  test('what was sealed opens to itself, and with no other key', () => {
    fc.assert(
      fc.property(links, (link) => {
        const token = signDownloadLink(key, link)
        assert.match(token, /^[\w-]{72}$/)
        assert.deepEqual(verifyDownloadLink(key, token), { ...link })
        assert.equal(verifyDownloadLink(Buffer.alloc(32, 8), token), undefined)
      }),
    )
  })

  test('no other text opens', () => {
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

describe('names', () => {
  test('whatever is taken travels in a header of plain ASCII, and comes back whole', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (name) => {
        fc.pre(name.isWellFormed() && filenameProblem(name) === undefined)
        const header = contentDisposition(name)
        const [, plain, whole] =
          /^attachment; filename="([^"\\%]*)"; filename\*=UTF-8''([\w.!#$&+^`|~%-]*)$/.exec(header)!
        assert.match(plain!, /^[\x20-\x7e]*$/)
        assert.equal(decodeURIComponent(whole!), name)
      }),
    )
  })

  test('lone surrogates, which no UTF-8 can hold, arrive as the replacement character: refused', () => {
    assert.equal(filenameProblem('a\ufffdb')?.code, 'invalid_value')
  })
})

test('media types are type/subtype, without parameters, in lower case', () => {
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
