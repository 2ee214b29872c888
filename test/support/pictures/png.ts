/** Writes PNG files for tests: as the standard says, or with one thing wrong. */
import { crc32, deflateSync } from 'node:zlib'

export const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')

export interface PngParts {
  width: number
  height: number
  bits: number
  type: number
  /** Each with the byte of its filter. */
  rows: readonly (readonly number[])[]
  palette?: readonly number[]
  transparency?: readonly number[]
  interlacing?: number
  /** Instead of the compressed rows. */
  compressed?: Buffer
}

const chunk = (name: string, content: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  checksum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, checksum])
}

export const pngOf = (parts: PngParts): Buffer => {
  const { width, height, bits, type, rows, palette, transparency, interlacing = 0 } = parts
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([bits, type, 0, 0, interlacing], 8)
  return Buffer.concat([
    pngSignature,
    chunk('IHDR', header),
    ...(palette === undefined ? [] : [chunk('PLTE', Buffer.from(palette))]),
    ...(transparency === undefined ? [] : [chunk('tRNS', Buffer.from(transparency))]),
    chunk('IDAT', parts.compressed ?? deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A picture of one color. */
export const plainPng = (width: number, height: number, color: readonly number[]): Buffer => {
  const row = [0, ...Array.from({ length: width }, () => color).flat()]
  const type = color.length === 4 ? 6 : 2
  return pngOf({ width, height, bits: 8, type, rows: Array.from({ length: height }, () => row) })
}
