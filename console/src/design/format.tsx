/** Amounts, dates and times, always in the same form. */
import { serviceNow } from '../api/service-clock.ts'
import type { Currency } from '../api/types.ts'
import { dateText, shortDateText, timeText } from './dates.ts'
import { type MoneyStyle, moneyText } from './money.ts'

interface MoneyProps extends MoneyStyle {
  amount: number
  currency: Currency
}

export const Money = ({ amount, currency, ...style }: MoneyProps) => (
  <span className="tabular whitespace-nowrap">{moneyText(amount, currency, style)}</span>
)

/** Numbers of documents are not broken at their hyphen. */
export const Sentence = ({ text }: { text: string }) =>
  text.split(/(\b[A-Z]+-\d+\b)/).map((part, i) =>
    i % 2 === 0 ? (
      part
    ) : (
      <span key={i} className="whitespace-nowrap">
        {part}
      </span>
    ),
  )

interface DateProps {
  date: string | null | undefined
  /** In a list with many columns: a day of this year is shown without the year. */
  isShort?: boolean
}

export const DateText = ({ date, isShort = false }: DateProps) =>
  date ? (
    <time
      dateTime={date}
      title={isShort ? dateText(date) : undefined}
      className="whitespace-nowrap"
    >
      {isShort && date.startsWith(`${new Date(serviceNow()).getUTCFullYear()}-`)
        ? shortDateText(date)
        : dateText(date)}
    </time>
  ) : (
    <span className="text-faint">–</span>
  )

interface TimeProps {
  at: string | null | undefined
  absent?: string
  isExact?: boolean
}

/** A moment in the reader's zone, with UTC on hover. */
export const Time = ({ at, absent = '–', isExact = false }: TimeProps) =>
  at ? (
    <time
      dateTime={at}
      title={`${at.replace('T', ' ').replace('Z', ' UTC')}`}
      className="md:whitespace-nowrap"
    >
      {timeText(at, isExact ? 'medium' : 'short')}
    </time>
  ) : (
    <span className="text-faint">{absent}</span>
  )

const agoUnits = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
/** Words of a sentence, so in its language; a date alone has the form that the reader is used to. */
const agoFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

const agoText = (at: string, now = serviceNow()): string => {
  const seconds = (Date.parse(at) - now) / 1000
  for (const [unit, size] of agoUnits)
    if (Math.abs(seconds) >= size) return agoFormat.format(Math.round(seconds / size), unit)
  return 'just now'
}

export const Ago = ({ at, absent = 'never' }: TimeProps) =>
  at ? (
    <time dateTime={at} title={timeText(at, 'medium')} className="whitespace-nowrap">
      {agoText(at)}
    </time>
  ) : (
    <span className="text-faint">{absent}</span>
  )

/** `payment_scheduled` → Payment scheduled. */
export const wordsOf = (name: string): string => {
  const words = name.replaceAll(/[_.]/g, ' ').replace('topup', 'top-up').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const lengths = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** In the largest unit of which there are two, rounded up. */
export const durationText = (ms: number): string => {
  const [unit, length] = lengths.find(([, one]) => ms >= 2 * one) ?? lengths.at(-1)!
  const count = Math.max(Math.ceil(ms / length), 1)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** ACH and SEPA are names, Faster Payments is two words. */
export const methodText = (method: string): string =>
  method.length <= 4 ? method.toUpperCase() : wordsOf(method)
