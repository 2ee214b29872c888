/** What was made of a file before (docs/decisions/0153). */
import type { Call } from '../../context.ts'
import { interopLimits } from '../../contract/interop-limits.ts'
import { parseContent } from '../../core/documents/content.ts'
import { visibleSideOf } from '../../core/documents/document-visibility.ts'
import { encodeId } from '../../core/ids.ts'
import type { ImportedDraft } from '../../core/interop/import-draft.ts'
import { minorText } from '../../core/money.ts'
import { documentsNumbered } from '../../store/documents/document-imports.ts'
import { type LoadedDocument, hasBrokenSeal } from '../../store/documents/documents.ts'

/**
 * The id of the newest document that says of itself what the file does. It is read before the draft
 * is made, so two imports of one file at the same moment do not know of each other.
 */
export const earlierDocument = async (
  { context, organization, read }: Call,
  connection: string,
  { draft, total }: { draft: ImportedDraft; total: string },
): Promise<string | undefined> => {
  const number = draft.external_refs?.['issuer_ref']
  if (number === undefined) return undefined
  const { document_type: type, document_date: date } = draft
  const file = { issuer: organization.id, connection, type, number }
  const ids = await documentsNumbered(read, file, {
    limit: interopLimits.earlierImportsMax,
    lookBack: interopLimits.earlierImportsLookBack,
  })
  const found = await Promise.all(ids.map((id) => context.documentById(id)))
  const isEarlier = (document: LoadedDocument): boolean =>
    parseContent(document.content).external_refs['issuer_ref'] === number ||
    (document.issuer_number === number &&
      document.document_date === date &&
      minorText(document.total) === total)
  const earlier = found.find(
    (document): document is LoadedDocument =>
      document !== undefined &&
      !hasBrokenSeal(document) &&
      visibleSideOf(document, organization) === 'issuer' &&
      isEarlier(document),
  )
  return earlier && encodeId('doc', earlier.id)
}
