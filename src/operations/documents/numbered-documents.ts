/** What a file may mean by a number: documents made of files of that number, or our own number. */
import type { Call } from '../../context.ts'
import { withdrawnStates } from '../../contract/conversions.ts'
import { interopLimits } from '../../contract/interop-limits.ts'
import { parseContent } from '../../core/documents/content.ts'
import { visibleSideOf } from '../../core/documents/document-visibility.ts'
import { encodeId } from '../../core/ids.ts'
import type { ImportedDraft } from '../../core/interop/import-draft.ts'
import { minorText } from '../../core/money.ts'
import { type NumberedFile, documentsNumbered } from '../../store/documents/document-imports.ts'
import { hasBrokenSeal } from '../../store/documents/documents.ts'
import type { LoadedDocument } from '../../store/documents/loaded-document.ts'

/**
 * The id of the newest document that says of itself what the file does (docs/decisions/0153). It is
 * read before the draft is made, so two imports of one file at the same moment do not know of each
 * other.
 */
export const earlierDocument = async (
  call: Call,
  connection: string,
  { draft, total }: { draft: ImportedDraft; total: string },
): Promise<string | undefined> => {
  const number = draft.external_refs?.['issuer_ref']
  if (number === undefined) return undefined
  const { document_type: type, document_date: date } = draft
  const found = await numberedDocuments(call, { connection, type, number }, ['cancelled'])
  const earlier = found.find(
    (document) =>
      isFileNumber(document, number) ||
      (document.issuer_number === number &&
        document.document_date === date &&
        minorText(document.total) === total),
  )
  return earlier && encodeId('doc', earlier.id)
}

/** The invoices that a credit note of a file can credit by this number, by uuid. */
export const creditedInvoices = async (
  call: Call,
  connection: string,
  number: string,
): Promise<string[]> => {
  const without = ['draft', ...withdrawnStates]
  const found = await numberedDocuments(call, { connection, type: 'invoice', number }, without)
  return found
    .filter((invoice) => invoice.issuer_number === number || isFileNumber(invoice, number))
    .map(({ id }) => id)
}

/** The newest first. Rows of imports have no seal, so callers compare the documents themselves. */
const numberedDocuments = async (
  { context, organization, read }: Call,
  numbered: Omit<NumberedFile, 'issuer'>,
  without: readonly string[],
): Promise<LoadedDocument[]> => {
  const file = { ...numbered, issuer: organization.id }
  const ids = await documentsNumbered(read, file, {
    without,
    limit: interopLimits.numberedDocumentsMax,
    lookBack: interopLimits.numberedDocumentsLookBack,
  })
  const found = await Promise.all(ids.map((id) => context.documentById(id)))
  return found.filter(
    (document): document is LoadedDocument =>
      document !== undefined &&
      !hasBrokenSeal(document) &&
      visibleSideOf(document, organization) === 'issuer',
  )
}

const isFileNumber = (document: LoadedDocument, number: string): boolean =>
  parseContent(document.content).external_refs['issuer_ref'] === number
