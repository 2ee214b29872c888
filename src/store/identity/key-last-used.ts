/** Tracks when keys were last used: noted in memory, written periodically off the request path. */
import { limits } from '../../contract/limits.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Queryable } from '../../database/sql.ts'
import { setLastUsed } from './keys.ts'

export interface KeyLastUsed {
  note(keyId: string): void
  stop(): Promise<void>
}

export const openKeyLastUsed = (db: Queryable, log: Logger): KeyLastUsed => {
  const used = new Map<string, number>()
  const write = async (): Promise<void> => {
    if (used.size === 0) return
    const uses = [...used].map(([id, ms]) => [id, new Date(ms).toISOString()] as const)
    used.clear()
    try {
      await setLastUsed(db, uses)
    } catch (error) {
      // The next use notes the key again, so the stored time only lags further behind.
      log.error({ error }, 'key_use_not_written')
    }
  }
  const timer = setInterval(() => void write(), limits.keyLastUsedLagMs)
  timer.unref()
  return {
    note: (keyId) => void used.set(keyId, Date.now()),
    stop: async () => {
      clearInterval(timer)
      await write()
    },
  }
}
