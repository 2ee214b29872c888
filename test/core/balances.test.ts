/** What is owed now, for every type in every state (contract 11: balances). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statuses } from '../../src/contract/document-phases.ts'
import {
  type DocumentTypeName,
  documentTypeNames,
  documentTypes,
} from '../../src/contract/document-types.ts'
import { balanceDue } from '../../src/core/documents/projection.ts'
import lifecycles from '../vectors/lifecycles.json' with { type: 'json' }

/** Domain 1: nobody pays the others. */
const payable = ['invoice', 'credit_note', 'disbursement', 'repayment']
/** Domain 1.1: the phases settled and closed. */
const ended = [
  'paid',
  'applied',
  'fulfilled',
  'converted',
  'repaid',
  'rejected',
  'cancelled',
  'expired',
  'closed',
]

const statusesOf = (type: DocumentTypeName): string[] => [
  ...new Set(lifecycles[type].flatMap(({ from, to }) => [from, to])),
]

for (const type of documentTypeNames) {
  test(`contract 11: the balance of a ${type} is what is owed now, in each of its states`, () => {
    assert.equal(payable.includes(type), documentTypes[type].payer !== null)
    for (const status of statusesOf(type).filter((name) => statuses.includes(name))) {
      const amounts = { total: 108_00n, amount_paid: 8_00n, amount_credited: 30_00n }
      const isOwed = payable.includes(type) && !ended.includes(status)
      assert.equal(balanceDue({ type, status, ...amounts }), isOwed ? 70_00n : 0n, status)
    }
  })
}
