/** Pictures of others, as a PDF takes them (docs/decisions/0124). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { PictureRefused } from '../../src/core/pictures/drawn-picture.ts'
import { drawnPicture } from '../../src/core/pictures/picture.ts'
import { aJpeg, changedFrame, withSegment } from '../support/pictures/jpeg.ts'
import { type PngParts, plainPng, pngOf, pngSignature } from '../support/pictures/png.ts'

const tiny: PngParts = { width: 2, height: 1, bits: 8, type: 2, rows: [[0, 1, 2, 3, 4, 5, 6]] }

/** By what is special about each: a file, and the samples that are drawn. */
const drawnAs: Readonly<Record<string, [PngParts, number[]]>> = {
  'RGB of 8 bits': [tiny, [1, 2, 3, 4, 5, 6]],
  'grey of one bit, in a row that ends within a byte': [
    { width: 10, height: 1, bits: 1, type: 0, rows: [[0, 0b10100000, 0b01000000]] },
    [255, 0, 255, 0, 0, 0, 0, 0, 0, 255],
  ],
  'grey of four bits': [
    { width: 3, height: 1, bits: 4, type: 0, rows: [[0, 0x0f, 0x80]] },
    [0, 255, 136],
  ],
  'a palette of two bits, of which one color is half transparent': [
    {
      width: 3,
      height: 1,
      bits: 2,
      type: 3,
      rows: [[0, 0b00011000]],
      palette: [10, 20, 30, 1, 2, 3, 0, 0, 0],
      transparency: [255, 255, 51],
    },
    [10, 20, 30, 1, 2, 3, 204, 204, 204],
  ],
  'RGB of 16 bits': [
    { width: 1, height: 1, bits: 16, type: 2, rows: [[0, 255, 255, 128, 0, 0, 0]] },
    [255, 128, 0],
  ],
  'RGBA, laid on white': [
    { width: 2, height: 1, bits: 8, type: 6, rows: [[0, 0, 0, 0, 0, 100, 0, 200, 51]] },
    [255, 255, 255, 224, 204, 244],
  ],
  'grey with alpha': [
    { width: 2, height: 1, bits: 8, type: 4, rows: [[0, 7, 255, 7, 0]] },
    [7, 255],
  ],
  'grey, of which one shade is transparent': [
    { width: 2, height: 1, bits: 8, type: 0, rows: [[0, 7, 8]], transparency: [0, 7] },
    [255, 8],
  ],
  'RGB, of which one color is transparent': [
    { ...tiny, transparency: [0, 1, 0, 2, 0, 3] },
    [255, 255, 255, 4, 5, 6],
  ],
}

/** What a writer of PNG predicts of a byte, by the number of the filter (9.2 of the standard). */
const predicted = (filter: number, left: number, up: number, upLeft: number): number => {
  const nearest = [left, up, upLeft].reduce((best, one) =>
    Math.abs(left + up - upLeft - one) < Math.abs(left + up - upLeft - best) ? one : best,
  )
  return [0, left, up, Math.floor((left + up) / 2), nearest][filter]!
}

const filteredRows = (
  rows: readonly (readonly number[])[],
  filters: readonly number[],
): number[][] =>
  rows.map((row, y) => {
    const at = (line: number, x: number) => (x < 0 ? 0 : (rows[line]?.[x] ?? 0))
    return [
      filters[y]!,
      ...row.map(
        (byte, x) =>
          (byte - predicted(filters[y]!, at(y, x - 3), at(y - 1, x), at(y - 1, x - 3)) + 256) % 256,
      ),
    ]
  })

describe('a PNG is drawn as its standard says', () => {
  for (const [name, [parts, samples]] of Object.entries(drawnAs)) {
    test(name, () => {
      const { width, height, colors, data, encoding } = drawnPicture(pngOf(parts))
      assert.deepEqual([...data], samples)
      assert.deepEqual([width, height, encoding], [parts.width, parts.height, 'raw'])
      assert.equal(colors, samples.length / width / height)
    })
  }

  test('whatever its pixels and the filters of its rows', () => {
    const byte = fc.integer({ min: 0, max: 255 })
    const row = fc.tuple(
      fc.array(byte, { minLength: 12, maxLength: 12 }),
      fc.integer({ min: 0, max: 4 }),
    )
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 6 }), (given) => {
        const pixels = given.map(([one]) => one)
        const rows = filteredRows(
          pixels,
          given.map(([, filter]) => filter),
        )
        const parts = { width: 4, height: rows.length, bits: 8, type: 2, rows }
        assert.deepEqual([...drawnPicture(pngOf(parts)).data], pixels.flat())
      }),
    )
  })
})

describe('a JPEG passes as it is', () => {
  test('without metadata, and without what follows it', () => {
    const drawn = drawnPicture(aJpeg)
    assert.deepEqual([drawn.width, drawn.height, drawn.colors, drawn.encoding], [16, 8, 3, 'jpeg'])
    assert(drawn.data.equals(aJpeg))
    const commented = withSegment(withSegment(aJpeg, 0xe1, 'Exif, with a place'), 0xfe, 'comment')
    const followed = Buffer.concat([commented, Buffer.from('PK, another file')])
    assert(drawnPicture(followed).data.equals(aJpeg))
    const adobe = withSegment(aJpeg, 0xee, 'Adobe')
    assert(drawnPicture(adobe).data.equals(adobe), 'it says how colors are coded')
  })
})

const damagedAt = (bytes: Buffer, at: number): Buffer => {
  const damaged = Buffer.from(bytes)
  damaged[at]! ^= 1
  return damaged
}

const png = pngOf(tiny)
const bomb = deflateSync(Buffer.alloc(50_000_000))

/** By why it is refused. */
const refused: Readonly<Record<string, [RegExp, Buffer]>> = {
  'an empty file': [/neither/, Buffer.alloc(0)],
  'a text': [/neither/, Buffer.from('picture')],
  'an SVG': [/neither/, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  'a PNG that ends early': [/damaged/, png.subarray(0, -13)],
  'the signature of a PNG alone': [/damaged/, pngSignature],
  'a PNG with a wrong checksum': [/damaged/, damagedAt(png, 20)],
  'a PNG with too little data': [/damaged/, pngOf({ ...tiny, rows: [[0, 1, 2, 3]] })],
  'a PNG with too much data': [/damaged/, pngOf({ ...tiny, compressed: bomb })],
  'a PNG whose data are not compressed': [
    /damaged/,
    pngOf({ ...tiny, compressed: Buffer.from('no') }),
  ],
  'a PNG with an unknown filter': [/damaged/, pngOf({ ...tiny, rows: [[5, 1, 2, 3, 4, 5, 6]] })],
  'a PNG of an unknown color type': [/damaged/, pngOf({ ...tiny, type: 5 })],
  'a PNG of a depth that its type lacks': [/damaged/, pngOf({ ...tiny, bits: 4 })],
  'a PNG that lacks its palette': [/damaged/, pngOf({ ...tiny, type: 3 })],
  'a PNG that is interlaced': [/interlaced/, pngOf({ ...tiny, interlacing: 1 })],
  'a PNG without pixels': [/0 × 1 pixels/, pngOf({ ...tiny, width: 0, rows: [[0]] })],
  'a PNG with too many pixels': [/4000000000 × 1 pixels/, pngOf({ ...tiny, width: 4_000_000_000 })],
  'a JPEG that ends early': [/damaged/, aJpeg.subarray(0, -2)],
  'a JPEG without a scan': [/damaged/, aJpeg.subarray(0, 100)],
  'a JPEG with a segment of no length': [/damaged/, Buffer.from('ffd8ffe00000ffd9', 'hex')],
  'a JPEG for print': [/CMYK/, changedFrame(aJpeg, (frame) => (frame[9] = 4))],
  'a JPEG of 12 bits': [/8 bits/, changedFrame(aJpeg, (frame) => (frame[4] = 12))],
  'an arithmetic JPEG': [/arithmetic/, changedFrame(aJpeg, (frame) => (frame[1] = 0xc9))],
  'a JPEG with too many pixels': [
    /65535 × 65535 pixels/,
    changedFrame(aJpeg, (frame) => frame.fill(255, 5, 9)),
  ],
}

describe('what cannot be drawn is refused, and says why', () => {
  for (const [name, [reason, bytes]] of Object.entries(refused)) {
    test(name, () => {
      assert.throws(
        () => drawnPicture(bytes),
        (error) => error instanceof PictureRefused && reason.test(error.message),
      )
    })
  }

  test('whatever is changed in a picture: it is drawn or refused', () => {
    const picture = fc.constantFrom(aJpeg, plainPng(3, 2, [1, 2, 3, 4]))
    const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))
    fc.assert(
      fc.property(picture, fc.array(change, { maxLength: 5 }), fc.nat(), (bytes, changes, cut) => {
        const changed = Buffer.from(bytes.subarray(0, bytes.length - (cut % 40)))
        for (const [at, value] of changes) changed[at % changed.length] = value
        try {
          drawnPicture(changed)
        } catch (error) {
          assert(error instanceof PictureRefused, String(error))
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
