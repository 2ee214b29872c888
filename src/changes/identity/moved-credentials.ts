/**
 * Credentials move to a new server key when they are used: only then is their secret at hand
 * (docs/decisions/0062).
 */
import type { Logger } from '../../telemetry/logger.ts'
import type { Database } from '../../database/pool.ts'
import { changeSealedRows } from '../../database/sealed-rows.ts'
import type { MovedCredential } from '../../store/identity/credential-lookup.ts'
import { sql } from '../../database/sql.ts'

const tables = { key: 'keys', session: 'sessions' } as const

/** Moves a credential in the background; one that fails to move does so at its next use. */
export const openCredentialMoves = (
  database: Pick<Database, 'transaction'>,
  log: Pick<Logger, 'error'>,
): { move(moved: MovedCredential): void; stop(): Promise<void> } => {
  const moving = new Map<string, Promise<void>>()
  const moved = async ({ kind, id, from, to }: MovedCredential): Promise<void> => {
    const isUnmoved = sql`t.id = ${id} and t.hash = ${from}`
    await database
      .transaction((tx) => changeSealedRows(tx, tables[kind], isUnmoved, () => ({ hash: to })))
      .catch((error: unknown) => log.error({ error, kind }, 'credential_not_moved'))
    moving.delete(id)
  }
  return {
    move: (credential) => {
      if (!moving.has(credential.id)) moving.set(credential.id, moved(credential))
    },
    stop: async () => {
      await Promise.all(moving.values())
    },
  }
}
