/**
 * What follows by itself from what has happened to a document (domain 2, the rows of the system):
 * a balance that is gone, an order that is invoiced in full.
 */
import { readContent } from './content.ts'
import { exactMinor } from '../money.ts'
import { type DocumentRecord, balanceDue } from './projection.ts'

type Facts = Pick<
  DocumentRecord,
  'type' | 'status' | 'total' | 'amount_paid' | 'amount_credited' | 'content'
> & { claimed: bigint }

/** The state the service moves the document to at once; undefined when it stays where it is. */
export const consequenceOf = (document: Facts): string | undefined => {
  const { type, status } = document
  const isSettled = balanceDue(document) === 0n
  if (status === 'approved' && isSettled) return 'paid'
  if (type === 'credit_note' && status === 'submitted' && isSettled) return 'applied'
  const isOpen = ['submitted', 'acknowledged', 'disputed'].includes(status)
  if (type === 'invoice' && isOpen && isSettled && document.amount_credited > 0n) return 'paid'
  if (type === 'purchase_order' && status === 'accepted' && isInvoiced(document)) return 'fulfilled'
  return undefined
}

const isInvoiced = ({ claimed, content }: Facts): boolean =>
  claimed > 0n && claimed >= subtotalOf(content)

/** The subtotal of a stored document, in cents. */
export const subtotalOf = (content: string): bigint => exactMinor(readContent(content).subtotal)!
