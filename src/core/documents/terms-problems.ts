/** What is refused about payment terms and due dates, and why (domain 3.5, contract 11). */
import { addDays, isDate } from '../dates.ts'
import { moneyBounds, parseDecimal } from '../money.ts'
import type { Problem } from '../../contract/problem.ts'
import { dueDateOf } from './terms-due-date.ts'
import { type TermsMatch, matchTerms } from './terms-forms.ts'

/** Characters of the text, and days from the document date to any due date (contract 11). */
export const termsBounds = { textCharacters: 200, netDaysMax: 366 } as const

export type TermsProblem = Omit<Problem, 'param'>

/** What is wrong with the text as terms of a document of this date. */
export const termsTextProblem = (text: string, documentDate: string): TermsProblem | undefined => {
  const match = matchTerms(text)
  return wordsProblem(text) ?? (match && matchProblem(match, documentDate))
}

function wordsProblem(text: string): TermsProblem | undefined {
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
  if (date !== undefined) return dueDateProblem(date, documentDate)

  const code = 'out_of_range'
  const { netDaysMax } = termsBounds
  if (Number(days) > netDaysMax) {
    const message = `Must count at most ${netDaysMax} days (got ${days}).`
    return { code, message, fix: `send ${netDaysMax} days or fewer` }
  }
  const due = dueDateOf(match, documentDate)
  if (due > addDays(documentDate, netDaysMax)) {
    const message = `${days} days after the end of the month are ${due}, more than ${netDaysMax} days after the document date.`
    return { code, message, fix: 'send fewer days' }
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

export function dueDateProblem(date: string, documentDate: string): TermsProblem | undefined {
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
