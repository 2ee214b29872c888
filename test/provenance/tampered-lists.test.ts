/**
 * Provenance 8: a row of a list has no seal, so whoever lists a document that the viewer must not
 * see, or lists one twice, is noticed (docs/decisions/0149).
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { callApi } from '../support/api-client.ts'
import { aDraft, anInvoice, anOrganization, aPair } from '../support/fixtures.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { database } = running
const pair = await aPair(running)
const stranger = await anOrganization(running)
const draft = await aDraft(running, pair)
const invoice = await anInvoice(running, pair)

const paths = [
  '/v1/documents',
  '/v1/documents?sort=updated',
  '/v1/documents?type=invoice&status=draft,submitted',
  `/v1/documents?updated_since=2020-01-01T00:00:00Z`,
  '/v1/documents.csv',
]

/** A row more in the list of the organization: a copy of one of the issuer's rows. */
const listedAlsoFor = (organization: string, document: string): string =>
  `insert into document_views select (jsonb_populate_record(v, jsonb_build_object(
    'organization_id', '${organization}', 'position', v.position + 1000, 'number', 'X-9'))).*
    from document_views v
    where document_id = '${decodeId('doc', document)}' and side = 'issuer'`

const foreignRows = [
  { what: 'a draft of the other party', document: draft.id, of: pair.counterparty },
  { what: 'a document of others', document: invoice.id, of: stranger },
  { what: 'a document for a second time', document: invoice.id, of: pair.issuer },
]

describe('a list withholds', () => {
  for (const { what, document, of } of foreignRows) {
    test(what, async () => {
      const statement = listedAlsoFor(of.uuid, document)
      await whileTampered(database, 'document_views', statement, async () => {
        for (const path of paths) {
          const reply = await callApi(running, 'GET', path, { key: of.key })
          assert.deepEqual([reply.status, reply.body.error?.code], [500, 'integrity_failure'], path)
        }
        const alarm = running.logLines.findLast((line) => line.includes('"integrity_failure"'))
        assert.match(alarm ?? '', /document_views [^:]*: a row of a list was made up/)
      })
      for (const path of paths) {
        const reply = await callApi(running, 'GET', path, { key: of.key })
        assert.equal(reply.status, 200, reply.text)
      }
    })
  }
})
