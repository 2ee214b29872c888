/** Idempotency-Keys: one per write, which a store keeps until its outcome is known. */

/** A Map is one; so is a file or a table of one process. `set` with undefined removes the entry. */
export interface DocexKeyStore {
  get(name: string): string | null | undefined | Promise<string | null | undefined>
  set(name: string, key: string | undefined): unknown
}

export interface ClaimedKey {
  key: string
  /** No earlier attempt had it. */
  isNew: boolean
  /** The outcome is known: the next such call is another intention. */
  release(isKnown: boolean): Promise<void>
}

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

export const sha256 = async (bytes: Uint8Array): Promise<string> =>
  hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)))

export const newKey = (): string => `docex-${hex(crypto.getRandomValues(new Uint8Array(16)))}`

export type ClaimKey = (content: Uint8Array) => Promise<ClaimedKey>

const claims = new WeakMap<DocexKeyStore, ClaimKey>()

/** All clients with a store take its keys in turn. */
export const claimFrom = (store: DocexKeyStore): ClaimKey => {
  const claim = claims.get(store) ?? claimOnce(store)
  claims.set(store, claim)
  return claim
}

/** Equal writes that run at the same time are different intentions, and have different keys. */
const claimOnce = (store: DocexKeyStore): ClaimKey => {
  const claimed = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()
  /** The keys of equal writes are one entry, so one change comes after the other. */
  const change = (name: string, changed: (keys: string[]) => string[]): Promise<void> => {
    const run = async () => {
      const keys = (await store.get(name))?.split(' ') ?? []
      const next = changed(keys)
      if (next !== keys) await store.set(name, next.join(' ') || undefined)
    }
    const done = last.then(run)
    last = done.catch(() => undefined)
    return done
  }
  return async (content) => {
    const name = await sha256(content)
    let key = newKey()
    let isNew = true
    await change(name, (keys) => {
      const known = keys.find((one) => !claimed.has(one))
      isNew = known === undefined
      key = known ?? key
      claimed.add(key)
      return isNew ? [...keys, key] : keys
    })
    return {
      key,
      isNew,
      release: async (isKnown) => {
        try {
          if (isKnown) await change(name, (keys) => keys.filter((one) => one !== key))
        } finally {
          claimed.delete(key)
        }
      },
    }
  }
}
