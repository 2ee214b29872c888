/**
 * The newest version of what keys have used of their limits, in the memory of this process: an old
 * usage is not believed, nor one that is gone, also where the payments that it counted are gone
 * with it (docs/decisions/0279). Without them, no row of the database says that they were made.
 */
import { limits } from '../contract/limits.ts'
import { oldRow } from '../database/row-seals.ts'
import type { Rows } from '../database/rows.ts'
import type { WorkingSet } from './working-set.ts'

export interface NewestLimitUsage {
  /** Marks what is older than what was seen before. The roots of the keys are locked. */
  check(set: WorkingSet): void
  /** Call it once the batch is committed. */
  remember(set: WorkingSet): void
}

export const openNewestLimitUsage = (): NewestLimitUsage => {
  /** The versions by usage of each root, in the order in which they were seen. */
  const versionsOfRoots = new Map<string, Map<string, number>>()
  const add = ({ id, root_key_id: root, version }: Rows['limit_usage']): void => {
    const versions = versionsOfRoots.get(root) ?? new Map<string, number>()
    const newest = Math.max(versions.get(id) ?? 0, version)
    versionsOfRoots.delete(root)
    versions.delete(id)
    versionsOfRoots.set(root, versions.set(id, newest))
    forgetOldest(versions, limits.rememberedUsagesOfKeyMax)
    forgetOldest(versionsOfRoots, limits.rememberedUsageKeysMax)
  }
  return {
    check: (set) => {
      const loaded = set.loaded.limit_usage
      for (const root of rootsOf(set)) {
        for (const [id, version] of versionsOfRoots.get(root) ?? []) {
          if (set.broken.has('limit_usage', id)) continue
          const isOld = (loaded.get(id)?.version ?? 0) < version
          if (isOld) set.broken.mark('limit_usage', id, { error: oldRow('limit_usage', id) })
        }
      }
      for (const usage of loaded.values()) add(usage)
    },
    remember: (set) => {
      for (const usage of set.savedRows('limit_usage')) add(usage)
    },
  }
}

const rootsOf = ({ loaded }: WorkingSet): Set<string> => {
  const roots = [...loaded.keys.values()].map(({ root_id }) => root_id)
  for (const { limit_root } of loaded.payments.values()) if (limit_root) roots.push(limit_root)
  return new Set(roots)
}

const forgetOldest = (remembered: Map<string, unknown>, max: number): void => {
  if (remembered.size <= max) return
  const [oldest] = remembered.keys()
  remembered.delete(oldest!)
}
