/** The bytes of a file → the draft that it makes, whatever its format (domain 7). */
import type { Problem } from '../../contract/problem.ts'
import { foreignInCii, isCii, readCii } from './cii-import.ts'
import { readCsv } from './csv-import.ts'
import { FileRefused } from './file-refused.ts'
import { type ImportResult, draftOf } from './import-draft.ts'
import type { ImportedDocument, ImportedParty } from './imported-document.ts'
import { textOf } from './imported-text.ts'
import { invoiceInPdf, isPdf } from './pdf-invoice.ts'
import { foreignInUbl, isUbl, readUbl } from './ubl-import.ts'
import { type XmlElement, parseXml, repeatedElement } from './xml-tree.ts'

export type ImportedFile = ImportResult & { seller: ImportedParty | undefined }

/** The caller has bounded the length. */
export const importedFile = (bytes: Uint8Array): ImportedFile => {
  try {
    const document = documentIn(bytes)
    return { ...draftOf(document), seller: document.seller }
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error
    return { ok: false, problems: [unreadable(error)], seller: undefined }
  }
}

const unreadable = ({ message, fix }: FileRefused): Problem => ({
  param: '/file',
  code: 'invalid_value',
  message,
  fix,
})

/** A PDF in a PDF is not opened: nested ones would multiply the work of one file. */
const documentIn = (bytes: Uint8Array): ImportedDocument => {
  if (isPdf(bytes)) return { ...documentInXml(textOf(invoiceInPdf(bytes))), format: 'facturx' }
  const text = textOf(bytes)
  if (/^\s*[{[]/.test(text)) throw new FileRefused('Is JSON.', asDocument)
  return /^\s*</.test(text) ? documentInXml(text) : readCsv(text)
}

const asDocument =
  'send its fields to POST /v1/documents, or a UBL, CII, Factur-X PDF or CSV to this operation'

const documentInXml = (text: string): ImportedDocument => {
  const root = parseXml(text)
  const document = readInvoice(root)
  const repeated = repeatedElement(root)
  if (repeated !== undefined) throw new FileRefused(`Has ${repeated} twice.`)
  return document
}

const readInvoice = (root: XmlElement): ImportedDocument => {
  if (isUbl(root)) {
    checkForeign(foreignInUbl(root), 'UBL')
    return readUbl(root)
  }
  if (isCii(root)) {
    checkForeign(foreignInCii(root), 'CII')
    return readCii(root)
  }
  throw new FileRefused(`Is XML, but its root ${fullNameOf(root)} is no invoice.`)
}

/** An element in another namespace is another one, whatever its name is. */
const checkForeign = (foreign: XmlElement | undefined, format: string): void => {
  if (foreign === undefined) return
  throw new FileRefused(`Has ${fullNameOf(foreign)}, which ${format} has not.`)
}

const fullNameOf = ({ name, namespace }: XmlElement): string => {
  const of = namespace === '' ? 'without a namespace' : `of ${namespace.slice(0, 100)}`
  return `${name.slice(0, 100)} ${of}`
}
