/** What an event says, in a few words beside its type. */
import type { Event } from '../api/types.ts'
import { Money, wordsOf } from '../design/format.tsx'

export const EventSummary = ({ event: { type, data } }: { event: Event }) => {
  const { document } = data
  const sum = (amount: number) => <Money amount={amount} currency={document.currency} />
  switch (type) {
    case 'document.created':
    case 'document.edited':
      return (
        <>
          {wordsOf(document.status)}, {sum(document.total)}
        </>
      )
    case 'document.status_changed': {
      const { previous_status: before, cause } = data
      return [
        ...(before === undefined ? [] : [wordsOf(before), ' → ']),
        wordsOf(document.status),
        ...(cause === undefined ? [] : [', ', cause.replaceAll('_', ' ')]),
      ]
    }
    case 'payment.settled':
    case 'finance.agreement.funded':
      return sum(data.payment.amount)
    case 'payment.failed':
      return (
        <>
          {sum(data.payment.amount)}, {data.reason.replaceAll('_', ' ')}
        </>
      )
    case 'finance.offer.received':
      return sum(data.offer.terms.principal)
    case 'finance.agreement.accepted':
      return sum(data.agreement.terms.principal)
    case 'finance.agreement.repaid':
      return (
        <>
          {sum(data.payment.amount)}
          {data.swept && ' from the invoice'}
        </>
      )
    case 'finance.agreement.closed':
      return wordsOf(data.closed_reason)
    case 'finance.agreement.flagged':
      return wordsOf(data.flag.code)
  }
}
