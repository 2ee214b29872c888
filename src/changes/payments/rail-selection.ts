/**
 * Selects the rail of a payment (domain 4.5): the simulator in a sandbox, otherwise the processor
 * to which both organizations are connected.
 */
import { refuse } from '../../contract/errors.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'

export interface PaymentParties {
  payer: string
  payee: string
}

/** The rail's name; refuses a live payment unless both organizations are connected. */
export const selectRail = (
  { unit, isWithoutProcessor }: ChangeContext,
  document: Pick<DocumentRow, 'mode' | 'currency'>,
  { payer, payee }: PaymentParties,
): string => {
  if (document.mode === 'test') return 'simulator'
  const [payerAccount, payeeAccount] = [payer, payee].map((party) =>
    isWithoutProcessor ? undefined : unit.get('processor_accounts', party),
  )
  const methods = JSON.parse(payerAccount?.payment_methods ?? '{}') as Record<string, string>
  const blockers = [
    ...(payerAccount?.customer_reference && methods[document.currency] ? [] : ['payer_processor']),
    ...(payeeAccount?.payout_reference ? [] : ['payee_processor']),
  ]
  if (blockers.length === 0) return payerAccount!.rail
  throw refuse(
    'capability_unavailable',
    'A live payment needs both organizations connected to the payment processor.',
    { capability: 'payments', reason: 'processor_not_connected', blockers },
  )
}
