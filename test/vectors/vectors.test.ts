/** The published vectors, driven through the API (domain 3.4 and 3.5). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Problem, assertProblems, assertRefused } from '../support/http/error-responses.ts'
import { callApi } from '../support/api-client.ts'
import { exampleLine, aPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import money from './money.json' with { type: 'json' }
import terms from './payment-terms.json' with { type: 'json' }

const running = await startTestService()
const { issuer, connection } = await aPair(running)

const create = (more: object) =>
  callApi(running, 'POST', '/v1/documents', {
    key: issuer.key,
    body: {
      connection_id: connection,
      document_type: 'invoice',
      line_items: [exampleLine],
      ...more,
    },
  })

describe('domain 3.4: totals to the cent (money.json)', () => {
  for (const { id, line_items, expected } of money.cases) {
    test(`${id} has the expected lines and totals`, async () => {
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
      const read = await callApi(running, 'GET', `/v1/documents/${body.id}`, { key: issuer.key })
      assert.equal(read.text, text, 'a read returns what the create answered')
    })
  }

  for (const { why, line_items, param, code } of money.refused) {
    test(`${why} is refused`, async () => {
      assertProblems(await create({ line_items }), `${param} ${code}`)
    })
  }
})

describe('domain 3.5: payment terms as text and date (payment-terms.json)', () => {
  for (const { expected, ...sent } of terms.cases) {
    test(`${sent.payment_terms} from ${sent.document_date} derives its dates`, async () => {
      const { body, text } = await create(sent)
      const { net_days, due_date, early_payment, payment_terms, document_date } = body
      assert.deepEqual({ net_days, due_date, early_payment }, expected, text)
      assert.deepEqual({ payment_terms, document_date }, sent, 'stored as sent')
    })
  }

  for (const sent of terms.refused) {
    test(`${sent.payment_terms} from ${sent.document_date} is refused`, async () => {
      const { errors } = assertRefused(await create(sent), 'invalid_request')
      assert.deepEqual(
        errors.map((problem: Problem) => problem.param),
        ['/payment_terms'],
      )
    })
  }

  for (const { payment_terms, ...sent } of terms.derived_from_due_date) {
    test(`a due date ${sent.due_date} from ${sent.document_date} derives ${payment_terms}`, async () => {
      const { body, text } = await create(sent)
      assert.deepEqual([body.payment_terms, body.due_date], [payment_terms, sent.due_date], text)
    })
  }

  test('text and due date must agree, and without both the connection’s default applies', async () => {
    const date = { document_date: '2026-01-31' }
    const agreed = await create({ ...date, payment_terms: 'Net 30', due_date: '2026-03-02' })
    assert.equal(agreed.status, 201, agreed.text)
    const other = await create({ ...date, payment_terms: 'Net 30', due_date: '2026-03-03' })
    assertRefused(other, 'invalid_request')
    const { body } = await create(date)
    assert.deepEqual([body.payment_terms, body.due_date], ['Net 30', '2026-03-02'])
  })
})
