/** Domain 2.1 and 7: in which order invoices are answered, and what the note of an answer says. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { responseCodes } from '../../src/contract/code-lists.ts'
import { answerTo } from '../../src/core/interop/invoice-answer.ts'
import { clarificationsOf } from '../../src/core/interop/response-clarifications.ts'
import type { HistoryMove } from '../../src/core/provenance/history-moves.ts'
import { randomMoves } from '../support/interop/random-answers.ts'

type AnsweredType = 'invoice' | 'credit_note'

const answerAfter = (type: AnsweredType, moves: readonly HistoryMove[]) =>
  answerTo({ id: 'doc_1', type, currency: 'EUR', moves, paymentBegunAt: null })

describe('the responses to one document', () => {
  for (const type of ['invoice', 'credit_note'] as const) {
    test(`${type}: they never go back (OP-BR111-R012), and say why (PEPPOL-T111-R001)`, () => {
      const order = Object.keys(responseCodes)
      fc.assert(
        fc.property(randomMoves(type), (moves) => {
          let last = 0
          for (const i of moves.keys()) {
            const { response } = answerAfter(type, moves.slice(0, i + 1))
            if (response === undefined) continue
            const place = order.indexOf(response.code)
            assert(place >= last, `${response.code} after ${order[last]}`)
            last = place
            const isExplained = response.clarifications.some(({ code }) => code !== undefined)
            assert(isExplained || !['UQ', 'CA', 'RE'].includes(response.code))
            assert(type === 'invoice' || response.code !== 'PD', 'it is the seller who refunds')
          }
        }),
      )
    })
  }

  test('PD is effective on the day on which the payment was begun', () => {
    const move = { reason_code: null, note: null, amount_credited: '0.00' }
    const approved = { ...move, seq: 3, status: 'approved', amount_paid: '0.00' }
    const paid = { ...move, seq: 4, status: 'paid', amount_paid: '10.00' }
    const { response } = answerTo({
      id: 'doc_1',
      type: 'invoice',
      currency: 'EUR',
      paymentBegunAt: '2017-12-30T09:00:00.000Z',
      moves: [
        { ...approved, at: '2017-12-29T09:00:00.000Z' },
        { ...paid, at: '2017-12-31T09:00:00.000Z' },
      ],
    })
    const dates = [response?.issueDate, response?.effectiveDate]
    assert.deepEqual([response?.id, ...dates], ['doc_1.4', '2017-12-31', '2017-12-30'])
  })
})

describe('the note of an answer', () => {
  const reasonAndNote = (reason: string | null, note: string | null) =>
    clarificationsOf({ code: 'UQ', reason, note, fallback: null }).map(
      ({ code, text, conditions }) => [
        code && `${code.list} ${code.value}`,
        text,
        ...conditions.map(({ term, value }) => `${term} = ${value}`),
      ],
    )

  const cases: readonly [note: string, expected: unknown[][]][] = [
    ['Two are missing.', [['OPStatusReason QTY', 'Two are missing.']]],
    [
      'Two are missing.\nAction: CNP\nLine 1.',
      [
        ['OPStatusReason QTY', 'Two are missing.\nLine 1.'],
        ['OPStatusAction CNP', null],
      ],
    ],
    [
      'actions: cnf , nin, CNF',
      [
        ['OPStatusReason QTY', null],
        ['OPStatusAction CNF', null],
        ['OPStatusAction NIN', null],
      ],
    ],
    [
      'Call us.\nAction: OTH',
      [
        ['OPStatusReason QTY', 'Call us.'],
        ['OPStatusAction OTH', 'Call us.'],
      ],
    ],
    ['Action: CNF, please', [['OPStatusReason QTY', 'Action: CNF, please']]],
    ['Action:', [['OPStatusReason QTY', 'Action:']]],
    ['BT-13: PO 7', [['OPStatusReason QTY', null, 'BT-13 = PO 7']]],
    ['BT-13:', [['OPStatusReason QTY', 'BT-13:']]],
    ['see BT-13: PO 7', [['OPStatusReason QTY', 'see BT-13: PO 7']]],
    ['Note: late', [['OPStatusReason QTY', 'Note: late']]],
  ]
  for (const [note, expected] of cases) {
    test(JSON.stringify(note), () => assert.deepEqual(reasonAndNote('QTY', note), expected))
  }

  test('a code that needs a reason and has none gets OTH; others say nothing', () => {
    assert.deepEqual(reasonAndNote(null, null), [['OPStatusReason OTH', null]])
    const received = { code: 'IP', reason: null, fallback: null } as const
    assert.deepEqual(clarificationsOf({ ...received, note: null }), [])
    assert.deepEqual(clarificationsOf({ ...received, note: 'Later.' }), [
      { text: 'Later.', conditions: [] },
    ])
  })
})
