/** Deliveries that fail in a row: after how many an endpoint is shown in red, and is disabled. */
export const warnedFailures = 10
export const failuresMax = 20
