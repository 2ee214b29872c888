/**
 * Payment terms ⇄ due date (domain 3.5).
 *
 * Terms have two halves, a text and a date. The half that the client omits is derived from the
 * document date. `form` records which half was sent: a document issued on another day keeps that
 * half and derives the other one again. The text is stored exactly as sent; contract/terms-forms.ts
 * lists the forms that name a date. Any other text is valid, without a due date.
 */
import { addDays, daysBetween, isDate } from '../dates.ts'
import { moneyBounds, parseDecimal } from '../money.ts'
import type { Problem } from '../../contract/problem.ts'
import type { termsWarningCodes } from '../../contract/terms-forms.ts'
import { type TermsMatch, matchTerms } from './terms-forms.ts'

/** Characters of the text, and days from the document date to any due date (contract 11). */
export const termsBounds = { textCharacters: 200, netDaysMax: 366 } as const
/** After the end of a month, so that the due date stays in bounds whatever the document date is. */
const daysAfterMonthEndMax = termsBounds.netDaysMax - 31

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
  const problems: Problem[] = []
  const parsed = text === null ? undefined : parseTerms(text, documentDate, problems)
  const problem = date === null ? undefined : dueDateProblem(date, input, parsed)
  if (problem !== undefined) problems.push({ param: '/due_date', ...problem })
  if (problems.length > 0) return { ok: false, problems }

  if (parsed !== undefined) return { ok: true, ...textTerms(text, parsed, documentDate) }
  if (date !== null) return { ok: true, ...dateTerms(text, date, documentDate) }
  return { ok: true, ...undatedTerms(text) }
}

/**
 * The terms of a document that is issued under another date. Terms of text form keep the text and
 * move the due date. Terms of date form keep the due date and change the days, unless that date is
 * already past. Throws for terms that `deriveTerms` did not return. A document type without due
 * dates stores none, so its date form is parsed from the text again.
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
  const terms = deriveTerms({ payment_terms: text, document_date: newDocumentDate })
  if (!terms.ok) throw new Error('accepted terms must parse under any document date')
  return terms
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

type TermsProblem = Omit<Problem, 'param'>

/** Undefined for a text of no form, for a contradictory one, and for a text with a problem. */
function parseTerms(
  text: string,
  documentDate: string,
  problems: Problem[],
): ParsedTerms | undefined {
  const match = matchTerms(text)
  const problem = textProblem(text) ?? (match && matchProblem(match, documentDate))
  if (problem !== undefined) problems.push({ param: '/payment_terms', ...problem })
  if (problem !== undefined || match === undefined || isContradictory(match)) return undefined

  const { date, days = '0', percent, early } = match.values
  if (date !== undefined) return { due: date, early: null, form: 'date' }
  const start = match.form.from === 'month_end' ? monthEnd(documentDate) : documentDate
  const due = addDays(start, Number(days))
  if (percent === undefined || early === undefined) return { due, early: null, form: 'text' }
  const until = addDays(documentDate, Number(early))
  return { due, early: { percent: Number(percent), days: Number(early), until }, form: 'text' }
}

/** Temporal takes the last day for one that the month does not have. */
const monthEnd = (date: string): string =>
  Temporal.PlainDate.from(date).with({ day: 31 }).toString()

/** A discount after the due date, as in "2/40 net 30": such a text is kept and derives nothing. */
const isContradictory = ({ values: { early = '0', days = '0' } }: TermsMatch): boolean =>
  Number(early) > Number(days)

function textProblem(text: string): TermsProblem | undefined {
  const { textCharacters } = termsBounds
  if (text.length > textCharacters && [...text].length > textCharacters) {
    const message = `Must be at most ${textCharacters} characters long.`
    return { code: 'too_long', message, fix: 'put longer terms into `notes`' }
  }
  if (text.trim() !== '') return undefined
  const fix = "omit it for the connection's default"
  return { code: 'invalid_value', message: 'Must not be blank.', fix }
}

function matchProblem(match: TermsMatch, documentDate: string): TermsProblem | undefined {
  const { date, days = '0', percent } = match.values
  if (date !== undefined) return dateProblem(date, documentDate)

  const code = 'out_of_range'
  const daysMax = match.form.from === 'month_end' ? daysAfterMonthEndMax : termsBounds.netDaysMax
  if (Number(days) > daysMax) {
    const message = `Must count at most ${daysMax} days (got ${days}).`
    return { code, message, fix: `send ${daysMax} days or fewer` }
  }
  if (percent === undefined) return undefined
  const fix = 'send "2/10 net 30" for 2 % within 10 days, otherwise 30 days net'
  const { max, decimals } = moneyBounds.discountPercent
  const exact = parseDecimal(Number(percent))
  if (exact === undefined || exact.scale > decimals || Number(percent) > max) {
    const message = `The early-payment discount must be 0 to ${max} %, at most ${decimals} decimals.`
    return { code, message, fix }
  }
  return undefined
}

function dateProblem(date: string, documentDate: string): TermsProblem | undefined {
  if (!isDate(date)) {
    const message = `${date} does not exist in the calendar.`
    return { code: 'invalid_value', message, fix: 'send an existing date as YYYY-MM-DD' }
  }
  const code = 'out_of_range'
  if (date < documentDate) {
    const message = `${date} is before the document date ${documentDate}.`
    return { code, message, fix: `send ${documentDate} or later` }
  }
  const last = addDays(documentDate, termsBounds.netDaysMax)
  if (date <= last) return undefined
  const message = `${date} is more than ${termsBounds.netDaysMax} days after the document date.`
  return { code, message, fix: `send ${last} or earlier` }
}

/** Checks the due date itself, then that it agrees with the text. */
function dueDateProblem(
  date: string,
  input: TermsInput,
  parsed?: ParsedTerms,
): TermsProblem | undefined {
  const problem = dateProblem(date, input.document_date)
  if (problem !== undefined) return problem

  const text = input.payment_terms ?? null
  if (parsed === undefined || parsed.due === date) return undefined
  const message = `\`payment_terms\` "${text}" means ${parsed.due}, not ${date}.`
  return { code: 'invalid_value', message, fix: 'send only one of the two; the other is derived' }
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
