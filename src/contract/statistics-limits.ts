/** Limits of statistics (contract 12). */
export const statisticsLimits = {
  /** The newest documents or payments that one request adds up. */
  statisticsScanMaxRows: 50_000,
  /** The newest documents of which it also verifies the history, some 20 times the work. */
  statisticsHistoriesMax: 2_000,
  /** Of all of them together. Most documents have less than ten. */
  statisticsEventsMax: 20_000,
  /** The newest calls that it counts. */
  statisticsCallsMax: 100_000,
  /** The most frequent error codes. */
  statisticsErrorCodesMax: 10,
  statisticsPeriodsMax: 120,
  statisticsDefaultDays: 84,
  /** Eight weeks, of which the first is the current one. */
  projectionDefaultDays: 56,
  /** What a process remembers of all organizations, at some 300 bytes for a row. */
  provenRowsRememberedMax: 100_000,
} as const
