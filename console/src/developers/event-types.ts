/** The types of events, as filters and samples offer them. */
export const eventTypes = [
  'document.created',
  'document.status_changed',
  'document.edited',
  'payment.settled',
  'payment.failed',
  'finance.offer.received',
  'finance.agreement.accepted',
  'finance.agreement.funded',
  'finance.agreement.repaid',
  'finance.agreement.closed',
  'finance.agreement.flagged',
]
