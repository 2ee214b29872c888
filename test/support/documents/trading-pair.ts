/**
 * A service with a connected pair, and the calls that tests of documents make most. Both sides act
 * with their API keys.
 */
import assert from 'node:assert/strict'
import { assertServiceConsistent } from '../database/consistency-auditor.ts'
import { type Reply, callApi } from '../api-client.ts'
import { type TestOrganization, type Pair, aPair, anInvoice, move } from '../fixtures.ts'
import { type TestService, startTestService } from '../test-service.ts'

type WithKey = Pick<TestOrganization, 'key'>

export const documentsClient = (running: TestService) => ({
  // oxlint-disable-next-line typescript/no-explicit-any -- a response
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

/** The pair's issuer sells and its counterparty buys; purchase orders go in the other direction. */
export const startTradingPair = async (settings: Record<string, string> = {}) => {
  const running = await startTestService(settings)
  const pair = await aPair(running)
  const { issuer, counterparty, connection } = pair
  const fromBuyer: Pair = { ...pair, issuer: counterparty, counterparty: issuer }
  const { read, issue, convert } = documentsClient(running)
  return {
    running,
    database: running.database,
    pair,
    issuer,
    counterparty,
    connection,
    seller: issuer,
    buyer: counterparty,
    fromBuyer,
    read,
    issue,
    convert,

    /** Issues a document as its seller or buyer, and moves it to `to` as the other side. */
    issueDocument: async (document_type: string, to?: string, more = {}): Promise<string> => {
      const sides = document_type === 'purchase_order' ? fromBuyer : pair
      const { id } = await anInvoice(running, sides, { document_type, ...more })
      if (to !== undefined) {
        assert.equal((await move(running, sides.counterparty.key, id, to)).status, 200)
      }
      return id
    },

    /** Converts the source, and issues the new document. */
    convertAndIssue: async (
      id: string,
      type: string,
      by: TestOrganization,
      more = {},
    ): Promise<Reply> => {
      const draft = await convert(id, type, by, more)
      assert.equal(draft.status, 201, draft.text)
      return issue(draft.body.id, by)
    },

    /** Fails unless documents, histories and the ledger agree. */
    assertConsistent: () => assertServiceConsistent(running),
  }
}
