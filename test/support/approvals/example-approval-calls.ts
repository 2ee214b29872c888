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

export const approvalExampleCalls = {
  'approvals.list': async (running: TestService, pair: Pair): Promise<ExampleCall> => {
    const { id } = await anApprovalOf(running, pair)
    return { path: '/v1/approvals', forOthers: { hides: [id] } }
  },
  // A key sees only what its own rotation chain has asked for, so a session reads.
  'approvals.get': onApproval(''),
  'approvals.approve': onApproval('/approve', ({ digest }) => ({ digest })),
  'approvals.decline': onApproval('/decline', () => ({})),
}
