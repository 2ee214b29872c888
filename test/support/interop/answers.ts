/** Moves the invoices of a pair through their states, and reads what was answered to them. */
import assert from 'node:assert/strict'
import { callApi } from '../api-client.ts'
import { type Pair, aDraft, anInvoice, move } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'

type Step = string | { to: string; by?: 'issuer'; [field: string]: unknown }

export const valueIn = (xml: string, name: string): string | undefined =>
  new RegExp(`<cbc:${name}(?: [^>]*)?>([^<]*)<`).exec(xml)?.[1]

export const answersOf = (running: TestService, pair: Pair) => {
  const { issuer, counterparty } = pair

  const render = (id: string, key = issuer.key, headers = {}) =>
    callApi(running, 'GET', `/v1/documents/${id}/render?format=invoice_response`, { key, headers })

  const problemsOf = async (
    id: string,
  ): Promise<{ rule: string; field: string; fatal: boolean }[]> => {
    const path = `/v1/documents/${id}/checks?format=invoice_response`
    const { status, body, text } = await callApi(running, 'GET', path, { key: issuer.key })
    assert.equal(status, 200, text)
    return body.problems
  }

  /** Moves an invoice, as its buyer unless the step says otherwise. */
  const walk = async (id: string, ...steps: Step[]): Promise<string> => {
    for (const step of steps) {
      const given: Exclude<Step, string> = typeof step === 'string' ? { to: step } : step
      const { to, by, ...more } = given
      const { key } = by === undefined ? counterparty : issuer
      const moved = await move(running, key, id, to, more)
      assert.equal(moved.status, 200, moved.text)
    }
    return id
  }

  const invoiceAt = async (...steps: Step[]): Promise<string> =>
    walk((await anInvoice(running, pair)).id, ...steps)

  const responseOf = async (id: string): Promise<string> => {
    const { status, text } = await render(id)
    assert.equal(status, 200, text)
    return text
  }

  const credit = async (id: string, amount: number): Promise<string> => {
    const note = await aDraft(running, pair, {
      document_type: 'credit_note',
      references: [{ rel: 'credits', document_id: id }],
      line_items: [{ description: 'Credit', quantity: 1, unit_price: amount, tax_rate: 0 }],
    })
    const path = `/v1/documents/${note.id}/issue`
    assert.equal((await callApi(running, 'POST', path, { key: issuer.key })).status, 200)
    return note.id
  }

  return { render, problemsOf, walk, invoiceAt, responseOf, credit }
}
