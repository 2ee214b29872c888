/** Documents that are ready to pay, and paying them. */
import assert from 'node:assert/strict'
import {
  type RequestOptions,
  type Pair,
  type TestService,
  anInvoice,
  callApi,
  move,
} from '../service.ts'

/** An invoice that its counterparty has approved, as the counterparty sees it: ready to pay. */
export const anApprovedInvoice = async (
  running: TestService,
  pair: Pair,
  more: Record<string, unknown> = {},
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer
): Promise<any> => {
  const { id } = await anInvoice(running, pair, more)
  const reply = await move(running, pair.counterparty.key, id, 'approved')
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

export const pay = (running: TestService, key: string, id: string, asking: RequestOptions = {}) =>
  callApi(running, 'POST', `/v1/documents/${id}/pay`, { key, ...asking })
