/** Everything that happens without a caller, and how often. */
import type { Context } from '../context.ts'
import { paymentsDue, runPaymentsDue } from './payments-due.ts'
import { purgeExpired } from './purge-expired.ts'
import { purgeFiles } from './purge-files.ts'
import type { Task } from './runner.ts'

export const tasks: readonly Task[] = [purgeExpired, purgeFiles, paymentsDue]

/** After a sandbox clock has moved: one round after the other, until nothing is due any more. */
export const runDue = async (context: Context, organizations: readonly string[]): Promise<void> => {
  while (await runPaymentsDue(context, organizations));
}
