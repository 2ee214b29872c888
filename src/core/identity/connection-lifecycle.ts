/** The life of a connection (contract 4 and 11): who may move it where. */

export const connectionStatuses = ['invited', 'active', 'declined', 'ended'] as const
export type ConnectionStatus = (typeof connectionStatuses)[number]

/** The inviter, and the one who was invited. */
export type ConnectionSide = 'inviter' | 'invitee'

interface ConnectionTransition {
  from: ConnectionStatus
  to: ConnectionStatus
  by: readonly ConnectionSide[]
}

/** Declined and ended are final: the next invitation is a connection of its own. */
const connectionTransitions: readonly ConnectionTransition[] = [
  { from: 'invited', to: 'active', by: ['invitee'] },
  { from: 'invited', to: 'declined', by: ['invitee'] },
  { from: 'invited', to: 'ended', by: ['inviter'] },
  { from: 'active', to: 'ended', by: ['inviter', 'invitee'] },
]

/** Where this side can move it now. */
export const connectionTargets = (from: string, side: ConnectionSide): ConnectionStatus[] =>
  connectionTransitions
    .filter((move) => move.from === from && move.by.includes(side))
    .map(({ to }) => to)
