/** Everything that happens without a caller, and how often. */
import { expireOffers } from './expire-offers.ts'
import { indexSearch } from './index-search.ts'
import { auditProvenance } from './audit-provenance.ts'
import { integrateLog } from './integrate-log.ts'
import { purgeExpired } from './purge-expired.ts'
import { purgeFiles } from './purge-files.ts'
import type { Task } from './runner.ts'

export const tasks: readonly Task[] = [
  integrateLog,
  auditProvenance,
  purgeExpired,
  purgeFiles,
  expireOffers,
  indexSearch,
]
