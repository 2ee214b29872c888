/** Example calls of the operations on approvals, for the coverage test. */
import { callApi } from '../api-client.ts'
import type { Pair } from '../fixtures.ts'
import type { ExampleCall } from '../http/example-calls.ts'
import { payablePath } from '../payments/payable-documents.ts'
import type { TestService } from '../test-service.ts'
import { aKeyThatAsks } from './keys-that-ask.ts'

/** An approval for which a key of the pair's issuer waits, which another member has made. */
const anApprovalOf = async (
  running: TestService,
  pair: Pair,
): Promise<{ id: string; digest: string }> => {
  const path = await payablePath(running, pair)
  const key = await aKeyThatAsks(running, pair.issuer)
  return (await callApi(running, 'POST', path, { key })).body.error.details.approval
}

const onApproval =
  (rest: string, bodyOf?: (approval: { digest: string }) => unknown) =>
  async (running: TestService, pair: Pair): Promise<ExampleCall> => {
    const approval = await anApprovalOf(running, pair)
    const path = `/v1/approvals/${approval.id}${rest}`
    return { path, forOthers: 'missing', ...(bodyOf && { body: bodyOf(approval) }) }
  }

const newRule = {
  name: 'Large payments',
  when: { operation: 'documents.pay', amount_above: 1_000_000, currency: 'USD' },
}

const onRule =
  (body?: unknown) =>
  async (running: TestService, { issuer }: Pair): Promise<ExampleCall> => {
    const options = { key: issuer.session, body: newRule }
    const rule = await callApi(running, 'POST', '/v1/approval_rules', options)
    return {
      path: `/v1/approval_rules/${rule.body.id}`,
      forOthers: 'missing',
      ...(body !== undefined && { body }),
    }
  }

export const approvalExampleCalls = {
  'approval_rules.list': async (): Promise<ExampleCall> => ({
    path: '/v1/approval_rules',
    forOthers: { hides: [newRule.name] },
  }),
  'approval_rules.create': async (): Promise<ExampleCall> => ({
    path: '/v1/approval_rules',
    body: newRule,
    forOthers: { hides: [] },
  }),
  'approval_rules.update': onRule({ name: 'Very large payments' }),
  'approval_rules.delete': onRule({}),
  'approval_rules.test': async (): Promise<ExampleCall> => ({
    path: '/v1/approval_rules/test',
    body: { operation: 'documents.pay', amount: 100, currency: 'USD' },
    forOthers: { hides: [newRule.name] },
  }),
  'approvals.list': async (running: TestService, pair: Pair): Promise<ExampleCall> => {
    const { id } = await anApprovalOf(running, pair)
    return { path: '/v1/approvals', forOthers: { hides: [id] } }
  },
  // A key sees only what its own rotation chain has asked for, so a session reads.
  'approvals.get': onApproval(''),
  'approvals.approve': onApproval('/approve', ({ digest }) => ({ digest })),
  'approvals.decline': onApproval('/decline', () => ({})),
}
