/** PNG (ISO/IEC 15948): every color type and depth, without interlacing, laid on white. */
import { crc32 } from 'node:zlib'
import { type DrawnPicture, type PictureSize, PictureRefused } from './drawn-picture.ts'

export interface PngHeader extends PictureSize {
  bits: number
  type: ColorType
  palette: Buffer | undefined
  transparency: Buffer | undefined
  /** All of IDAT. */
  compressed: Buffer
}

type ColorType = 0 | 2 | 3 | 4 | 6

/** Samples of a pixel, and the depths they may have. */
const colorTypes: Readonly<Record<ColorType, { samples: number; bits: readonly number[] }>> = {
  0: { samples: 1, bits: [1, 2, 4, 8, 16] },
  2: { samples: 3, bits: [8, 16] },
  3: { samples: 1, bits: [1, 2, 4, 8] },
  4: { samples: 2, bits: [8, 16] },
  6: { samples: 4, bits: [8, 16] },
}

const damaged = (): PictureRefused => new PictureRefused('Its PNG is damaged.')

export const pngHeader = (bytes: Buffer): PngHeader => {
  const chunks = new Map<string, Buffer[]>()
  let at = 8
  while (!chunks.has('IEND')) {
    if (at + 12 > bytes.length) throw damaged()
    const length = bytes.readUInt32BE(at)
    const end = at + 8 + length
    if (end + 4 > bytes.length) throw damaged()
    if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) throw damaged()
    const name = bytes.toString('latin1', at + 4, at + 8)
    const ofName = chunks.get(name) ?? []
    ofName.push(bytes.subarray(at + 8, end))
    chunks.set(name, ofName)
    at = end + 4
  }
  const header = chunks.get('IHDR')?.[0]
  if (header?.length !== 13) throw damaged()
  const [bits, type, compression, filters, interlacing] = header.subarray(8)
  const known = Object.entries(colorTypes).find(([name]) => name === String(type))?.[1]
  if (known?.bits.includes(bits!) !== true || compression !== 0 || filters !== 0) throw damaged()
  if (interlacing !== 0)
    throw new PictureRefused('Its PNG is interlaced: save it without interlacing.')
  const palette = chunks.get('PLTE')?.[0]
  if (type === 3 && (palette === undefined || palette.length % 3 !== 0)) throw damaged()
  return {
    width: header.readUInt32BE(0),
    height: header.readUInt32BE(4),
    bits: bits!,
    type: type as ColorType,
    palette,
    transparency: chunks.get('tRNS')?.[0],
    compressed: Buffer.concat(chunks.get('IDAT') ?? []),
  }
}

const rowLength = ({ width, bits, type }: PngHeader): number =>
  Math.ceil((width * bits * colorTypes[type].samples) / 8)

/** Each row has a byte that names its filter. */
export const pngDataLength = (png: PngHeader): number => png.height * (1 + rowLength(png))

export const isPngData = (png: PngHeader, data: Buffer): boolean => {
  if (data.length !== pngDataLength(png)) return false
  const step = 1 + rowLength(png)
  for (let at = 0; at < data.length; at += step) if (data[at]! > 4) return false
  return true
}

export const drawnPng = (png: PngHeader, data: Buffer): DrawnPicture => {
  if (!isPngData(png, data)) throw damaged()
  const { width, height, bits, type } = png
  const rows = unfiltered(png, data)
  const step = rowLength(png)
  const { samples } = colorTypes[type]
  const colors = type === 0 || type === 4 ? 1 : 3
  const drawn = Buffer.alloc(width * height * colors)
  const colorOf = colorReader(png)
  const pixel: number[] = Array.from({ length: samples }, () => 0)
  for (let y = 0, to = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, to += colors) {
      for (let i = 0; i < samples; i += 1)
        pixel[i] = sampleAt(rows, y * step, bits, x * samples + i)
      colorOf(pixel, drawn, to)
    }
  }
  return { width, height, colors, encoding: 'raw', data: drawn }
}

const sampleAt = (rows: Buffer, start: number, bits: number, index: number): number => {
  if (bits === 8) return rows[start + index]!
  if (bits === 16) return rows.readUInt16BE(start + 2 * index)
  const bit = index * bits
  return (rows[start + (bit >> 3)]! >> (8 - bits - (bit & 7))) & ((1 << bits) - 1)
}

/** Undoes the filters (9.2 of the standard); every byte is within the row or the one above. */
const unfiltered = (png: PngHeader, data: Buffer): Buffer => {
  const length = rowLength(png)
  const back = Math.max(1, (png.bits * colorTypes[png.type].samples) >> 3)
  const rows = Buffer.alloc(length * png.height)
  for (let y = 0; y < png.height; y += 1) {
    const from = y * (length + 1)
    const start = y * length
    for (let x = 0; x < length; x += 1) {
      const left = x < back ? 0 : rows[start + x - back]!
      const up = y === 0 ? 0 : rows[start + x - length]!
      const upLeft = x < back || y === 0 ? 0 : rows[start + x - length - back]!
      const predicted = predictions[data[from]!]!(left, up, upLeft)
      rows[start + x] = data[from + 1 + x]! + predicted
    }
  }
  return rows
}

type Prediction = (left: number, up: number, upLeft: number) => number

const paeth: Prediction = (left, up, upLeft) => {
  const [byLeft, byUp] = [Math.abs(up - upLeft), Math.abs(left - upLeft)]
  const byBoth = Math.abs(left + up - 2 * upLeft)
  if (byLeft <= byUp && byLeft <= byBoth) return left
  return byUp <= byBoth ? up : upLeft
}

const predictions: readonly Prediction[] = [
  () => 0,
  (left) => left,
  (_, up) => up,
  (left, up) => (left + up) >> 1,
  paeth,
]

type ColorReader = (pixel: readonly number[], drawn: Buffer, to: number) => void

/** Writes the color of a pixel, on white where it is transparent. */
const colorReader = ({ bits, type, palette, transparency }: PngHeader): ColorReader => {
  const max = 2 ** bits - 1
  const onWhite = (sample: number, alpha: number): number =>
    Math.round(255 * (1 - alpha + (alpha * sample) / max))
  if (type === 3) {
    return ([index = 0], drawn, to) => {
      const alpha = (transparency?.[index] ?? 255) / 255
      for (let i = 0; i < 3; i += 1)
        drawn[to + i] = Math.round(255 * (1 - alpha) + alpha * (palette![3 * index + i] ?? 0))
    }
  }
  const colors = type === 0 || type === 4 ? 1 : 3
  const hasAlpha = type === 4 || type === 6
  const invisible =
    !hasAlpha && transparency !== undefined && transparency.length >= 2 * colors
      ? Array.from({ length: colors }, (_, i) => transparency.readUInt16BE(2 * i))
      : undefined
  return (pixel, drawn, to) => {
    const isInvisible = invisible?.every((sample, i) => sample === pixel[i]) === true
    const alpha = hasAlpha ? pixel[colors]! / max : isInvisible ? 0 : 1
    for (let i = 0; i < colors; i += 1) drawn[to + i] = onWhite(pixel[i]!, alpha)
  }
}
