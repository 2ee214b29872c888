/**
 * Which side pays the balance of a document of each type; null where nothing is payable (domain 1).
 * Apart from the state machines, since whoever only sorts documents needs none of them.
 */

export const payers = {
  invoice: 'counterparty',
  credit_note: 'issuer',
  purchase_order: null,
  quote: null,
  contract: null,
  delivery_note: null,
  goods_receipt: null,
  statement: null,
  agreement: null,
  disbursement: 'counterparty',
  repayment: 'counterparty',
} as const satisfies Record<string, 'issuer' | 'counterparty' | null>
