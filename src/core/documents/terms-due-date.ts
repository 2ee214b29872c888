/** The due date that payment terms name (domain 3.5). */
import { addDays } from '../dates.ts'
import type { TermsMatch } from './terms-forms.ts'

/** The due date that a text of this form names under the document date. */
export const dueDateOf = ({ form, values }: TermsMatch, documentDate: string): string => {
  if (values.date !== undefined) return values.date
  const start = form.from === 'month_end' ? monthEnd(documentDate) : documentDate
  return addDays(start, Number(values.days ?? '0'))
}

/** Temporal takes the last day for one that the month does not have. */
const monthEnd = (date: string): string =>
  Temporal.PlainDate.from(date).with({ day: 31 }).toString()

/** A discount after the due date, as in "2/40 net 30": such a text is kept and derives nothing. */
export const isContradictory = ({ values: { early = '0', days = '0' } }: TermsMatch): boolean =>
  Number(early) > Number(days)
