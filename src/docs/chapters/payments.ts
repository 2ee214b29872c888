/** How documents are paid (domain 4). */
import { type Section, list } from '../blocks.ts'

export const payments: Section = {
  id: 'paying',
  title: 'Payments',
  blocks: [
    list(
      'The counterparty pays the issuer. For a credit note it is the other way round: its issuer pays what is left to refund. `payable` tells you whether you can pay a document now; an invoice must be approved first.',
      '`POST /v1/documents/{id}/pay` pays the whole balance. You can repeat it as often as you like: while a payment is in progress, and after it has settled, the response contains that payment and no second one is made. Moving the document to `paid` does the same.',
      'Moving the document to `payment_scheduled` with `scheduled_for` pays it on that day. Paying earlier brings the payment forward; it takes the account and the method that the request names, or those that were scheduled. Moving the document back to `approved` cancels it. If the operator has suspended the payer by that day, it fails as `account_frozen`.',
      'While the payment is `scheduled` or `processing`, the document is `payment_scheduled`, also after `/pay` or a move to `paid`; it becomes `paid` once the money has settled, and `approved` again if the payment fails.',
      'Both ways require `documents:write` and `payments:write`. A live payment needs both organizations connected to a processor; until then the response is [capability_unavailable](#errors-capability_unavailable), whose `blockers` name the side that is not. `payable` does not depend on that, only on the document. The processor debits the bank account of the payer, so in live `source_account_id` may name the default account alone.',
      'A payment is first `created` or `scheduled`, then `processing`, and finally `settled`, `failed` or `cancelled`. If the bank takes settled money back, the payment becomes `returned`. After a failure or a return, the document can be paid again, and `payment.failed` states the reason.',
      'The `payment_limits` of a key apply per currency: `max_per_payment` to each payment, and `daily_volume` to what the key pays in one day, across all its rotations. [`GET /v1/me`](#me.get) shows what is left of the day. A payment beyond a limit is refused with [payment_limit_exceeded](#errors-payment_limit_exceeded) before any money moves.',
    ),
  ],
}
