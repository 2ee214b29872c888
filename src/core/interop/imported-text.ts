/**
 * The bytes of a file → its text. XML says its encoding by a byte order mark or in its declaration
 * (XML 1.0, appendix F). A CSV is UTF-8, or UTF-16 with a mark, as spreadsheets save it.
 */
import { interopLimits } from '../../contract/interop-limits.ts'
import { FileRefused } from './file-refused.ts'

/** What XML may declare besides UTF-16, and how it is decoded; invoices have no others. */
const decoders = new Map([
  ['utf-8', 'utf-8'],
  ['us-ascii', 'utf-8'],
  ['iso-8859-1', 'windows-1252'],
  ['iso-8859-15', 'iso-8859-15'],
  ['windows-1252', 'windows-1252'],
])

const inUtf8 = 'save it in UTF-8, and declare that: <?xml version="1.0" encoding="UTF-8"?>'

/** The text without its mark. */
export const textOf = (bytes: Uint8Array): string => {
  const text = decodedText(bytes)
  if (!text.includes('\0')) return text
  throw new FileRefused('Has the character U+0000, which no text has.', 'save it in UTF-8')
}

const decodedText = (bytes: Uint8Array): string => {
  if (bytes.length > interopLimits.importTextMaxBytes)
    throw new FileRefused(
      'Is XML or CSV above 1 MiB.',
      'leave out pictures and other files that it embeds',
    )
  const marked = markedEncoding(bytes)
  if (marked !== undefined) return decoded(bytes, marked)
  const start = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
  if (!/^\s*</.test(start)) return plainText(bytes)
  const name = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']{1,40})/.exec(start)?.[1] ?? 'UTF-8'
  const decoder = decoders.get(name.toLowerCase())
  if (decoder !== undefined) return decoded(bytes, decoder)
  const reason = /^utf-16/i.test(name) ? 'and its bytes are not' : 'which is not read here'
  throw new FileRefused(`Is XML that declares the encoding ${name}, ${reason}.`, inUtf8)
}

/** By the byte order mark, or the first character of XML in UTF-16. */
const markedEncoding = (bytes: Uint8Array): string | undefined => {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex')
  if (start === 'fffe0000' || start === '0000feff')
    throw new FileRefused('Is in UTF-32, which is not read here.', 'save it in UTF-8')
  if (start.startsWith('efbbbf')) return 'utf-8'
  if (/^(?:fffe|3c00)/.test(start)) return 'utf-16le'
  return /^(?:feff|003c)/.test(start) ? 'utf-16be' : undefined
}

const decoded = (bytes: Uint8Array, encoding: string): string => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    const name = encoding.toUpperCase()
    throw new FileRefused(
      `Is read as ${name}, by its start or for lack of a declaration, and is not ${name}.`,
      `${inUtf8}; or declare what it is, such as encoding="ISO-8859-1"`,
    )
  }
}

/** A CSV cannot name its encoding. */
const plainText = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw isZip(bytes)
      ? new FileRefused('Is a workbook (.xlsx) or another ZIP.', 'save its sheet as CSV UTF-8')
      : new FileRefused(
          'Is neither XML nor a PDF, nor a CSV in UTF-8.',
          'send XML, a PDF that carries CII, or a CSV that was saved as CSV UTF-8',
        )
  }
}

const isZip = ([first, second]: Uint8Array): boolean => first === 0x50 && second === 0x4b
