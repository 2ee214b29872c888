/** The time of the service, which decides what is due and what is over: a device may be a day off. */
const wayMostMs = 120_000
let aheadMs = 0

/** As an answer says it. What differs by less is the time that the answer took on its way. */
export const noteServiceTime = (date: string | null): void => {
  if (date === null) return
  const ms = Date.now() - Date.parse(date)
  aheadMs = Math.abs(ms) > wayMostMs ? ms : 0
}

export const serviceNow = (): number => Date.now() - aheadMs
