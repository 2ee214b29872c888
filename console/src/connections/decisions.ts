/** What one decides about a connection, and the other side of it by name. */
import type { Connection } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { notify } from '../design/notices.tsx'

export const nameOf = ({ counterparty, invited_email }: Connection): string =>
  counterparty?.name ?? invited_email ?? 'Unknown'

const decisions = {
  accept: {
    to: 'active',
    verb: 'Accept',
    title: 'Accept the connection with',
    lead: 'Both can then issue documents to each other.',
  },
  decline: {
    to: 'declined',
    verb: 'Decline',
    title: 'Decline the connection with',
    lead: 'The invitation ends.',
  },
  end: {
    to: 'ended',
    verb: 'End connection',
    title: 'End connection with',
    lead: 'No new documents go between you. Those that exist run on. This cannot be undone.',
  },
} as const

/** An invitation that nobody has accepted yet. */
const withdrawal = {
  verb: 'Withdraw',
  title: 'Withdraw the invitation of',
  lead: 'It can no longer be accepted.',
} as const

export type Decision = keyof typeof decisions

/** What the decision is called, and where it leads. */
export const decisionWords = (name: Decision, { status }: Connection) =>
  name === 'end' && status === 'invited' ? withdrawal : decisions[name]

export const possibleDecisions = (connection: Connection): Decision[] =>
  (Object.keys(decisions) as Decision[]).filter((name) =>
    connection.allowed_transitions.includes(decisions[name].to),
  )

export const useDecision = (connection: Connection, onDone?: () => void) => {
  const write = useWrite<Connection>(({ body }) => {
    notify(`${nameOf(body)}: ${body.status}`)
    onDone?.()
  })
  const decide = (name: Decision) =>
    write.mutate({ path: `/v1/connections/${connection.id}/${name}` })
  return { decide, error: write.error, isPending: write.isPending }
}
