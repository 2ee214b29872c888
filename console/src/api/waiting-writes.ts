/**
 * Writes that wait for an approval. Only the same request with the same Idempotency-Key runs once it
 * is approved, so the key outlives the form that sent it.
 */
import { store, stored } from './browser-storage.ts'
import { serviceNow } from './service-clock.ts'

const storageKey = 'waiting-writes'

interface WaitingWrite {
  idempotencyKey: string
  /** When the approval expires. */
  until: string
}

const waitingWrites = (): Record<string, WaitingWrite> => {
  const all = JSON.parse(stored(storageKey) ?? '{}') as Record<string, WaitingWrite>
  const isWaiting = ([, { until }]: [string, WaitingWrite]) => Date.parse(until) > serviceNow()
  return Object.fromEntries(Object.entries(all).filter(isWaiting))
}

const storeAll = (writes: Record<string, WaitingWrite>): void =>
  void store(storageKey, JSON.stringify(writes))

/** What makes two requests of a person the same. */
export const intentionOf = (user: string, method: string, path: string, body: unknown): string =>
  JSON.stringify([user, method, path, body ?? null])

export const waitingKey = (intention: string): string | undefined =>
  waitingWrites()[intention]?.idempotencyKey

export const keepWaiting = (intention: string, write: WaitingWrite): void =>
  storeAll({ ...waitingWrites(), [intention]: write })

export const stopWaiting = (intention: string): void => {
  const { [intention]: known, ...others } = waitingWrites()
  if (known !== undefined) storeAll(others)
}
