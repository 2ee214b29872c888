/** Keys of which their organization is told by e-mail. */
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { runAndSeal } from '../database/run-and-seal.ts'
import { type TestOrganization, aKey } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'

/** As old as a key is that somebody made long ago. */
export const aKeyThatExpires = async (
  running: TestService,
  organization: TestOrganization,
): Promise<string> => {
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  const { keyId } = await aKey(running, organization, ['documents:read'], { expiresAt })
  const id = decodeId('key', keyId)!
  const aged = sql`update keys set created_at = now() - interval '30 days' where id = ${id}`
  await runAndSeal(running.database, 'keys', aged)
  return keyId
}
