/** What a sweep takes (domain 5.4). Amounts are minor units. */

export interface SweepFacts {
  proceeds: bigint
  owed: bigint
  inFlight: bigint
}

/** The sweep of the proceeds of one settlement: min(proceeds, owed − in flight), never below 0. */
export const sweepAmount = ({ proceeds, owed, inFlight }: SweepFacts): bigint => {
  const open = owed > inFlight ? owed - inFlight : 0n
  return proceeds < open ? proceeds : open
}
