/**
 * Provenance 8: a document or a credential of which a row is gone or false is `integrity_failure`.
 * A 404 or 401 would say that there is none, and whoever believes that makes it once more.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sealAlarm } from '../../src/changes/provenance/integrity-failure.ts'
import { decodeId } from '../../src/core/ids.ts'
import { newId } from '../../src/database/new-ids.ts'
import { sql } from '../../src/database/sql.ts'
import { brokenRowBehind } from '../../src/engine/database-failures.ts'
import { callApi } from '../support/api-client.ts'
import { aDraft, aPair, anInvoice, anOrganization } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { database } = running
const pair = await aPair(running)
const { issuer, counterparty } = pair
const stranger = await anOrganization(running)

const pathsOf = (id: string) =>
  ['', '/transitions', '/attachments', '/render?format=csv', '/checks?format=ubl'].map(
    (rest) => `/v1/documents/${id}${rest}`,
  )

const codeOf = async (path: string, key: string) =>
  (await callApi(running, 'GET', path, { key })).body.error?.code

const assertMissed = async (
  { id }: { id: string },
  { table, statement, of }: { table: string; statement: string; of: readonly { key: string }[] },
) => {
  await whileTampered(database, table, statement, async () => {
    for (const path of pathsOf(id)) {
      for (const { key } of of) assert.equal(await codeOf(path, key), 'integrity_failure', path)
      assert.equal(await codeOf(path, stranger.key), 'not_found', path)
    }
  })
  for (const { key } of of) assert.equal(await codeOf(`/v1/documents/${id}`, key), undefined)
}

describe('no party is told that there is no document', () => {
  test('whose history is gone', async () => {
    const invoice = await anInvoice(running, pair)
    const statement = `delete from prov_event where document_id = '${decodeId('doc', invoice.id)!}'`
    await assertMissed(invoice, { table: 'prov_event', statement, of: [issuer, counterparty] })
  })

  test('whose row is gone', async () => {
    const invoice = await anInvoice(running, pair)
    const statement = `delete from documents where id = '${decodeId('doc', invoice.id)!}'`
    await assertMissed(invoice, { table: 'documents', statement, of: [issuer, counterparty] })
  })

  test('whose row is gone, whatever they write', async () => {
    const [invoice, other] = [await anInvoice(running, pair), await aDraft(running, pair)]
    const path = `/v1/documents/${invoice.id}`
    const references = [{ rel: 'fulfils', document_id: invoice.id }]
    const writes = [
      ['POST', `${path}/transition`, { to: 'approved' }],
      ['POST', `${path}/pay`, {}],
      ['POST', `${path}/issue`, {}],
      ['POST', `${path}/convert`, { document_type: 'credit_note' }],
      ['POST', `${path}/comments`, { text: 'Is it there?' }],
      ['PATCH', path, { notes: 'Is it there?' }],
      ['PATCH', `/v1/documents/${other.id}`, { references }],
    ] as const
    const codes = async (key: string) => {
      const found = new Set<string | undefined>()
      for (const [method, to, body] of writes) {
        const reply = await callApi(running, method, to, { key, body })
        found.add(reply.body.error?.code)
      }
      return [...found]
    }
    const statement = `delete from documents where id = '${decodeId('doc', invoice.id)!}'`
    await whileTampered(database, 'documents', statement, async () => {
      assert.deepEqual(await codes(issuer.key), ['integrity_failure'])
      assert.deepEqual(await codes(stranger.key), ['not_found'])
    })
    assert.deepEqual(await codes(stranger.key), ['not_found'])
  })

  test('that is a draft of which the connection was changed', async () => {
    const draft = await aDraft(running, pair)
    const statement = `update connections set default_payment_terms = 'Net 90'
      where id = '${pair.connectionUuid}'`
    await assertMissed(draft, { table: 'connections', statement, of: [issuer] })
    assert.equal(await codeOf(`/v1/documents/${draft.id}`, counterparty.key), 'not_found')
  })
})

test('a document of which the connection is gone is not paid, and the alarm says why', async () => {
  const invoice = await anApprovedInvoice(running, pair)
  const gone = `delete from connections where id = '${pair.connectionUuid}'`
  await whileTampered(database, 'connections', gone, async () => {
    const { body } = await pay(running, counterparty.key, invoice.id)
    assert.equal(body.error?.code, 'integrity_failure')
    const alarm = running.logLines.findLast((line) => line.includes('"integrity_failure"'))
    assert.match(alarm ?? '', /behind payments_connection_id_fkey: the row that it names is gone/)
  })
  assert.equal((await pay(running, counterparty.key, invoice.id)).status, 200)
})

test('an alarm for a document that names a connection which is gone names the connection', async () => {
  const { id } = await anInvoice(running, pair)
  const statement = sql`
    update documents set connection_id = ${newId()} where id = ${decodeId('doc', id)!}`
  const error: unknown = await database.run(statement).catch((failure: unknown) => failure)
  const { code } = await sealAlarm(running.service.context, brokenRowBehind(error)!)
  assert.equal(code, 'integrity_failure')
  const alarm = running.logLines.findLast((line) => line.includes('"integrity_failure"'))
  assert.match(alarm ?? '', /connections behind documents_connection_id_\w+_fkey: the row is gone/)
})

describe('nobody is told that a credential is not active', () => {
  for (const [table, column] of [
    ['organizations', 'id'],
    ['organization_counters', 'organization_id'],
  ] as const) {
    test(`of which the row of ${table} is gone`, async () => {
      const { uuid, key, session } = await anOrganization(running)
      const statement = `delete from ${table} where ${column} = '${uuid}'`
      await whileTampered(database, table, statement, async () => {
        for (const credential of [key, session]) {
          assert.equal(await codeOf('/v1/me', credential), 'integrity_failure')
        }
        assert.equal(await codeOf('/v1/me', `${key}x`), 'unauthorized')
      })
      for (const credential of [key, session]) {
        assert.equal(await codeOf('/v1/me', credential), undefined)
      }
    })
  }
})
