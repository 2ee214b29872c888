/** Waits until every pipelined statement has completed, even after one has failed. */
export const awaitAll = async (pending: readonly unknown[]): Promise<void> => {
  const results = await Promise.allSettled(pending)
  const failure = results.find((result) => result.status === 'rejected')
  if (failure !== undefined) throw failure.reason
}
