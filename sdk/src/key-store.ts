/**
 * Idempotency-Keys. A write has one key for all its attempts. With a store, the key of a write
 * whose outcome is not known survives a restart: the same call finds it and has no second effect.
 */

/** A Map is one; so is a file or a table of one process. `set` with undefined removes the entry. */
export interface DocexKeyStore {
  get(name: string): string | null | undefined | Promise<string | null | undefined>
  set(name: string, key: string | undefined): unknown
}

export interface ClaimedKey {
  key: string
  /** The outcome is known: the next such call is another intention. */
  release(isKnown: boolean): Promise<void>
}

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

export const sha256 = async (bytes: Uint8Array): Promise<string> =>
  hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)))

export const newKey = (): string => `docex-${hex(crypto.getRandomValues(new Uint8Array(16)))}`

export type ClaimKey = (content: Uint8Array) => Promise<ClaimedKey>

/** Equal writes that run at the same time are different intentions, and have different entries. */
export const claimFrom = (store: DocexKeyStore): ClaimKey => {
  const claimed = new Set<string>()
  return async (content) => {
    const digest = await sha256(content)
    let place = 0
    while (claimed.has(`${digest}.${place}`)) place += 1
    const name = `${digest}.${place}`
    claimed.add(name)
    try {
      const stored = await store.get(name)
      const key = stored ?? newKey()
      if (stored !== key) await store.set(name, key)
      return {
        key,
        release: async (isKnown) => {
          if (isKnown) await store.set(name, undefined)
          claimed.delete(name)
        },
      }
    } catch (error) {
      claimed.delete(name)
      throw error
    }
  }
}
