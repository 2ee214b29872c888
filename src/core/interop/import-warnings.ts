/** What a file says that is taken, and that somebody should look at before the draft is issued. */
import { interopLimits } from '../../contract/interop-limits.ts'
import type { ImportWarning } from '../../contract/shapes/imports.ts'
import type { ImportedDraft } from './import-draft.ts'
import type { ImportedDocument, ImportedParty } from './imported-document.ts'
import { compactIdentifier } from '../identity/business-identifiers.ts'
import { type KnownParty, partyDifference } from './party-comparison.ts'

export interface RecordsBesideFile {
  /** The seller of the draft. */
  caller: KnownParty
  /** The other side of the connection. */
  other: KnownParty
  /** The id of the document that such a file made before. */
  earlier: string | undefined
  /** The default terms of the connection. */
  defaultTerms: string | null
}

/** What was made of the file, with the warnings of its texts. */
interface WarnedFile {
  buyer: ImportedParty
  payment: Pick<ImportedDocument, 'payee' | 'accounts'>
  draft: ImportedDraft
  warnings: readonly ImportWarning[]
}

export const warningsOf = (
  { buyer, payment, draft, warnings }: WarnedFile,
  { caller, other, earlier, defaultTerms }: RecordsBesideFile,
): ImportWarning[] =>
  [
    buyerWarning(buyer, other),
    payeeWarning(payment, caller),
    accountWarning(payment, caller),
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

/** Whoever is paid for a document here is its seller. */
const payeeWarning = (
  { payee }: WarnedFile['payment'],
  caller: KnownParty,
): ImportWarning | undefined => {
  const { field, file, record } = (payee && partyDifference(payee, caller)) ?? { file: null }
  if (file === null) return undefined
  return {
    code: 'payee_differs',
    field: `payee.${field}`,
    message: 'The file is to be paid to another party than its seller; the draft is paid to you.',
    file: file.slice(0, 100),
    record: record!,
  }
}

/** Where the profile has an IBAN, the file names it among its accounts, or none. */
const accountWarning = (
  { accounts: [account, ...others] }: WarnedFile['payment'],
  { profile: { bank } }: KnownParty,
): ImportWarning | undefined => {
  const iban = bank?.iban ?? null
  if (account === undefined || iban === null) return undefined
  const isOurs = (one: string) => compactIdentifier(one) === compactIdentifier(iban)
  if ([account, ...others].some(isOurs)) return undefined
  return {
    code: 'payee_differs',
    field: 'issuer.bank.iban',
    message: 'The file names another account than your profile, which exports of the draft name.',
    file: account.slice(0, 100),
    record: iban,
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
