/**
 * Finds the callers of API keys. What was made of the rows of a key is kept while PostgreSQL has
 * the same versions of these rows: to print and to prove them again would cost more than the rest
 * of the look-up (docs/decisions/0132).
 */
import { limits } from '../../contract/limits.ts'
import { type IsAbandoned, batchLoader } from '../../database/batch-loader.ts'
import type { Rows } from '../../database/rows.ts'
import type { Queryable } from '../../database/sql.ts'
import {
  type KeyCaller,
  type KeyVersion,
  checkCounters,
  keyCallersByHash,
  keyVersionsByHash,
  unpackKeyCaller,
} from '../../store/identity/credential-lookup.ts'

interface KnownKey<T> extends KeyVersion {
  organization: Rows['organizations']
  caller: T
}

/**
 * Looks up the caller whose key has this MAC; undefined if there is none that is active. Throws
 * BrokenSeal if one of its rows is not as it was sealed, or an old one.
 */
export const openKeyCallers = <T>(read: Queryable, callerOf: (rows: KeyCaller) => T) => {
  // One statement at a time: while it runs more keys collect, and every statement costs a write.
  const versions = batchLoader((macs: readonly Buffer[]) => keyVersionsByHash(read, macs), 1)
  const rows = batchLoader((macs: readonly Buffer[]) => keyCallersByHash(read, macs), 1)
  const known = new Map<string, KnownKey<T>>()

  const remember = (name: string, key: KnownKey<T>): void => {
    known.delete(name)
    if (known.size >= limits.knownKeysMax) known.delete(known.keys().next().value!)
    known.set(name, key)
  }

  return async (mac: Buffer, isAbandoned: IsAbandoned): Promise<T | undefined> => {
    const found = await versions(mac, isAbandoned)
    if (found === undefined) return undefined
    const name = mac.toString('latin1')
    const before = known.get(name)
    if (before?.version === found.version) {
      if (before.counters !== found.counters) {
        checkCounters(read.seals, before.organization, found.counters)
        before.counters = found.counters
      }
      return before.caller
    }
    const packed = await rows(mac, isAbandoned)
    if (packed === undefined) return undefined
    const unpacked = unpackKeyCaller(read.seals, packed)
    const { version, counters } = packed
    const caller = callerOf(unpacked)
    remember(name, { version, counters, organization: unpacked.organization, caller })
    return caller
  }
}
