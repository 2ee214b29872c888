/** The row of a payment before anything has happened to it. */
import type { PaymentRow } from '../../store/payments/payments.ts'
import { type Actor, type DocumentRow, actorForBoth, actorForOwnSide } from '../change-context.ts'

const beforeAnything = {
  payer_position: 0n,
  payee_position: 0n,
  out_tx: null,
  in_tx: null,
  attempts: 0,
  settlement_reference: null,
  failure_code: null,
  failure_message: null,
  processing_at: null,
  settled_at: null,
  failed_at: null,
  returned_at: null,
} as const satisfies Partial<PaymentRow>

type FromDocument = 'mode' | 'document_id' | 'connection_id' | 'currency'

/** Who pays whom how much, how, from where and why. */
type PaymentOrder = Omit<
  PaymentRow,
  keyof typeof beforeAnything | FromDocument | 'created_at' | 'updated_at'
>

export const newPayment = (document: DocumentRow, at: string, order: PaymentOrder): PaymentRow => ({
  ...beforeAnything,
  ...order,
  mode: document.mode,
  document_id: document.id,
  connection_id: document.connection_id,
  currency: document.currency,
  created_at: at,
  updated_at: at,
})

/** As `payments.initiated_by` has it: of a person, only the organization. */
export const initiatedBy = (actor: Actor): string =>
  JSON.stringify(
    actor.kind === 'system'
      ? { kind: 'system', organization_id: null }
      : { ...actorForBoth(actor), ...(actor.kind === 'api_key' ? actorForOwnSide(actor) : {}) },
  )
