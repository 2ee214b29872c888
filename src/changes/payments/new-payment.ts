/** The row of a payment before anything has happened to it. */
import type { PaymentRow } from '../../store/payments/payments.ts'
import { type Actor, type DocumentRow, actorForBoth, actorForOwnSide } from '../change-context.ts'

const nothingYet = {
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

type OfDocument = Pick<PaymentRow, 'mode' | 'document_id' | 'connection_id' | 'currency'>
type OfTime = Pick<PaymentRow, 'created_at' | 'updated_at'>
/** Who pays whom how much, how, from where and why. */
type Asked = Omit<PaymentRow, keyof typeof nothingYet | keyof OfDocument | keyof OfTime>

export const newPayment = (document: DocumentRow, at: string, asked: Asked): PaymentRow => ({
  ...nothingYet,
  ...asked,
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
