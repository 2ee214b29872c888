/** A document as JSON: its content as issued, with what exports say of parties and references. */
import type { ExportedDocument } from './exported-document.ts'

export const documentJson = (document: ExportedDocument): string => {
  const { type, number, content, parties, references, isDraft, isSandbox } = document
  const { issuer, counterparty, references: _, ...rest } = content
  return `${JSON.stringify({
    document_type: type,
    number,
    draft: isDraft,
    sandbox: isSandbox,
    ...rest,
    issuer: { ...issuer, profile: partyOf(parties.issuer) },
    counterparty: { ...counterparty, profile: partyOf(parties.counterparty) },
    references,
  })}\n`
}

/** Without what only says how the organization likes its own documents rendered. */
const partyOf = ({
  legal_name,
  address,
  vat_id,
  company_id,
  electronic_address,
  bank,
}: ExportedDocument['parties']['issuer']) => ({
  legal_name,
  address,
  vat_id,
  company_id,
  electronic_address,
  bank,
})
