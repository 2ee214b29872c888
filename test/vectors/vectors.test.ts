/** The vectors that outsiders have as well, driven through the API (domain 2.1, 3.4 and 3.5). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Problem, anonymous, assertProblems, assertRefused } from '../support/refused.ts'
import { type Acting, aKey, aLine, aPair, ask, move, startTestService } from '../support/service.ts'
import lifecycles from './lifecycles.json' with { type: 'json' }
import money from './money.json' with { type: 'json' }
import terms from './payment-terms.json' with { type: 'json' }

const running = await startTestService()
const pair = await aPair(running)
const { issuer, counterparty, connection } = pair

const create = (more: object) =>
  ask(running, 'POST', '/v1/documents', {
    key: issuer.key,
    body: {
      connection_id: connection,
      document_type: 'invoice',
      line_items: [aLine],
      ...more,
    },
  })

describe('domain 3.4: totals to the cent (money.json)', () => {
  for (const { id, line_items, expected } of money.cases) {
    test(id, async () => {
      const { status, text, body } = await create({ line_items })
      assert.equal(status, 201, text)
      const { lines, ...totals } = expected
      const shown = body.line_items.map((line: Record<string, unknown>) =>
        Object.fromEntries(Object.keys(lines[0]!).map((field) => [field, line[field]])),
      )
      assert.deepEqual(shown, lines)
      for (const [field, value] of Object.entries(totals)) {
        assert.deepEqual(body[field], value, field)
      }
      assert.equal(body.balance_due, expected.total)
      const read = await ask(running, 'GET', `/v1/documents/${body.id}`, { key: issuer.key })
      assert.equal(read.text, text, 'what is read is what was answered')
    })
  }

  for (const { why, line_items, param, code } of money.refused) {
    test(`refused: ${why}`, async () => {
      assertProblems(await create({ line_items }), `${param} ${code}`)
    })
  }
})

describe('domain 3.5: payment terms, one string and two halves (payment-terms.json)', () => {
  const given = ({ payment_terms, document_date }: (typeof terms.cases)[number]) =>
    `${payment_terms} from ${document_date}`

  for (const vector of terms.cases) {
    test(given(vector), async () => {
      const { expected, ...sent } = vector
      const { body, text } = await create(sent)
      const { net_days, due_date, early_payment, payment_terms, document_date } = body
      assert.deepEqual({ net_days, due_date, early_payment }, expected, text)
      assert.deepEqual({ payment_terms, document_date }, sent, 'kept as they were written')
    })
  }

  for (const sent of terms.refused) {
    test(`refused: ${sent.payment_terms} from ${sent.document_date}`, async () => {
      const { errors } = assertRefused(await create(sent), 'invalid_request')
      assert.deepEqual(
        errors.map((problem: Problem) => problem.param),
        ['/payment_terms'],
      )
    })
  }

  for (const { payment_terms, ...sent } of terms.derived_from_due_date) {
    test(`due ${sent.due_date} from ${sent.document_date} → ${payment_terms}`, async () => {
      const { body, text } = await create(sent)
      assert.deepEqual([body.payment_terms, body.due_date], [payment_terms, sent.due_date], text)
    })
  }

  test('both halves must agree; neither → the connection’s default', async () => {
    const date = { document_date: '2026-01-31' }
    const agreed = await create({ ...date, payment_terms: 'Net 30', due_date: '2026-03-02' })
    assert.equal(agreed.status, 201, agreed.text)
    const other = await create({ ...date, payment_terms: 'Net 30', due_date: '2026-03-03' })
    assertRefused(other, 'invalid_request')
    const { body } = await create(date)
    assert.deepEqual([body.payment_terms, body.due_date], ['Net 30', '2026-03-02'])
  })
})

interface Row {
  from: string
  to: string
  by: string
  via?: string
  pay?: number
}
const rows: readonly Row[] = lifecycles.invoice
const everyState = [
  ...new Set(
    (Object.values(lifecycles).filter(Array.isArray) as Row[][])
      .flat()
      .flatMap(({ from, to }) => [from, to])
      .filter((state) => state !== '(new)'),
  ),
]
const payTargets = ['payment_scheduled', 'paid']

/** Every state of an invoice, but while its payment is processing: who moves it there, in order. */
const routes: Record<string, { status: string; raiser?: string; moves: [string, string][] }> = {
  scheduled: {
    status: 'payment_scheduled',
    moves: [
      ['I', 'submitted'],
      ['C', 'approved'],
      ['C', 'payment_scheduled'],
    ],
  },
  draft: { status: 'draft', moves: [] },
  'cancelled as a draft': { status: 'cancelled', moves: [['I', 'cancelled']] },
  'cancelled once issued': {
    status: 'cancelled',
    moves: [
      ['I', 'submitted'],
      ['I', 'cancelled'],
    ],
  },
  submitted: { status: 'submitted', moves: [['I', 'submitted']] },
  acknowledged: {
    status: 'acknowledged',
    moves: [
      ['I', 'submitted'],
      ['C', 'acknowledged'],
    ],
  },
  approved: {
    status: 'approved',
    moves: [
      ['I', 'submitted'],
      ['C', 'approved'],
    ],
  },
  rejected: {
    status: 'rejected',
    moves: [
      ['I', 'submitted'],
      ['C', 'rejected'],
    ],
  },
  'disputed by the counterparty': {
    status: 'disputed',
    raiser: 'C',
    moves: [
      ['I', 'submitted'],
      ['C', 'disputed'],
    ],
  },
  'disputed by the issuer': {
    status: 'disputed',
    raiser: 'I',
    moves: [
      ['I', 'submitted'],
      ['C', 'approved'],
      ['I', 'disputed'],
    ],
  },
  paid: {
    status: 'paid',
    moves: [
      ['I', 'submitted'],
      ['C', 'approved'],
    ],
  },
}

/** Domain 2.1, «allowed vectors», for the issuer and the counterparty with payments:write. */
const allowed: Record<string, [issuer: string[], counterparty: string[] | undefined]> = {
  draft: [['cancelled'], undefined],
  'cancelled as a draft': [[], undefined],
  'cancelled once issued': [[], []],
  submitted: [['cancelled'], ['acknowledged', 'approved', 'disputed', 'rejected']],
  acknowledged: [['cancelled'], ['approved', 'disputed', 'rejected']],
  approved: [['disputed'], ['disputed', 'payment_scheduled', 'paid']],
  scheduled: [[], ['approved', 'paid']],
  rejected: [[], []],
  'disputed by the counterparty': [['cancelled'], ['acknowledged', 'approved', 'rejected']],
  'disputed by the issuer': [
    ['acknowledged', 'cancelled'],
    ['approved', 'rejected'],
  ],
  paid: [[], []],
}

const actors: Record<string, Acting> = { I: issuer, C: counterparty }
const names: Record<string, string> = { I: 'issuer', C: 'counterparty' }
const withoutPay = {
  I: (await aKey(running, issuer, ['documents:read', 'documents:write'])).secret,
  C: (await aKey(running, counterparty, ['documents:read', 'documents:write'])).secret,
}

const scheduled_for = new Date(Date.now() + 9 * 86_400_000).toISOString().slice(0, 10)

/** The id of an invoice in that place of its life; worth nothing where approving it pays it. */
const anInvoiceAt = async (place: string): Promise<string> => {
  const { status, moves } = routes[place]!
  const line_items = status === 'paid' ? [{ ...aLine, unit_price: 0 }] : [aLine]
  const { id } = (await create({ line_items })).body
  let now = 'draft'
  for (const [by, to] of moves) {
    const { key } = actors[by]!
    const reply =
      to === 'submitted'
        ? await ask(running, 'POST', `/v1/documents/${id}/issue`, { key })
        : await move(running, key, id, to, to === 'payment_scheduled' ? { scheduled_for } : {})
    now = reply.body.status
  }
  assert.equal(now, status)
  return id
}

describe('domain 2.1: every state of an invoice × every target × both sides (lifecycles.json)', () => {
  test('the vectors and this table of domain 2.1 say the same', () => {
    for (const [place, { status, raiser }] of Object.entries(routes)) {
      for (const [i, side] of ['I', 'C'].entries()) {
        if (allowed[place]![i] === undefined) continue
        const open = rows.filter(
          ({ from, by, via }) =>
            from === status && !via && (by === side || (by === 'raiser' && raiser === side)),
        )
        assert.deepEqual([...new Set(open.map(({ to }) => to))], allowed[place]![i], place)
      }
    }
  })

  for (const [place, { status }] of Object.entries(routes)) {
    for (const [i, side] of (['I', 'C'] as const).entries()) {
      const legal = allowed[place]![i]
      // Calling a scheduled payment off is a move that pays as well.
      const free = legal?.filter((to) => place !== 'scheduled' && !payTargets.includes(to))
      test(`${place}, asked by the ${names[side]}`, async () => {
        const { key } = actors[side]!
        const id = await anInvoiceAt(place)
        const read = (by: string) => ask(running, 'GET', `/v1/documents/${id}`, { key: by })
        const before = await read(key)
        if (legal === undefined) assertRefused(before, 'not_found')
        else {
          assert.deepEqual(before.body.allowed_transitions, legal)
          assert.deepEqual((await read(withoutPay[side])).body.allowed_transitions, free)
        }
        for (const to of everyState) {
          if (legal?.includes(to)) {
            const moved = await move(running, key, await anInvoiceAt(place), to)
            assert.deepEqual([moved.status, moved.body.status], [200, to], moved.text)
          }
          for (const [by, shown] of [
            [key, legal],
            [withoutPay[side], free],
          ] as const) {
            if (shown?.includes(to)) continue
            const reply = await move(running, by, id, to)
            const needsScope = payTargets.includes(to) || legal?.includes(to) === true
            if (by !== key && needsScope) assertRefused(reply, 'insufficient_scope')
            else if (legal === undefined) assertRefused(reply, 'not_found')
            else {
              const details = assertRefused(reply, 'conflict', 'illegal_transition')
              const from = { allowed: shown, from: status, to, side: names[side] }
              assert.deepEqual(details, { reason: 'illegal_transition', ...from })
            }
          }
        }
        assert.equal(anonymous(await read(key)), anonymous(before), 'no refusal has changed it')
      })
    }
  }

  test('contract 11: a target that no type has is unknown, not illegal', async () => {
    const id = await anInvoiceAt('submitted')
    for (const to of ['approve', 'open', '', '(new)', 'Approved']) {
      assertProblems(await move(running, counterparty.key, id, to), '/to invalid_value')
    }
  })
})
