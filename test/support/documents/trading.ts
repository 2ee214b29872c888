/**
 * A service, a pair on it, and what the two do with each other's documents: what most tests of
 * documents begin with. Everybody acts with their key.
 */
import assert from 'node:assert/strict'
import { assertSound } from '../database/consistency.ts'
import {
  type Acting,
  type Pair,
  type Reply,
  type Running,
  aPair,
  anInvoice,
  ask,
  move,
  startTestService,
} from '../service.ts'

type ByKey = Pick<Acting, 'key'>

export const documentsOn = (running: Running) => ({
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer
  read: async (id: string, { key }: ByKey): Promise<any> =>
    (await ask(running, 'GET', `/v1/documents/${id}`, { key })).body,

  issue: (id: string, { key }: ByKey): Promise<Reply> =>
    ask(running, 'POST', `/v1/documents/${id}/issue`, { key }),

  convert: (id: string, document_type: string, { key }: ByKey, more = {}): Promise<Reply> =>
    ask(running, 'POST', `/v1/documents/${id}/convert`, { key, body: { document_type, ...more } }),
})

/** The issuer of the pair sells and its counterparty buys; orders go the other way round. */
export const startTrading = async (settings: Record<string, string> = {}) => {
  const running = await startTestService(settings)
  const pair = await aPair(running)
  const { issuer, counterparty, connection } = pair
  const fromBuyer: Pair = { ...pair, issuer: counterparty, counterparty: issuer }
  const { read, issue, convert } = documentsOn(running)
  return {
    ...{ running, database: running.database, pair, issuer, counterparty, connection },
    ...{ seller: issuer, buyer: counterparty, fromBuyer, read, issue, convert },

    /** Issued by its seller or buyer, and moved on by the other side. */
    issued: async (document_type: string, to?: string, more = {}): Promise<string> => {
      const place = document_type === 'purchase_order' ? fromBuyer : pair
      const { id } = await anInvoice(running, place, { document_type, ...more })
      if (to !== undefined) {
        assert.equal((await move(running, place.counterparty.key, id, to)).status, 200)
      }
      return id
    },

    /** Made from the source and issued. */
    child: async (id: string, type: string, by: Acting, more = {}): Promise<Reply> => {
      const draft = await convert(id, type, by, more)
      assert.equal(draft.status, 201, draft.text)
      return issue(draft.body.id, by)
    },

    /** Fails unless documents, histories and ledger agree, whatever happened before. */
    sound: () => assertSound(running),
  }
}
