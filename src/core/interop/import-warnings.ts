/** What a file says that is taken, and that somebody should look at before the draft is issued. */
import { interopLimits } from '../../contract/interop-limits.ts'
import type { ImportWarning } from '../../contract/shapes/imports.ts'
import type { ImportedDraft } from './import-draft.ts'
import type { ImportedParty } from './imported-document.ts'
import { type KnownParty, partyDifference } from './party-comparison.ts'

export interface RecordsBesideFile {
  /** The other side of the connection. */
  other: KnownParty
  /** The id of the document that such a file made before. */
  earlier: string | undefined
  /** Of the connection. */
  defaultTerms: string | null
}

/** What was made of the file, with the warnings of its texts. */
interface WarnedFile {
  buyer: ImportedParty
  draft: ImportedDraft
  warnings: readonly ImportWarning[]
}

export const warningsOf = (
  { buyer, draft, warnings }: WarnedFile,
  { other, earlier, defaultTerms }: RecordsBesideFile,
): ImportWarning[] =>
  [
    buyerWarning(buyer, other),
    earlierWarning(draft, earlier),
    defaultTermsWarning(draft, defaultTerms),
    ...warnings,
  ]
    .filter((warning) => warning !== undefined)
    .slice(0, interopLimits.importReportMaxEntries)

/** The buyer is always the other side of the connection: a file without one names nobody else. */
const buyerWarning = (buyer: ImportedParty, other: KnownParty): ImportWarning | undefined => {
  const { field, file, record } = partyDifference(buyer, other) ?? { file: null }
  if (file === null) return undefined
  return {
    code: 'buyer_differs',
    field: `counterparty.${field}`,
    message:
      'The buyer in the file is not the other side of the connection, to whom the draft is addressed.',
    file: file.slice(0, 100),
    record: record!,
  }
}

/** The same number from the same seller for the same buyer is most likely the same document. */
const earlierWarning = (
  { external_refs }: ImportedDraft,
  earlier: string | undefined,
): ImportWarning | undefined =>
  earlier === undefined
    ? undefined
    : {
        code: 'imported_before',
        field: 'external_refs.issuer_ref',
        message: 'There is a document of this type, number and connection already.',
        file: external_refs!['issuer_ref']!,
        record: earlier,
      }

/** As in a draft that is created without terms. */
const defaultTermsWarning = (
  { payment_terms, due_date }: ImportedDraft,
  defaultTerms: string | null,
): ImportWarning | undefined =>
  payment_terms !== undefined || due_date !== undefined || defaultTerms === null
    ? undefined
    : {
        code: 'default_terms',
        field: 'payment_terms',
        message:
          'The file has neither terms nor a due date: the draft has the default of the connection.',
        file: null,
        record: defaultTerms,
      }
