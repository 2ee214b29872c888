/** What one decides about a connection, and the other side of it by name. */
import type { Connection } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { notify } from '../design/notices.tsx'

export const nameOf = ({ counterparty, invited_email }: Connection): string =>
  counterparty?.name ?? invited_email ?? 'Unknown'

export const decisions = {
  accept: {
    to: 'active',
    verb: 'Accept',
    title: 'Accept the connection',
    lead: 'Both can then issue documents to each other.',
  },
  decline: {
    to: 'declined',
    verb: 'Decline',
    title: 'Decline the connection',
    lead: 'The invitation ends.',
  },
  end: {
    to: 'ended',
    verb: 'End connection',
    title: 'End connection',
    lead: 'No new documents go between you. Those that exist run on. This cannot be undone.',
  },
} as const

export type Decision = keyof typeof decisions

export const useDecision = (connection: Connection, onDone?: () => void) => {
  const write = useWrite<Connection>(({ body }) => {
    notify(`${nameOf(body)}: ${body.status}`)
    onDone?.()
  })
  const decide = (name: Decision) =>
    write.mutate({ path: `/v1/connections/${connection.id}/${name}` })
  return { decide, error: write.error, isPending: write.isPending }
}
