/**
 * Pictures of others (docs/decisions/0124): PNG is decoded and laid on white, JPEG passes with the
 * segments that its pixels need. Everything that is read has a bound, and what could not be drawn
 * later is refused when it is read.
 */
import { inflateSync } from 'node:zlib'
import { interopLimits } from '../../contract/interop-limits.ts'
import { type DrawnPicture, type PictureSize, PictureRefused } from './drawn-picture.ts'
import { type JpegHeader, drawnJpeg, jpegHeader } from './jpeg.ts'
import { type PngHeader, drawnPng, pngDataLength, pngHeader } from './png.ts'

export type Picture = ({ format: 'png' } & PngHeader) | ({ format: 'jpeg' } & JpegHeader)

/** Throws PictureRefused; the data of a PNG are still compressed then. */
export const readPicture = (bytes: Buffer): Picture => {
  if (bytes.subarray(0, 8).equals(pngSignature))
    return { format: 'png', ...checkSize(pngHeader(bytes)) }
  if (bytes.subarray(0, 3).equals(jpegSignature))
    return { format: 'jpeg', ...checkSize(jpegHeader(bytes)) }
  throw new PictureRefused('It is neither a PNG nor a JPEG.')
}

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')
const jpegSignature = Buffer.from('ffd8ff', 'hex')

const checkSize = <P extends PictureSize>(picture: P): P => {
  const { width, height } = picture
  const max = interopLimits.logoMaxPixels
  if (width > 0 && height > 0 && width * height <= max) return picture
  const found = `${width} × ${height}`
  throw new PictureRefused(`It has ${found} pixels: 1 to ${max / 1e6} million are accepted.`)
}

/** Throws PictureRefused. */
export const drawnPicture = (bytes: Buffer): DrawnPicture => {
  const picture = readPicture(bytes)
  return picture.format === 'jpeg' ? drawnJpeg(picture) : drawnPng(picture, inflated(picture))
}

const inflated = (png: PngHeader): Buffer => {
  try {
    return inflateSync(png.compressed, { maxOutputLength: pngDataLength(png) })
  } catch {
    throw new PictureRefused('Its PNG is damaged.')
  }
}
