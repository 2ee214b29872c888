/**
 * Payment terms ⇄ due date (domain 3.5).
 *
 * Terms have two halves, a text and a date. The half that the client omits is derived from the
 * document date. `form` records which half was sent: a document issued on another day keeps that
 * half and derives the other one again. The text is stored exactly as sent; contract/terms-forms.ts
 * lists the forms that name a date. Any other text is valid, without a due date.
 */
import { addDays, daysBetween } from '../dates.ts'
import type { Problem } from '../../contract/problem.ts'
import type { termsWarningCodes } from '../../contract/terms-forms.ts'
import { matchTerms } from './terms-forms.ts'
import {
  type TermsProblem,
  dueDateProblem,
  termsBounds,
  termsTextProblem,
} from './terms-problems.ts'
import { dueDateOf, isContradictory } from './terms-due-date.ts'

/** A discount for paying by `until`, `days` after the document date. Informational only. */
export interface EarlyPayment {
  percent: number
  days: number
  until: string
}

/** `net_days` counts from the document date to the due date; both are null without a date. */
export interface PaymentTerms {
  payment_terms: string | null
  net_days: number | null
  due_date: string | null
  early_payment: EarlyPayment | null
  form: 'text' | 'date' | 'none'
}

/** The terms that the client sent. The document date is already validated. */
export interface TermsInput {
  payment_terms?: string | null | undefined
  due_date?: string | null | undefined
  document_date: string
}

export type TermsResult = ({ ok: true } & PaymentTerms) | { ok: false; problems: Problem[] }

export type RedatedTerms =
  | ({ ok: true } & PaymentTerms)
  | { ok: false; reason: 'terms_date_past'; due_date: string }

/**
 * Both halves of the terms, or the problems of `/payment_terms` and `/due_date`. If neither was
 * sent, the form is `none` and the caller supplies the connection's default.
 */
export function deriveTerms(input: TermsInput): TermsResult {
  const text = input.payment_terms ?? null
  const date = input.due_date ?? null
  const documentDate = input.document_date
  const ofText = text === null ? undefined : termsTextProblem(text, documentDate)
  const parsed = ofText === undefined ? parseTerms(text, documentDate) : undefined
  const ofDate = date === null ? undefined : dateHalfProblem(date, input, parsed)
  const problems: Problem[] = []
  if (ofText !== undefined) problems.push({ param: '/payment_terms', ...ofText })
  if (ofDate !== undefined) problems.push({ param: '/due_date', ...ofDate })
  if (problems.length > 0) return { ok: false, problems }

  if (parsed === undefined && date !== null) {
    return { ok: true, ...dateTerms(text, date, documentDate) }
  }
  return { ok: true, ...acceptedTerms(text, documentDate) }
}

/**
 * The terms of a text that was accepted before, such as a connection's default, under any document
 * date: days after the end of a month may then exceed the bound of a due date by the days of the
 * month.
 */
export function acceptedTerms(text: string | null, documentDate: string): PaymentTerms {
  const parsed = parseTerms(text, documentDate)
  return parsed === undefined ? undatedTerms(text) : textTerms(text, parsed, documentDate)
}

/** Checks the due date itself, then that it agrees with the text. */
function dateHalfProblem(
  date: string,
  { payment_terms, document_date }: TermsInput,
  parsed?: ParsedTerms,
): TermsProblem | undefined {
  const problem = dueDateProblem(date, document_date)
  if (problem !== undefined || parsed === undefined || parsed.due === date) return problem
  const message = `\`payment_terms\` "${payment_terms}" means ${parsed.due}, not ${date}.`
  return { code: 'invalid_value', message, fix: 'send only one of the two; the other is derived' }
}

/**
 * The terms of a document that is issued under another date. Terms of text form keep the text and
 * move the due date. Terms of date form keep the due date and change the days, unless that date is
 * already past. A document type without due dates stores none, so its date form is parsed from the
 * text again.
 */
export function redateTerms(
  current: Pick<PaymentTerms, 'payment_terms' | 'due_date' | 'form'>,
  newDocumentDate: string,
): RedatedTerms {
  const text = current.payment_terms
  const match = text === null ? undefined : matchTerms(text)
  const due = current.due_date ?? match?.values.date
  if (current.form === 'date' && due !== undefined) {
    if (due < newDocumentDate) return { ok: false, reason: 'terms_date_past', due_date: due }
    // A text that counts days was derived: the client cannot have sent it with a date form.
    const isDerived = match?.form.from === 'document_date' && !isContradictory(match)
    return { ok: true, ...dateTerms(isDerived ? null : text, due, newDocumentDate) }
  }
  return { ok: true, ...acceptedTerms(text, newDocumentDate) }
}

/** A remark about terms that are accepted; only a dry run shows it. */
export interface TermsWarning {
  param: '/payment_terms'
  code: (typeof termsWarningCodes)[number]
  message: string
}

/** What the author of these terms may not have meant. */
export function termsWarnings({
  payment_terms: text,
  due_date: due,
}: Pick<PaymentTerms, 'payment_terms' | 'due_date'>): TermsWarning[] {
  if (text === null) return []
  const param = '/payment_terms'
  const match = matchTerms(text)
  if (match !== undefined && isContradictory(match)) {
    const { early, days } = match.values
    const message = `The discount period of ${early} days is longer than the ${days} days net, so the text is kept and neither due date nor discount is derived from it. Send "2/10 net 30" for 2 % within 10 days, otherwise 30 days net.`
    return [{ param, code: 'early_period_too_long', message }]
  }
  if (match !== undefined || due !== null) return []
  const message =
    'No due date is derived from this text, so the document never becomes overdue. Send a `due_date` with it, or terms like "Net 30".'
  return [{ param, code: 'no_due_date', message }]
}

interface ParsedTerms {
  due: string
  early: EarlyPayment | null
  form: 'text' | 'date'
}

/** What a text names under this document date; undefined when no due date follows from it. */
function parseTerms(text: string | null, documentDate: string): ParsedTerms | undefined {
  const match = text === null ? undefined : matchTerms(text)
  if (match === undefined || isContradictory(match)) return undefined
  const { date, percent, early } = match.values
  const due = dueDateOf(match, documentDate)
  if (date !== undefined) return { due, early: null, form: 'date' }
  if (percent === undefined || early === undefined) return { due, early: null, form: 'text' }
  const until = addDays(documentDate, Number(early))
  return { due, early: { percent: Number(percent), days: Number(early), until }, form: 'text' }
}

/** Whether a due date follows from the text, so that it cannot stand beside another one. */
export const namesDueDate = (text: string | null): boolean => {
  const match = text === null ? undefined : matchTerms(text)
  return match !== undefined && !isContradictory(match)
}

/** The due date that was sent itself: it did not follow from the text (contract 11). */
export const statedDueDate = ({
  payment_terms: text,
  due_date: due,
  form,
}: Pick<PaymentTerms, 'payment_terms' | 'due_date' | 'form'>): string | null => {
  const isNamed = text !== null && matchTerms(text)?.form.from === 'date'
  return form === 'date' && !isNamed ? due : null
}

function textTerms(text: string | null, parsed: ParsedTerms, documentDate: string): PaymentTerms {
  return {
    payment_terms: text,
    net_days: daysBetween(documentDate, parsed.due),
    due_date: parsed.due,
    early_payment: parsed.early,
    form: parsed.form,
  }
}

function dateTerms(text: string | null, due: string, documentDate: string): PaymentTerms {
  const netDays = daysBetween(documentDate, due)
  return {
    payment_terms: text ?? termsTextOf(due, netDays),
    net_days: netDays,
    due_date: due,
    early_payment: null,
    form: 'date',
  }
}

/** A text from which `deriveTerms` derives this date again, even for an earlier document date. */
function termsTextOf(due: string, netDays: number): string {
  if (netDays > termsBounds.netDaysMax) return `Due ${due}`
  return netDays === 0 ? 'Due on receipt' : `Net ${netDays}`
}

function undatedTerms(text: string | null): PaymentTerms {
  const form = text === null ? 'none' : 'text'
  return { payment_terms: text, net_days: null, due_date: null, early_payment: null, form }
}
