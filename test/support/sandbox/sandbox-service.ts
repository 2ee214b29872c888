/** A sandbox whose counterparty is never in a hurry, and what is done with it. */
import assert from 'node:assert/strict'
import { assertServiceConsistent } from '../database/consistency-auditor.ts'
import { type TestOrganization, callApi, startTestService } from '../service.ts'
import { documentsClient } from '../documents/trading-pair.ts'

export const startSandboxService = async () => {
  // Nothing happens by itself: what is due is done by the advance, before it answers.
  const running = await startTestService({ SANDBOX_STEP_MS: '1h', PROCESS_ROLE: 'api' })
  const post = (key: string, path: string, body: object) =>
    callApi(running, 'POST', `/v1/sandbox${path}`, { key, body })
  return {
    running,
    read: documentsClient(running).read,
    post,
    advance: async ({ key }: Pick<TestOrganization, 'key'>, advance_by: string) => {
      const reply = await post(key, '/clock', { advance_by })
      assert.equal(reply.status, 200, reply.text)
      return reply.body
    },
    sound: () => assertServiceConsistent(running),
  }
}
