/**
 * A service, a pair on it, and what the two do with each other's documents: what most tests of
 * documents begin with. Everybody acts with their key.
 */
import assert from 'node:assert/strict'
import { assertServiceConsistent } from '../database/consistency-auditor.ts'
import {
  type TestOrganization,
  type Pair,
  type Reply,
  type TestService,
  aPair,
  anInvoice,
  callApi,
  move,
  startTestService,
} from '../service.ts'

type WithKey = Pick<TestOrganization, 'key'>

export const documentsClient = (running: TestService) => ({
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer
  read: async (id: string, { key }: WithKey): Promise<any> =>
    (await callApi(running, 'GET', `/v1/documents/${id}`, { key })).body,

  issue: (id: string, { key }: WithKey): Promise<Reply> =>
    callApi(running, 'POST', `/v1/documents/${id}/issue`, { key }),

  convert: (id: string, document_type: string, { key }: WithKey, more = {}): Promise<Reply> =>
    callApi(running, 'POST', `/v1/documents/${id}/convert`, {
      key,
      body: { document_type, ...more },
    }),
})

/** The issuer of the pair sells and its counterparty buys; orders go the other way round. */
export const startTradingPair = async (settings: Record<string, string> = {}) => {
  const running = await startTestService(settings)
  const pair = await aPair(running)
  const { issuer, counterparty, connection } = pair
  const fromBuyer: Pair = { ...pair, issuer: counterparty, counterparty: issuer }
  const { read, issue, convert } = documentsClient(running)
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
    child: async (id: string, type: string, by: TestOrganization, more = {}): Promise<Reply> => {
      const draft = await convert(id, type, by, more)
      assert.equal(draft.status, 201, draft.text)
      return issue(draft.body.id, by)
    },

    /** Fails unless documents, histories and ledger agree, whatever happened before. */
    sound: () => assertServiceConsistent(running),
  }
}
