/** Invoices that are ready to pay, and the call that pays them. */
import assert from 'node:assert/strict'
import { type RequestOptions, callApi, postWhenFree } from '../api-client.ts'
import { type Pair, anInvoice } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'

/** Issues an invoice and approves it, and returns it as its counterparty sees it. */
export const anApprovedInvoice = async (
  running: TestService,
  pair: Pair,
  more: Record<string, unknown> = {},
  // oxlint-disable-next-line typescript/no-explicit-any -- a response
): Promise<any> => {
  const { id } = await anInvoice(running, pair, more)
  const { key } = pair.counterparty
  const path = `/v1/documents/${id}/transition`
  const reply = await postWhenFree(running, path, { key, body: { to: 'approved' } })
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

export const pay = (running: TestService, key: string, id: string, options: RequestOptions = {}) =>
  callApi(running, 'POST', `/v1/documents/${id}/pay`, { key, ...options })

/** Pays a new invoice from this account, such as one of the sandbox; returns the payment's id. */
export const payFrom = async (
  running: TestService,
  pair: Pair,
  source: string,
): Promise<string> => {
  const { id } = await anApprovedInvoice(running, pair)
  const body = { source_account_id: source }
  const { status, text, body: paid } = await pay(running, pair.counterparty.key, id, { body })
  assert.equal(status, 200, text)
  return paid.payment.id
}
