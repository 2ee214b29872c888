/**
 * The one place where a move would execute or cancel a payment. No rail is connected yet: whoever
 * may pay is told what is missing, after everything else about the move was found legal.
 */
import { refuse } from '../contract/errors.ts'

export const paymentsUnavailable = (): Error =>
  refuse('capability_unavailable', 'No payment processor is connected: nothing can be paid yet.', {
    capability: 'payments',
    reason: 'processor_not_connected',
    blockers: ['payer_processor', 'payee_processor'],
  })
