/** An example of each event type, about the café's bill or a loan. */
import type { EventType } from '../../contract/events.ts'
import { exampleDocuments } from './documents.ts'
import { financeEventData } from './finance-events.ts'
import { outgoingPayment } from './payments.ts'
import { exampleEvent } from './webhooks.ts'

const { approvedBill } = exampleDocuments

const failedPayment = {
  ...outgoingPayment,
  status: 'failed',
  settlement_reference: null,
  failure: { code: 'insufficient_funds', message: 'The account does not hold the amount.' },
}

/** The fields of `data` besides the document. */
const dataOf: Partial<Record<EventType, object>> = {
  'document.status_changed': { previous_status: 'submitted' },
  'payment.settled': {
    payment: outgoingPayment,
    settlement_reference: outgoingPayment.settlement_reference,
  },
  'payment.failed': { payment: failedPayment, reason: 'insufficient_funds', payable: true },
}

export const exampleEventOf = (type: EventType): object => ({
  ...exampleEvent(approvedBill),
  type,
  data: { document: approvedBill, ...dataOf[type], ...financeEventData[type] },
})
