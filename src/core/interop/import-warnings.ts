/** What a file says that is taken, and that somebody should look at before the draft is issued. */
import type { ImportWarning } from '../../contract/shapes/imports.ts'
import type { ImportedDraft } from './import-draft.ts'
import type { ImportedParty } from './imported-document.ts'
import { type KnownParty, partyDifference } from './party-comparison.ts'

/** The buyer is always the other side of the connection: a file without one names nobody else. */
export const buyerWarnings = (buyer: ImportedParty, other: KnownParty): ImportWarning[] => {
  const difference = partyDifference(buyer, other)
  if (difference === undefined || difference.file === null) return []
  const { field, file, record } = difference
  return [
    {
      code: 'buyer_differs',
      field: `counterparty.${field}`,
      message:
        'The buyer in the file is not the other side of the connection, to whom the draft is addressed.',
      file: file.slice(0, 100),
      record,
    },
  ]
}

/** The same number from the same seller for the same buyer is most likely the same document. */
export const earlierWarnings = (
  { external_refs }: ImportedDraft,
  earlier: string | undefined,
): ImportWarning[] =>
  earlier === undefined
    ? []
    : [
        {
          code: 'imported_before',
          field: 'external_refs.issuer_ref',
          message: 'There is a document of this type, number and connection already.',
          file: external_refs!['issuer_ref']!,
          record: earlier,
        },
      ]
