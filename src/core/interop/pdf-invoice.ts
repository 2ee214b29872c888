/**
 * The XML of a hybrid invoice (Factur-X, ZUGFeRD 2): a file that a PDF embeds. Its stream is never
 * inside of another one (ISO 32000-1, 7.5.7), so it is found without the structure of the PDF.
 * Everything that is read has a bound; what is encrypted or compressed in another way is not read.
 */
import { inflateSync } from 'node:zlib'
import { interopLimits } from '../../contract/interop-limits.ts'
import { FileRefused } from './file-refused.ts'

export const isPdf = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-'

/** Throws FileRefused unless the PDF carries exactly one Cross Industry Invoice. */
export const invoiceInPdf = (bytes: Uint8Array): Uint8Array => {
  const pdf = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const source = pdf.toString('latin1')
  if (/\/Encrypt\s+\d+\s+\d+\s+R/.test(source)) {
    throw new FileRefused('Is an encrypted PDF: send it without a password, or its XML.')
  }
  const invoices = new Map<string, Buffer>()
  for (const file of embeddedFiles(source)) {
    const content = contentOf(pdf, file)
    const text = content?.toString('latin1') ?? ''
    if (content !== undefined && isInvoice.test(text)) invoices.set(text, content)
  }
  const [invoice] = invoices.values()
  if (invoice === undefined) {
    throw new FileRefused('Is a PDF without a Cross Industry Invoice (Factur-X, ZUGFeRD 2) in it.')
  }
  if (invoices.size > 1) throw new FileRefused('Is a PDF with several invoices in it.')
  return invoice
}

const isInvoice = /<(?:\w{1,20}:)?CrossIndustryInvoice[\s>]/

interface EmbeddedFile {
  dictionary: string
  start: number
  /** Where its data end, unless the dictionary says it. */
  end: number
}

/** The longest dictionary of a file that is looked at. */
const dictionaryMax = 2_000

const isEmbedded = (dictionary: string): boolean =>
  /\/Type\s*\/EmbeddedFile\b/.test(dictionary) ||
  /\/Subtype\s*\/(?:text|application)#2[Ff](?:xml|octet-stream)\b/.test(dictionary)

const embeddedFiles = (source: string): EmbeddedFile[] => {
  const files: EmbeddedFile[] = []
  let streams = 0
  for (const { index, 0: keyword } of source.matchAll(/>>\s{0,4}stream\r?\n/g)) {
    streams += 1
    if (streams > interopLimits.pdfStreamsMax) throw new FileRefused('Is a PDF of too many parts.')
    const before = source.slice(Math.max(0, index - dictionaryMax), index)
    const dictionary = before.slice(before.lastIndexOf(' obj') + 1)
    if (!isEmbedded(dictionary)) continue
    const start = index + keyword.length
    files.push({ dictionary, start, end: endOf(source, start) })
    if (files.length > interopLimits.pdfEmbeddedFilesMax) {
      throw new FileRefused('Is a PDF with too many files in it.')
    }
  }
  return files
}

const endOf = (source: string, start: number): number => {
  const keyword = source.indexOf('endstream', start)
  if (keyword === -1) return source.length
  const lineEnd = /\r?\n$|\r$/.exec(source.slice(keyword - 2, keyword))
  return keyword - (lineEnd?.[0].length ?? 0)
}

/** Undefined if it is compressed in a way that no such file is. */
const contentOf = (pdf: Buffer, { dictionary, start, end }: EmbeddedFile): Buffer | undefined => {
  const length = /\/Length\s+(\d{1,9})(?!\s+\d+\s+R)\b/.exec(dictionary)?.[1]
  const data = pdf.subarray(start, length === undefined ? end : start + Number(length))
  const filter = /\/Filter\s*\[?\s*\/(\w+)\s*(\/\w+)?/.exec(dictionary)
  if (filter === null) return data.length > interopLimits.importTextMaxBytes ? undefined : data
  const [, name, another] = filter
  const hasAnother = another !== undefined && /^\/\w+Decode$/.test(another)
  if (name !== 'FlateDecode' || hasAnother || /\/DecodeParms\s*<</.test(dictionary))
    return undefined
  try {
    return inflateSync(data, { maxOutputLength: interopLimits.importTextMaxBytes })
  } catch {
    return undefined
  }
}
