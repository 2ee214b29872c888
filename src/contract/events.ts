/** Event types (specification 6.1) and their meanings. */
export const eventTypes = {
  'document.created': 'A document was created, or became visible to the counterparty.',
  'document.status_changed': "A document's status changed.",
  'document.edited': 'A document was edited.',
  'payment.settled': 'A payment settled.',
  'payment.failed': 'A payment failed; the document is payable again.',
  'finance.offer.received': 'A finance offer was received.',
  'finance.agreement.accepted': 'A finance agreement was accepted.',
  'finance.agreement.funded': 'A finance agreement was funded.',
  'finance.agreement.repaid': 'A finance agreement was repaid.',
  'finance.agreement.closed': 'A finance agreement was closed.',
  'finance.agreement.flagged': 'A finance agreement was flagged.',
} as const

export type EventType = keyof typeof eventTypes

export const eventTypeNames = Object.keys(eventTypes) as readonly EventType[]
