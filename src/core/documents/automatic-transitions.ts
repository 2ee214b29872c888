/** Transitions that the service makes by itself, such as on a zero balance (domain 2). */
import { parseContent } from './content.ts'
import { parseMinor } from '../money.ts'
import { balanceDue } from './projection.ts'
import type { DocumentRecord } from './document-record.ts'

type AutomaticTransitionFacts = Pick<
  DocumentRecord,
  'type' | 'status' | 'total' | 'amount_paid' | 'amount_credited' | 'content'
> & { derived_amount: bigint }

/** The status to which the service moves the document now; undefined when it does not. */
export const automaticTargetOf = (document: AutomaticTransitionFacts): string | undefined => {
  const { type, status } = document
  const isSettled = balanceDue(document) === 0n
  if (status === 'approved' && isSettled) return 'paid'
  if (type === 'credit_note' && status === 'submitted' && isSettled) return 'applied'
  const isOpen = ['submitted', 'acknowledged', 'disputed'].includes(status)
  if (type === 'invoice' && isOpen && isSettled && document.amount_credited > 0n) return 'paid'
  if (type === 'purchase_order' && status === 'accepted' && isInvoicedInFull(document))
    return 'fulfilled'
  return undefined
}

const isInvoicedInFull = ({ derived_amount, content }: AutomaticTransitionFacts): boolean =>
  derived_amount > 0n && derived_amount >= subtotalOf(content)

/** The subtotal of a stored document, in cents. */
export const subtotalOf = (content: string): bigint => parseMinor(parseContent(content).subtotal)!
