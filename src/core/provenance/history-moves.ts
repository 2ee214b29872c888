/** The moves of an issued document between its states, as the history shows both parties. */
import { erasedRemains } from './history-entries.ts'
import type { VerifiedEvent } from './history-verification.ts'

interface State {
  status: string
  amount_paid: string
  amount_credited: string
}

/** With the state after it; the amounts of an erased move are those at the time of the erasure. */
export interface HistoryMove extends State {
  /** The number of the event. */
  seq: number
  at: string
  /** As the side that moved it gave it; null after an erasure. */
  reason_code: string | null
  note: string | null
}

const beforeIssue: State = { status: '', amount_paid: '0.00', amount_credited: '0.00' }

/** From the issue on; none of a draft. */
export const historyMoves = (events: readonly VerifiedEvent[]): HistoryMove[] => {
  const bodies = events.map(({ open }) => open.shared?.body)
  const remains = erasedRemains(events, ['shared'])
  const erasure = bodies.findLast((body) => body?.type === 'content.erased')
  let state = { ...stateAfter(beforeIssue, erasure?.set), status: '' }
  return events.flatMap(({ header: { seq, at } }, i) => {
    const body = bodies[i]
    const before = state.status
    state = stateAfter(state, body?.set ?? remains.get(seq))
    if (state.status === before) return []
    const { reason_code = null, note = null } = (body ?? {}) as Partial<HistoryMove>
    return [{ seq, at, ...state, reason_code, note }]
  })
}

const stateAfter = (before: State, set: object = {}): State => {
  const {
    status = before.status,
    amount_paid = before.amount_paid,
    amount_credited = before.amount_credited,
  } = set as Partial<State>
  return { status, amount_paid, amount_credited }
}
