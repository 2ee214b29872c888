/**
 * A picture as pdfkit embeds its own ones. Its readers of PNG and JPEG are not used: they trust
 * what they read, and PNG with transparency becomes a mask, which is decoded out of turn.
 */
import { deflateSync } from 'node:zlib'
import type { DrawnPicture } from '../core/pictures/drawn-picture.ts'
import type { Place, Sheet } from './sheet.ts'

export interface Figure {
  picture: DrawnPicture
  /** For who cannot see it. */
  alt: string
  at: Place
  box: readonly [width: number, height: number]
}

/** As large as the box allows, from its upper left; returns where it ends. */
export const drawFigure = (
  { document, root }: Sheet,
  { picture, alt, ...frame }: Figure,
): number => {
  const [x, y] = frame.at
  const scale = Math.min(frame.box[0] / picture.width, frame.box[1] / picture.height)
  const [width, height] = [picture.width * scale, picture.height * scale]
  // The types of pdfkit lack `bbox`, which PDF/A-3a asks for.
  const options: object = { alt, bbox: [x, y, x + width, y + height] }
  const element = document.struct('Figure', options)
  root.add(element)
  element.add(document.markStructureContent('Figure'))
  document.image(embedded(picture), x, y, { width, height })
  document.endMarkedContent()
  element.end()
  return y + height
}

const embedded = ({ width, height, colors, encoding, data }: DrawnPicture): Buffer => {
  const image = {
    width,
    height,
    label: 'Picture',
    obj: undefined as PDFKit.PDFKitReference | undefined,
    embed(document: PDFKit.PDFDocument): void {
      this.obj = document.ref({
        Type: 'XObject',
        Subtype: 'Image',
        Width: width,
        Height: height,
        BitsPerComponent: 8,
        ColorSpace: colors === 1 ? 'DeviceGray' : 'DeviceRGB',
        Filter: encoding === 'jpeg' ? 'DCTDecode' : 'FlateDecode',
      })
      this.obj.end(encoding === 'jpeg' ? data : deflateSync(data))
    },
  }
  // pdfkit takes an opened image wherever it takes bytes; its types leave that out.
  return image as unknown as Buffer
}
