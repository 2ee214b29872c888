/** The write that pays a document now, or plans its payment for a day. */
import type { DocumentRecord } from '../api/types.ts'
import type { Write } from '../api/writes.ts'

export interface PaymentChoice {
  /** Empty for the default of the organization. */
  method: string
  account: string
  /** Empty for now. */
  day: string
}

/** Always of the state that the person has seen: whoever pays it meanwhile is not paid twice. */
export const paymentWrite = (
  { id, revision }: Pick<DocumentRecord, 'id' | 'revision'>,
  { method, account, day }: PaymentChoice,
): Write => {
  const body = {
    ...(method === '' ? {} : { payment_method: method }),
    ...(account === '' ? {} : { source_account_id: account }),
  }
  const at = `/v1/documents/${id}`
  if (day === '') return { path: `${at}/pay`, ifMatch: revision, body }
  const planned = { ...body, to: 'payment_scheduled', scheduled_for: day }
  return { path: `${at}/transition`, ifMatch: revision, body: planned }
}
