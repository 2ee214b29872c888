/** The clock that all processes of a machine share, whatever is done to the time of day. */
export const clockMs = (): number => Number(process.hrtime.bigint()) / 1e6
