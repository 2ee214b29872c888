/**
 * Idempotency-Keys of writes that were sent and not answered yet. They outlive the page: what is
 * sent again after a reload, or in another tab, is the same request, and has no second effect.
 */
import { forgetStored, store, stored, storedNames } from './browser-storage.ts'
import { freshKey } from './call.ts'
import { serviceNow } from './service-clock.ts'

const prefix = 'sent-write '

/** The service remembers a key for so long. */
const keptMs = 86_400_000

interface Kept {
  key: string
  at: number
}

const keptOf = (name: string): Kept | undefined => {
  const text = stored(name)
  return text === null ? undefined : (JSON.parse(text) as Kept)
}

const isOver = ({ at }: Kept): boolean => serviceNow() - at > keptMs

/** The same write of the same person has the same key until it is answered. */
export const keptKey = (intention: string): string => {
  const kept = keptOf(prefix + intention)
  return kept === undefined || isOver(kept) ? freshKey() : kept.key
}

/** Before it is sent. */
export const keepKey = (intention: string, key: string): void =>
  void store(prefix + intention, JSON.stringify({ key, at: serviceNow() }))

export const dropKey = (intention: string): void => forgetStored(prefix + intention)

/** What nobody has sent again within a day. */
export const dropOldKeys = (): void => {
  for (const name of storedNames())
    if (name.startsWith(prefix) && isOver(keptOf(name)!)) forgetStored(name)
}
