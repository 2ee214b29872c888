import { databaseError } from '../database/sql.ts'

/** SQLSTATE of every statement after one of its transaction has failed. */
const laterFailure = '25P02'

/**
 * Waits until every pipelined statement has completed, even after one has failed, and then throws
 * the failure that came first.
 */
export const awaitAll = async (pending: readonly unknown[]): Promise<void> => {
  const results = await Promise.allSettled(pending)
  const failures = results.filter((result) => result.status === 'rejected')
  const isCause = ({ reason }: PromiseRejectedResult) =>
    databaseError(reason)?.code !== laterFailure
  const failure = failures.find(isCause) ?? failures[0]
  if (failure !== undefined) throw failure.reason
}
