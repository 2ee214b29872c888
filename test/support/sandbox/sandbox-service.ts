/** A sandbox whose demo counterparty does nothing until a test advances the clock. */
import assert from 'node:assert/strict'
import { assertServiceConsistent } from '../database/consistency-auditor.ts'
import { callApi } from '../api-client.ts'
import type { TestOrganization } from '../fixtures.ts'
import { startTestService } from '../test-service.ts'
import { documentsClient } from '../documents/trading-pair.ts'

export const startSandboxService = async () => {
  // No background work: advancing the clock performs what is due before it responds.
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
    assertConsistent: () => assertServiceConsistent(running),
  }
}
