/** How far the auditor of a log is. */
export interface AuditPosition {
  /** When this round over everything began. */
  began_at: string
  /** The document that was looked at last, in the order of ids. */
  document: string
  /** The next tile of the round. */
  tile: number
  /** The first leaf that has been added since the last look at what changed lately. */
  leaf: number
  /** Something in this round could not be audited. Older versions do not write it. */
  is_incomplete?: boolean
}

const firstId = '00000000-0000-0000-0000-000000000000'

export const firstPosition = (now: Date): AuditPosition => ({
  began_at: now.toISOString(),
  document: firstId,
  tile: 0,
  leaf: 0,
  is_incomplete: false,
})
