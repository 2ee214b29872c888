/** The time of the service, which decides what is due or over: the clock of a device may be wrong. */

/** No response takes longer to arrive. */
const arrivalMaxMs = 120_000
/** How far the clock of the device is ahead. */
let aheadMs = 0

/** Takes the Date header of a response. A smaller difference is the time that it took to arrive. */
export const noteServiceTime = (date: string | null): void => {
  if (date === null) return
  const ms = Date.now() - Date.parse(date)
  aheadMs = Math.abs(ms) > arrivalMaxMs ? ms : 0
}

export const serviceNow = (): number => Date.now() - aheadMs
