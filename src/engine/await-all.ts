/** Waiting for a flush. */

/**
 * Every statement of a flush is answered, also behind a failed one: wait for all, then say the
 * first failure.
 */
export const awaitAll = async (pending: readonly unknown[]): Promise<void> => {
  const results = await Promise.allSettled(pending)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
