/** Ends waits, and makes time pass, for failed sign-ins. */
import { sql } from '../../../src/database/sql.ts'
import type { TestService } from '../test-service.ts'

export const passTime = async (
  { database }: Pick<TestService, 'database'>,
  ms: number,
): Promise<void> => {
  await database.run(sql`
    update sign_in_failures set
      forgotten_at = forgotten_at - ${ms}::float8 * interval '1 millisecond',
      refused_until = refused_until - ${ms}::float8 * interval '1 millisecond',
      known_until = known_until - ${ms}::float8 * interval '1 millisecond'`)
}

/** The failures still count. */
export const endWaits = async ({ database }: Pick<TestService, 'database'>): Promise<void> => {
  await database.run(sql`update sign_in_failures set refused_until = null`)
}
