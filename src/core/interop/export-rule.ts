/** A rule of others that a document can break in an export (EN 16931, Peppol BIS 3). */
import type { Side } from '../../contract/document-types.ts'
import type { Profile } from '../../contract/shapes/organization.ts'
import type { DocumentContent } from '../documents/content.ts'
import { type ExportedDocument, taxCategoryOf } from './exported-document.ts'

export interface ExportRule {
  /** As its publisher names it, such as BR-S-05. */
  rule: string
  message: string
  /** A fatal one makes receivers refuse the document. */
  isWarning?: true
  /** The fields that break it, as `issuer.vat_id` or `line_items.0.tax_category`. */
  brokenBy(document: ExportedDocument): string[]
}

/** For a rule about one field: that field, if it breaks the rule. */
export const fieldIf = (isBroken: boolean, field: string): string[] => (isBroken ? [field] : [])

/** The field of each line that breaks a rule. */
export const linesIf = (
  { content }: ExportedDocument,
  field: 'tax_category' | 'tax_rate',
  isBroken: (category: string, line: DocumentContent['line_items'][number]) => boolean,
): string[] =>
  content.line_items.flatMap((line, i) =>
    isBroken(taxCategoryOf(line), line) ? [`line_items.${i}.${field}`] : [],
  )

/** The country of the postal address. */
export const countryOf = ({ parties }: ExportedDocument, side: Side): string | undefined =>
  parties[side].address?.country ?? undefined

/** Rules about fields that a profile must have, in the countries where they hold. */
export const requiredFields = (
  applies: (document: ExportedDocument) => boolean,
  fields: readonly { rule: string; side: Side; field: AddressOrId; message: string }[],
): ExportRule[] =>
  fields.map(({ rule, side, field, message }) => ({
    rule,
    message,
    brokenBy: (document) =>
      fieldIf(
        applies(document) && valueOf(document.parties[side], field) == null,
        `${side}.${field}`,
      ),
  }))

type AddressOrId = 'address.line1' | 'address.city' | 'address.postal_code' | 'company_id'

const valueOf = ({ address, company_id }: Profile, field: AddressOrId): string | null | undefined =>
  ({
    'address.line1': address?.line1,
    'address.city': address?.city,
    'address.postal_code': address?.postal_code,
    company_id,
  })[field]
