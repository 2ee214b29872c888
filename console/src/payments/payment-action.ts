/** What a person can do about a payment in the list. */
import type { Session } from '../api/session.ts'
import type { DocumentRecord, Payment } from '../api/types.ts'
import type { Decision } from '../documents/requested-action.tsx'
import { movesOf, payRefusal } from '../documents/moves.ts'

/** Undefined for one that is done, on its way, or of the other side, or whose document is not owed. */
export const verbOf = (
  { direction, status }: Payment,
  isDocumentPayable: boolean,
): string | undefined => {
  if (direction !== 'outgoing') return undefined
  if (status === 'scheduled') return 'Cancel'
  return status === 'failed' && isDocumentPayable ? 'Pay again' : undefined
}

/** Both are moves of its document: a failed payment has made it payable again. */
export const decisionOf =
  (payment: Payment) =>
  (document: DocumentRecord, session: Session): Decision => {
    if (payment.status === 'failed')
      return { action: 'pay', refusal: payRefusal(document, session) }
    const move = movesOf(document).find(({ to }) => to === 'approved') ?? null
    const isCurrent = document.payment?.id === payment.id
    return {
      action: move,
      refusal: isCurrent ? move?.refusal : 'Its document has another payment.',
    }
  }
