/**
 * What keeps a draft from being issued now (specification 3, domain 1 and 2.2, contract 11): the
 * refusals of an issue and the `blockers` of a draft are this one list.
 */
import { conversionsOf, withdrawnStates } from '../../contract/conversions.ts'
import { type DocumentTypeName, type Side, documentTypes } from '../../contract/document-types.ts'
import type { IssueBlocker } from '../../contract/conflict-reasons.ts'
import { type Refusal, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { type DocumentContent, hasReferences, lazyContent } from '../../core/documents/content.ts'
import { type RedatedTerms, redateTerms } from '../../core/documents/payment-terms.ts'
import { encodeId } from '../../core/ids.ts'
import { fromMinor, minorText } from '../../core/money.ts'
import { parsePayment } from '../../core/payments/payment-record.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { SourceRow } from '../../store/documents/issue-facts.ts'
import type { DocumentRow, NewDocumentRow } from '../change-context.ts'
import { todayOf } from '../organization-clock.ts'
import { conversionObstacle } from './conversion.ts'
import { frozen, onHold } from './document-access.ts'
import { defaultValidUntil } from './draft-content.ts'
import { connectionObstacle } from './draft-references.ts'
import { type SourceDocument, sourcesOf } from './source-allocations.ts'

/** The columns of a draft that decide whether it can be issued, besides its content. */
export type IssuableDraft = Pick<
  DocumentRow,
  | 'type'
  | 'issuer_id'
  | 'total'
  | 'valid_until'
  | 'is_frozen'
  | 'integrity_hold'
  | 'document_date_given'
  | 'valid_until_given'
  | 'terms_form'
>

export interface IssueFacts {
  draft: IssuableDraft
  /** Most drafts are judged without it, so it is parsed when it is asked for. */
  contentOf(): DocumentContent
  connectionStatus: string
  sources: readonly SourceDocument<SourceRow>[]
  /** Today's date by the issuer's clock. */
  today: string
}

/** The refusals of an issue, the one that is answered first. */
export const issueObstacles = (facts: IssueFacts): Refusal[] => {
  const { draft, connectionStatus, sources } = facts
  return [
    draft.is_frozen ? frozen() : undefined,
    draft.integrity_hold ? onHold('The document') : undefined,
    connectionObstacle(connectionStatus),
    termsObstacle(facts),
    offerObstacle(facts),
    ...sources.map((source) => sourceObstacle(facts, source)),
  ].filter((obstacle) => obstacle !== undefined)
}

/** The reasons of these refusals, each once. */
export const issueBlockersOf = (facts: IssueFacts): readonly IssueBlocker[] => {
  const reasons = issueObstacles(facts).map(({ details }) => details!['reason'] as IssueBlocker)
  return reasons.length > 1 ? [...new Set(reasons)] : reasons
}

/** The facts of a draft that was loaded with its connection and the documents it refers to. */
export const issueFactsOf = (unit: UnitOfWork, draft: NewDocumentRow): IssueFacts => {
  const contentOf = lazyContent(draft.content)
  const references = hasReferences(draft.content) ? contentOf().references : []
  return {
    draft,
    contentOf,
    connectionStatus: unit.get('connections', draft.connection_id)!.status,
    sources: sourcesOf(unit, draft, references),
    today: todayOf(unit, draft.issuer_id),
  }
}

export interface DatesAtIssue {
  document_date: string
  terms: RedatedTerms
  valid_until: string | null
}

/** A draft without a chosen date gets the day of issue, and its terms move with it. */
export const datesAtIssue = (facts: IssueFacts): DatesAtIssue => ({
  document_date: documentDateAtIssue(facts),
  terms: termsAtIssue(facts),
  valid_until: lastDayAtIssue(facts),
})

const documentDateAtIssue = ({ draft, contentOf, today }: IssueFacts): string =>
  draft.document_date_given ? contentOf().document_date : today

const termsAtIssue = (facts: IssueFacts): RedatedTerms => {
  const { payment_terms, due_date } = facts.contentOf()
  const form = facts.draft.terms_form as 'text' | 'date' | 'none'
  return redateTerms({ payment_terms, due_date, form }, documentDateAtIssue(facts))
}

const lastDayAtIssue = (facts: IssueFacts): string | null => {
  const { valid_until_given, valid_until } = facts.draft
  if (valid_until_given) return valid_until
  const type = facts.draft.type as DocumentTypeName
  if (documentTypes[type].validDays === null) return null
  return defaultValidUntil(type, documentDateAtIssue(facts))
}

/** Terms that count days move with the document; only those of a date can be past. */
const termsObstacle = (facts: IssueFacts): Refusal | undefined => {
  if (facts.draft.terms_form !== 'date') return undefined
  const terms = termsAtIssue(facts)
  return terms.ok ? undefined : pastTerms(facts.draft.type as DocumentTypeName, terms.due_date)
}

const offerObstacle = (facts: IssueFacts): Refusal | undefined => {
  const lastDay = lastDayAtIssue(facts)
  if (lastDay === null || lastDay >= facts.today) return undefined
  return datePast(`The offer was valid until ${lastDay}, which is past: send a new valid_until`)
}

const pastTerms = (type: DocumentTypeName, due: string): Refusal =>
  datePast(
    documentTypes[type].hasDueDate
      ? `The due date ${due} is past: send a new due_date or payment_terms`
      : `The terms name ${due}, which is past: send new payment_terms`,
  )

const datePast = (what: string): Refusal =>
  refuse('conflict', `${what} with PATCH, then issue.`, { reason: 'terms_date_past' })

const sourceObstacle = (
  { draft, contentOf }: IssueFacts,
  source: SourceDocument<SourceRow>,
): Refusal | undefined => {
  const { document, rel } = source
  if (document.integrity_hold) return onHold(`Document ${encodedIdOf(document)}`)
  if (document.issued_at === null) return notIssued(document)
  if (source.taken >= referencesMaxOf(source)) return tooManyReferences(document)
  if (rel === 'credits') return creditObstacle(draft, contentOf(), source)
  if (!isMadeFrom(draft, source)) return undefined
  const side = issuingSide(draft, document)
  return conversionObstacle(document, { side, to: draft.type, remedy: ` ${otherReference}` })
}

/** Credit notes move money, so no other reference takes their room (docs/decisions/0270). */
const referencesMaxOf = ({ effect }: SourceDocument<SourceRow>): number =>
  limits.referencesPerSideMax * (effect === 'credit' ? 2 : 1)

const tooManyReferences = (document: SourceRow): Refusal =>
  refuse(
    'conflict',
    `Documents of this side refer to ${encodedIdOf(document)} ${limits.referencesPerSideMax} times or more, so it takes no further reference. Leave it out of \`references\` with PATCH, then issue.`,
    {
      reason: 'too_many_changes',
      limit: limits.referencesPerSideMax,
      document_id: encodedIdOf(document),
    },
  )

const otherReference = 'Change `references` with PATCH, or move the draft to cancelled.'

/** Whether the draft was converted from the source; a contract's children have no effect on it. */
const isMadeFrom = (
  draft: IssuableDraft,
  { rel, document, effect }: SourceDocument<SourceRow>,
): boolean =>
  effect !== undefined ||
  (rel === 'converts' &&
    conversionsOf(document.type, issuingSide(draft, document)).includes(
      draft.type as DocumentTypeName,
    ))

const issuingSide = (draft: IssuableDraft, source: SourceRow): Side =>
  draft.issuer_id === source.issuer_id ? 'issuer' : 'counterparty'

const notIssued = (document: SourceRow): Refusal =>
  refuse(
    'conflict',
    `The referenced document ${encodedIdOf(document)} ${
      document.status === 'draft'
        ? 'is a draft that the other side cannot see: issue it first, or leave the reference out.'
        : `was ${document.status} before the other side saw it: leave the reference out.`
    }`,
    { reason: 'reference_not_issued', document_id: encodedIdOf(document) },
  )

/** Domain 2.2: an issued invoice of the same issuer, with enough left to credit. */
const creditObstacle = (
  draft: IssuableDraft,
  content: DocumentContent,
  { document: invoice, effect }: SourceDocument<SourceRow>,
): Refusal | undefined => {
  const left = creditableOf(invoice)
  const obstacle =
    effect === 'credit'
      ? whyNotCreditable(draft, content, { invoice, left })
      : `is not an invoice of yours: a credit note credits an invoice of the same issuer. ${otherReference}`
  if (obstacle === undefined) return undefined
  return refuse('conflict', `${invoice.issuer_number} ${obstacle}`, {
    reason: 'not_creditable',
    document_id: encodedIdOf(invoice),
    ...(effect === 'credit' ? { creditable: fromMinor(left) } : {}),
  })
}

/** Continues a sentence that begins with the number of the invoice. */
const whyNotCreditable = (
  { total }: IssuableDraft,
  { currency }: DocumentContent,
  { invoice, left }: { invoice: SourceRow; left: bigint },
): string | undefined => {
  const { status } = invoice
  if (withdrawnStates.includes(status))
    return `is ${status}: nothing is left to credit. ${otherReference}`
  if (status === 'payment_scheduled') return paymentObstacle(invoice)
  if (invoice.currency !== currency)
    return `is in ${invoice.currency}: a credit note must use the currency of its invoice.`
  if (total <= left) return undefined
  if (left === 0n) return `has nothing left to credit. ${otherReference}`
  return `has ${minorText(left)} ${currency} left to credit: credit at most that much.`
}

/** What a note can credit of an invoice now: nothing while it is being paid or once withdrawn. */
const creditableOf = ({ status, total, derived_amount: credited }: SourceRow): bigint =>
  status === 'payment_scheduled' || withdrawnStates.includes(status) ? 0n : total - credited

/** Why an invoice that is being paid cannot be credited, and when it can. */
const paymentObstacle = ({ payment }: SourceRow): string => {
  const { status, scheduled_for, amount, currency } = parsePayment(payment!)
  const described = `a payment of ${minorText(amount)} ${currency}`
  if (status === 'settled')
    return `has ${described} that has just settled: credit it once it is paid.`
  return status === 'scheduled'
    ? `has ${described} scheduled for ${scheduled_for}: credit it once that has settled or its payer calls it off.`
    : `has ${described} under way: credit it once that has settled or failed.`
}

const encodedIdOf = ({ id }: SourceRow): string => encodeId('doc', id)
