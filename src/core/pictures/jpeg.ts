/** JPEG (ITU T.81): the frame header, and the segments that the pixels need. */
import { type DrawnPicture, type PictureSize, PictureRefused } from './drawn-picture.ts'

export interface JpegHeader extends PictureSize {
  colors: 1 | 3
  /** The file without comments, thumbnails, places and profiles. */
  data: Buffer
}

const startOfScan = 0xda
const endOfImage = Buffer.from([0xff, 0xd9])
/** Baseline, extended and progressive: what PDF readers decode. */
const frames = [0xc0, 0xc1, 0xc2]
const otherFrames = [0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]
/** APP1 to APP15 without Adobe's APP14, which says how colors are coded; and comments. */
const isMetadata = (marker: number): boolean =>
  (marker > 0xe0 && marker <= 0xef && marker !== 0xee) || marker === 0xfe

export const jpegHeader = (bytes: Buffer): JpegHeader => {
  const segments = [bytes.subarray(0, 2)]
  let frame: Pick<JpegHeader, 'width' | 'height' | 'colors'> | undefined
  let at = 2
  while (at + 4 <= bytes.length) {
    const marker = bytes[at + 1]!
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    if (bytes[at] !== 0xff || marker < 0xc0 || end < at + 4 || end > bytes.length) break
    if (marker === startOfScan) {
      const endAt = bytes.lastIndexOf(endOfImage) + endOfImage.length
      if (frame === undefined || endAt < end) break
      return { ...frame, data: Buffer.concat([...segments, bytes.subarray(at, endAt)]) }
    }
    if (otherFrames.includes(marker))
      throw new PictureRefused('Its JPEG is lossless or arithmetic: save it as an ordinary one.')
    if (frames.includes(marker)) {
      if (frame !== undefined || end < at + 10) break
      frame = frameOf(bytes.subarray(at + 4, end))
    }
    if (!isMetadata(marker)) segments.push(bytes.subarray(at, end))
    at = end
  }
  throw new PictureRefused('Its JPEG is damaged.')
}

const frameOf = (header: Buffer) => {
  const [bits, components] = [header[0], header[5]]
  if (bits !== 8) throw new PictureRefused('Its JPEG has more than 8 bits a color.')
  if (components !== 1 && components !== 3)
    throw new PictureRefused(
      'Its JPEG is neither grey nor RGB (CMYK is for print): save it as RGB.',
    )
  const colors: 1 | 3 = components
  return { height: header.readUInt16BE(1), width: header.readUInt16BE(3), colors }
}

export const drawnJpeg = ({ width, height, colors, data }: JpegHeader): DrawnPicture => ({
  width,
  height,
  colors,
  data,
  encoding: 'jpeg',
})
