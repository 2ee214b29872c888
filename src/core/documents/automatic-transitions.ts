/**
 * What follows by itself from what has happened to a document (domain 2, the rows of the system):
 * a balance that is gone, an order that is invoiced in full.
 */
import { parseContent } from './content.ts'
import { parseMinor } from '../money.ts'
import { type DocumentRecord, balanceDue } from './projection.ts'

type AutomaticTransitionFacts = Pick<
  DocumentRecord,
  'type' | 'status' | 'total' | 'amount_paid' | 'amount_credited' | 'content'
> & { derived_amount: bigint }

/** The state the service moves the document to at once; undefined when it stays where it is. */
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
