/** The bytes of a file → the draft that it makes, whatever its format (domain 7). */
import { interopLimits } from '../../contract/interop-limits.ts'
import type { Problem } from '../../contract/problem.ts'
import { isCii, readCii } from './cii-import.ts'
import { CsvRefused, readCsv } from './csv-import.ts'
import { type ImportResult, draftOf } from './import-draft.ts'
import type { ImportedDocument, ImportedParty } from './imported-document.ts'
import { PdfRefused, invoiceInPdf, isPdf } from './pdf-invoice.ts'
import { isUbl, readUbl } from './ubl-import.ts'
import { type XmlElement, XmlRefused, parseXml, repeatedElement } from './xml-tree.ts'

export type ImportedFile = ImportResult & { seller: ImportedParty | undefined }

/** The caller has bounded the length. */
export const importedFile = (bytes: Uint8Array): ImportedFile => {
  try {
    const document = documentIn(bytes)
    return { ...draftOf(document), seller: document.seller }
  } catch (error) {
    if (!refusals.some((refusal) => error instanceof refusal)) throw error
    const { message } = error as Error
    return { ok: false, problems: [unreadable(message)], seller: undefined }
  }
}

const refusals = [XmlRefused, CsvRefused, PdfRefused]

const unreadable = (message: string): Problem => ({
  ...{ param: '/file', code: 'invalid_value', message },
  fix: 'send a UBL Invoice or CreditNote, a CII, a Factur-X PDF, or a CSV as format=csv writes it',
})

/** A PDF in a PDF is not opened: nested ones would multiply the work of one file. */
const documentIn = (bytes: Uint8Array): ImportedDocument => {
  if (isPdf(bytes)) return { ...documentInXml(textOf(invoiceInPdf(bytes))), format: 'facturx' }
  const text = textOf(bytes)
  return /^\s*</.test(text) ? documentInXml(text) : readCsv(text)
}

const documentInXml = (text: string): ImportedDocument => {
  const root = parseXml(text)
  const document = readInvoice(root)
  const repeated = repeatedElement(root)
  if (repeated !== undefined) throw new XmlRefused(`Has ${repeated} twice.`)
  return document
}

const readInvoice = (root: XmlElement): ImportedDocument => {
  if (isUbl(root)) return readUbl(root)
  if (isCii(root)) return readCii(root)
  throw new XmlRefused(`Is XML, but its root ${root.name.slice(0, 100)} is no invoice.`)
}

/** UTF-8, without its mark. */
const textOf = (bytes: Uint8Array): string => {
  if (bytes.length > interopLimits.importTextMaxBytes) throw new XmlRefused('Is above 1 MiB.')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new XmlRefused('Is not UTF-8.')
  }
}
