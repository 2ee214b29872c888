/**
 * The pages of one PDF while it is made: text at exact places, every piece of it inside of the
 * structure that screen readers follow (PDF/A-3a). The same input makes the same bytes.
 */
import { readFileSync } from 'node:fs'
import Pdf from 'pdfkit'
import { type Font, type TextStyle, bodySize, colors, lineHeight } from './text-style.ts'

/** Lines of one style. */
export interface Part {
  lines: readonly string[]
  style?: TextStyle
}

export type Place = readonly [x: number, y: number]

export interface PlacedStyle extends TextStyle {
  at: Place
}
export type Structure = PDFKit.PDFStructureElement

/** Their digits have one width, so that columns of them align (docs/decisions/0097). */
const fonts: Readonly<Record<Font, Buffer>> = {
  regular: readFileSync(new URL('./fonts/Inter-Regular.ttf', import.meta.url)),
  strong: readFileSync(new URL('./fonts/Inter-SemiBold.ttf', import.meta.url)),
}

/** Shown for a character that the font lacks. */
const placeholder = '\u25a1'

export const margin = 48
/** Kept free at the end of every page. */
const footerHeight = 32

export interface Attachment {
  name: string
  content: Buffer
  mediaType: string
  /** What it is to the pages: the same in another form, or more than they show. */
  relationship: 'Alternative' | 'Supplement'
  description: string
}

export interface SheetOptions {
  title: string
  language: string
  paper: 'A4' | 'LETTER'
  date: Date
  /** Behind the text of every page, if it is not empty. */
  watermark: string
}

export class Sheet {
  readonly document: PDFKit.PDFDocument
  readonly root: Structure
  readonly #widths = new Map<string, number>()
  readonly #known = new Map<string, boolean>()
  readonly #chunks: Buffer[] = []
  readonly #end: Promise<void>
  readonly #watermark: string
  readonly #date: Date
  y = margin

  constructor({ title, language, paper, date, watermark }: SheetOptions) {
    this.document = new Pdf({
      autoFirstPage: false,
      bufferPages: true,
      size: paper,
      margin: 0,
      pdfVersion: '1.7',
      subset: 'PDF/A-3a',
      tagged: true,
      lang: language,
      displayTitle: true,
      info: { Title: title, Creator: 'Document Exchange Service', CreationDate: date },
    })
    this.#end = new Promise((resolve, reject) => {
      this.document.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
      this.document.on('end', resolve)
      this.document.on('error', reject)
    })
    for (const name in fonts) this.document.registerFont(name, fonts[name as Font])
    this.#watermark = watermark
    this.#date = date
    this.addPage()
    this.root = this.document.struct('Document')
    this.document.addStructure(this.root)
  }

  get left(): number {
    return margin
  }

  get right(): number {
    return this.document.page.width - margin
  }

  get width(): number {
    return this.right - this.left
  }

  hasRoomFor(height: number): boolean {
    return this.y + height <= this.document.page.height - margin - footerHeight
  }

  addPage(): void {
    this.document.addPage()
    this.y = margin
    if (this.#watermark !== '') this.#drawWatermark()
  }

  #drawWatermark(): void {
    const { document } = this
    const { width, height } = document.page
    const style = { font: 'strong', color: colors.watermark } as const
    const size = Math.min(100, (width * 0.9) / this.widthOf(this.#watermark, { ...style, size: 1 }))
    const left = (width - this.widthOf(this.#watermark, { ...style, size })) / 2
    this.artifact(() => {
      document
        .save()
        .opacity(0.07)
        .rotate(-52, { origin: [width / 2, height / 2] })
      this.#draw(this.#watermark, [left, (height - size) / 2], { ...style, size })
      document.restore()
    })
  }

  group(parent: Structure, type: string): Structure {
    const group = this.document.struct(type)
    parent.add(group)
    return group
  }

  /** One line, as an element of the structure. */
  text(parent: Structure, type: string, text: string, { at, ...style }: PlacedStyle): void {
    this.block(parent, type, [{ lines: [text], style }], at)
  }

  /** Lines below one another, as one element; returns where they end. */
  block(parent: Structure, type: string, parts: readonly Part[], [x, top]: Place): number {
    // The types of pdfkit lack `scope`.
    const options: object = type === 'TH' ? { scope: 'Column' } : {}
    const element = this.document.struct(type, options)
    parent.add(element)
    element.add(this.document.markStructureContent(type))
    let y = top
    for (const { lines, style = {} } of parts) {
      for (const line of lines) {
        this.#draw(line, [x, y], style)
        y += lineHeight(style)
      }
    }
    this.document.endMarkedContent()
    element.end()
    return y
  }

  /** What is no content: repeated headers, page numbers, rules. */
  artifact(draw: () => void): void {
    this.document.markContent('Artifact', { type: 'Layout' })
    draw()
    this.document.endMarkedContent()
  }

  /** Inside of an artifact only. */
  decorate(text: string, place: Place, style: TextStyle = {}): void {
    this.#draw(text, place, style)
  }

  rule(y: number, { color = colors.line, width = 0.5, from = this.left } = {}): void {
    this.artifact(() => {
      this.document.moveTo(from, y).lineTo(this.right, y).lineWidth(width).stroke(color)
    })
  }

  widthOf(text: string, { size = bodySize, font = 'regular' }: TextStyle = {}): number {
    const key = `${font} ${text}`
    let width = this.#widths.get(key)
    if (width === undefined) {
      this.document.font(font).fontSize(1000)
      width = this.document.widthOfString(this.#printable(text)) / 1000
      this.#widths.set(key, width)
    }
    return width * size
  }

  /** Broken at spaces, and inside of a word that is too long for a line. */
  wrapped(text: string, width: number, style: TextStyle = {}): string[] {
    return text.split(/\r\n|[\n\r\u2028\u2029]/).flatMap((paragraph) => {
      const lines: string[] = []
      let line = ''
      for (const word of paragraph
        .replaceAll('\t', ' ')
        .split(' ')
        .flatMap((one) => this.#pieces(one, width, style))) {
        const longer = line === '' ? word : `${line} ${word}`
        if (this.widthOf(longer, style) <= width || line === '') line = longer
        else {
          lines.push(line)
          line = word
        }
      }
      return [...lines, line]
    })
  }

  #pieces(word: string, width: number, style: TextStyle): string[] {
    if (this.widthOf(word, style) <= width) return [word]
    const pieces: string[] = []
    let piece = ''
    for (const character of word) {
      if (piece !== '' && this.widthOf(piece + character, style) > width) {
        pieces.push(piece)
        piece = ''
      }
      piece += character
    }
    return [...pieces, piece]
  }

  #draw(text: string, [x, y]: Place, style: TextStyle): void {
    const { size = bodySize, font = 'regular', color = colors.ink, alignRight = false } = style
    const start = alignRight ? x - this.widthOf(text, style) : x
    this.document.font(font).fontSize(size).fillColor(color)
    const printable = this.#printable(text)
    const write = () => this.document.text(printable, start, y, { lineBreak: false })
    if (printable === text) write()
    else this.#insteadOf(text.toWellFormed(), write)
  }

  /** What is copied, searched and read aloud is the text itself, and not its placeholders. */
  #insteadOf(actual: string, write: () => void): void {
    const { document } = this
    document.markContent('Span', { actual })
    write()
    // Programs that place the text where its mark ends need the coordinates of its glyphs there.
    document.save().transform(1, 0, 0, -1, 0, document.page.height)
    document.endMarkedContent().restore()
  }

  #printable(text: string): string {
    return Array.from(text.toWellFormed(), (character) =>
      this.#hasGlyph(character) ? character : placeholder,
    ).join('')
  }

  #hasGlyph(character: string): boolean {
    let known = this.#known.get(character)
    if (known === undefined) {
      // The types of pdfkit leave out the font of fontkit that it has loaded.
      const { _font } = this.document as unknown as { _font: { font: FontkitFont } }
      known = _font.font.hasGlyphForCodePoint(character.codePointAt(0)!)
      this.#known.set(character, known)
    }
    return known
  }

  /** With the date of the document, since nothing else is known of it. */
  attach({ name, content, mediaType, relationship, description }: Attachment): void {
    const date = this.#date
    // The types of pdfkit lack `relationship`.
    const options = {
      name,
      type: mediaType,
      description,
      relationship,
      creationDate: date,
      modifiedDate: date,
    }
    this.document.file(content, options)
  }

  addMetadata(xml: string): void {
    this.document.appendXML(xml)
  }

  /** Draws on every page that there is. */
  onEachPage(draw: (page: number, pages: number) => void): void {
    const { count } = this.document.bufferedPageRange()
    for (let page = 0; page < count; page++) {
      this.document.switchToPage(page)
      draw(page + 1, count)
    }
  }

  async bytes(): Promise<Buffer> {
    this.root.end()
    this.document.end()
    await this.#end
    return Buffer.concat(this.#chunks)
  }
}

interface FontkitFont {
  hasGlyphForCodePoint(codePoint: number): boolean
}
