/**
 * Provenance 8: a comment of a person is missed when it was deleted in the database, since the
 * audit log names it, and so is an entry of that log (docs/decisions/0213).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseContent } from '../../src/changes/provenance/erasure.ts'
import { decodeId } from '../../src/core/ids.ts'
import { auditRows } from '../../src/tasks/audit-rows.ts'
import { callApi } from '../support/api-client.ts'
import { anInvoice, aPair, anOrganization } from '../support/fixtures.ts'
import { alarmsOfRound } from '../support/provenance/audit-alarms.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running
const { context } = running.service
const pair = await aPair(running)
const { issuer } = pair

const alarms = async () => {
  const raised = await alarmsOfRound(running, auditRows, { ...context })
  assert(!running.logLines.some((line) => line.includes('"rows_not_audited"')))
  return raised
}

const aComment = async (document: string, text: string, key = issuer.session): Promise<string> => {
  const path = `/v1/documents/${document}/comments`
  const {
    status,
    body,
    text: reply,
  } = await callApi(running, 'POST', path, { key, body: { text } })
  assert.equal(status, 201, reply)
  return decodeId('cmt', body.id)!
}

const erase = (document: string): Promise<unknown> =>
  context.database.transaction((tx) => eraseContent(tx, decodeId('doc', document)!, context))

test('the auditor misses a comment of a person that is gone, and nothing before', async () => {
  const { id } = await anInvoice(running, pair)
  await aComment(id, 'They agreed to 30 days.', issuer.key)
  const comment = await aComment(id, 'We agree to 60 days.')
  assert.deepEqual(await alarms(), [])
  const gone = `delete from document_comments where id = '${comment}'`
  await whileTampered(database, 'document_comments', gone, async () => {
    const [alarm = '', ...others] = await alarms()
    assert.match(alarm, new RegExp(`document_comments ${comment}: the row is gone`))
    assert.deepEqual(others, [])
  })
  assert.deepEqual(await alarms(), [])
})

test('the auditor misses no comment that was erased with its document', async () => {
  const { id } = await anInvoice(running, pair)
  await aComment(id, 'Ada, phone 555 0117')
  await erase(id)
  assert.deepEqual(await alarms(), [])
})

test('that another document was erased excuses no comment that is gone', async () => {
  const [one, other] = [await anInvoice(running, pair), await anInvoice(running, pair)]
  const comment = await aComment(one.id, 'Delivered on Monday.')
  await aComment(other.id, 'Ada, phone 555 0117')
  await erase(other.id)
  const gone = `delete from document_comments where id = '${comment}'`
  await whileTampered(database, 'document_comments', gone, async () => {
    assert.match((await alarms()).join('\n'), new RegExp(`document_comments ${comment}: .* gone`))
  })
})

test('the auditor misses any entry of the audit log, and the trail that counts them', async () => {
  const { uuid, session: key } = await anOrganization(running)
  for (const name of ['First', 'Second', 'Third']) {
    const body = { name, scopes: ['documents:read'] }
    assert.equal((await callApi(running, 'POST', '/v1/keys', { key, body })).status, 201)
  }
  const own = `organization_id = '${uuid}'`
  const gone = {
    audit_entries: ['seq = 1', 'seq = 2', 'seq = 3', 'true'],
    audit_trails: ['true'],
  } as const
  for (const [table, conditions] of Object.entries(gone)) {
    for (const condition of conditions) {
      const statement = `delete from ${table} where ${own} and ${condition}`
      await whileTampered(database, table, statement, async () => {
        const expected = new RegExp(`${table} ${uuid}: .* gone`)
        assert.match((await alarms()).join('\n'), expected, condition)
      })
    }
  }
  assert.deepEqual(await alarms(), [])
})
