/**
 * What Home asks about payments. Beside the first steps, which most read while they have few
 * payments, one list tells both whether any has settled and which have failed.
 */
import { useRead } from '../api/reads.ts'
import type { Page, Payment } from '../api/types.ts'

type Payments = Page<Payment>

const path = '/v1/payments'
const dayMs = 86_400_000
const failedWithinDays = 7
const failedShown = 5

const useNewest = (isEnabled: boolean) => useRead<Payments>(path, { limit: 100 }, { isEnabled })

/** Undefined until it is known. */
export const useHasSettled = (isEnabled: boolean): boolean | undefined => {
  const newest = useNewest(isEnabled).data
  const isTold =
    newest?.data.some(({ status }) => status === 'settled') || newest?.has_more === false
  const older = useRead<Payments>(
    path,
    { status: 'settled', limit: 1 },
    { isEnabled: newest !== undefined && !isTold },
  ).data
  const all = isTold ? newest : older
  return all?.data.some(({ status }) => status === 'settled')
}

/** The outgoing payments that have failed lately. */
export const useFailedPayments = (isEnabled: boolean, hasSteps: boolean): Payment[] | undefined => {
  // The same text all day, since it is part of the key of the read.
  const since = new Date(Date.now() - failedWithinDays * dayMs).toISOString().slice(0, 10)
  const newest = useNewest(isEnabled && hasSteps)
  // Without the steps, nobody reads that list anew.
  const isTold = hasSteps && newest.data?.has_more === false
  const query = { status: 'failed', direction: 'outgoing', updated_since: `${since}T00:00:00Z` }
  const own = useRead<Payments>(
    path,
    { ...query, limit: failedShown },
    { isEnabled: isEnabled && (!hasSteps || newest.data?.has_more === true) },
  ).data?.data
  if (!isTold) return own
  return newest.data?.data
    .filter(
      ({ status, direction, updated_at }) =>
        status === 'failed' && direction === 'outgoing' && updated_at >= since,
    )
    .slice(0, failedShown)
}
