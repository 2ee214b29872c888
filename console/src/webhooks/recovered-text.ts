/** How many events a recovery sends, in words. */
import type { Recovered } from '../api/types.ts'

export const eventsText = (count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'event' : 'events'}`

/** One call looks at so many events only: what follows is offered next. */
export const amountText = ({ scheduled, next_since }: Recovered): string =>
  next_since === null ? eventsText(scheduled) : `the first ${eventsText(scheduled)}`
