/** Everything that happens without a caller, and how often. */
import { purgeExpired } from './purge-expired.ts'
import { purgeFiles } from './purge-files.ts'
import type { Task } from './runner.ts'

export const tasks: readonly Task[] = [purgeExpired, purgeFiles]
