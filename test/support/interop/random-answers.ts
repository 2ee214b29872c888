/** Random ways of a document through its states, with reasons and notes, as histories have them. */
import fc from 'fast-check'
import { reasonCodes } from '../../../src/contract/code-lists.ts'
import { documentTypes } from '../../../src/contract/document-types.ts'
import type { HistoryMove } from '../../../src/core/provenance/history-moves.ts'

const noteLines = [
  'Two of five units are missing.',
  'BT-13: PO0001',
  'Buyer process reference: X001',
  'Action: PIN',
  'actions: cnf, NIN',
  'Action: OTH',
  'Action: none of the list',
  'BT-0: 1',
]

const note = fc.oneof(
  fc.shuffledSubarray(noteLines, { minLength: 1 }).map((lines) => lines.join('\n')),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
)

const step = fc.record({
  choice: fc.nat(),
  reason_code: fc.option(fc.constantFrom(...Object.keys(reasonCodes))),
  note: fc.option(note),
  isCredited: fc.boolean(),
})

const issued: HistoryMove = {
  seq: 2,
  at: '2026-11-20T10:00:00.000Z',
  status: 'submitted',
  reason_code: null,
  note: null,
  amount_paid: '0.00',
  amount_credited: '0.00',
}

/** From the issue on. */
export const randomMoves = (type: 'invoice' | 'credit_note') =>
  fc.array(step, { maxLength: 10 }).map((steps) => movesOf(type, steps))

const movesOf = (
  type: 'invoice' | 'credit_note',
  steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
): HistoryMove[] => {
  const moves = [issued]
  for (const { choice, isCredited, ...reason } of steps) {
    const before = moves.at(-1)!
    const open = documentTypes[type].transitions.filter(({ from }) => from === before.status)
    if (open.length === 0) break
    const { to, by, cause, affectsPayment } = open[choice % open.length]!
    const isPaid = to === 'paid' && (affectsPayment === true || cause === 'settled')
    const paid = isPaid ? '80.00' : before.amount_paid
    moves.push({
      seq: before.seq + 1,
      at: `2026-11-${20 + moves.length}T10:00:00.000Z`,
      status: to,
      ...(by === 'system' || affectsPayment ? { reason_code: null, note: null } : reason),
      amount_paid: cause === 'payment_returned' ? '0.00' : paid,
      amount_credited: isCredited ? '20.00' : before.amount_credited,
    })
  }
  return moves
}
