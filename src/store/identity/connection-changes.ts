/**
 * Tells the open streams of all processes that a connection has changed, as soon as that commits.
 * PostgreSQL serializes the commits that notify: connections change rarely enough for it. It is a
 * hint alone: whoever has missed one sees the change in the list.
 */
import { normalizeEmail } from '../../core/identity/email-addresses.ts'
import type { ConnectionStatus } from '../../core/identity/connection-lifecycle.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import type { ConnectionViewer } from './connections.ts'

export const connectionChannel = 'docex_connections'

export interface ConnectionChange {
  /** As the API shows it. */
  id: string
  mode: string
  status: ConnectionStatus
  updated_at: string
  organizations: readonly string[]
  /** To whom an invitation was sent by e-mail, in whichever organization they are signed in. */
  email: string | null
}

export const notifyOfConnection = (tx: Queryable, change: ConnectionChange): Promise<unknown> =>
  tx.run(sql`select pg_notify(${connectionChannel}, ${JSON.stringify(change)})`)

/** Undefined for what this version does not understand. */
export const parseConnectionChange = (payload: string): ConnectionChange | undefined => {
  try {
    const change = JSON.parse(payload) as ConnectionChange
    const { organizations, email } = change
    const isKnown = Array.isArray(organizations) && (email === null || typeof email === 'string')
    return isKnown ? change : undefined
  } catch {
    return undefined
  }
}

/** Whether the viewer sees this connection in the list (connections.ts). */
export const concerns = (
  { organizations, email, mode }: ConnectionChange,
  viewer: ConnectionViewer,
): boolean =>
  organizations.includes(viewer.organization) ||
  (email !== null && normalizeEmail(email) === viewer.email && mode === viewer.mode)
