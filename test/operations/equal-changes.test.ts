/** Contract 5 (PATCH): what changes nothing leaves `updated_at` where it is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { anOrganization } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })

const sent = async (key: string, method: string, path: string, body: object) => {
  const reply = await callApi(running, method, path, { key, body })
  assert(reply.status === 200 || reply.status === 201, reply.text)
  return reply.body
}

test('an approval rule that is sent as it is, or empty, keeps its updated_at', async () => {
  const { session } = await anOrganization(running)
  const when = { operation: 'documents.pay', amount_above: 100, currency: 'USD' }
  const stated = { name: 'Large', when, approvers: 2, roles: ['owner', 'admin'] }
  const rule = await sent(session, 'POST', '/v1/approval_rules', stated)
  const path = `/v1/approval_rules/${rule.id}`
  for (const body of [{}, stated, { name: 'Large' }, { when }]) {
    assert.deepEqual(await sent(session, 'PATCH', path, body), rule)
  }
  const changed = await sent(session, 'PATCH', path, { approvers: 1 })
  assert(changed.updated_at > rule.updated_at)
})

test('a finance setup that is sent as it is, or in part, keeps its updated_at', async () => {
  const { key } = await anOrganization(running)
  const put = (body: object) => sent(key, 'PUT', '/v1/finance/setup', body)
  const lender = { enabled: true, max_principal: 50_000 }
  const setup = await put({ borrower: { enabled: true }, lender })
  for (const body of [{ lender }, { lender: setup.lender }, { borrower: setup.borrower }]) {
    assert.deepEqual(await put(body), setup)
  }
  const changed = await put({ lender: { enabled: true, max_principal: null } })
  assert(changed.updated_at > setup.updated_at)
})
