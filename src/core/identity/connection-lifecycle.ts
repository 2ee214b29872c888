/** The lifecycle of a connection (contract 4 and 11). */

export const connectionStatuses = ['invited', 'active', 'declined', 'ended'] as const
export type ConnectionStatus = (typeof connectionStatuses)[number]

export type ConnectionSide = 'inviter' | 'invitee'

/** Two organizations in the order in which a connection names them: the smaller id first. */
export const orderedPair = (one: string, other: string): { a: string; b: string } =>
  one < other ? { a: one, b: other } : { a: other, b: one }

interface ConnectionTransition {
  from: ConnectionStatus
  to: ConnectionStatus
  by: readonly ConnectionSide[]
}

/** Declined and ended are final; a new invitation creates a new connection. */
const connectionTransitions: readonly ConnectionTransition[] = [
  { from: 'invited', to: 'active', by: ['invitee'] },
  { from: 'invited', to: 'declined', by: ['invitee'] },
  { from: 'invited', to: 'ended', by: ['inviter'] },
  { from: 'active', to: 'ended', by: ['inviter', 'invitee'] },
]

/** The statuses to which this side can move the connection. */
export const connectionTargets = (from: string, side: ConnectionSide): ConnectionStatus[] =>
  connectionTransitions
    .filter((transition) => transition.from === from && transition.by.includes(side))
    .map(({ to }) => to)
