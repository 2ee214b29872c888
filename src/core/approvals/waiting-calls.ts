/**
 * The `requestState` of a tool call that waits for an approval (docs/decisions/0129). The client
 * sends it back with the same call. It names the approval and when the state was made; like a list
 * cursor, it is authenticated for its caller, tool and arguments, which are signed and not sent. It
 * grants nothing: whoever sends it is let through to what the call answers without it.
 */
import { hash } from 'node:crypto'
import { signCursor, verifyCursor } from '../cursor.ts'
import type { ServerKeys } from '../server-keys.ts'

/** Who calls what. */
export interface WaitingCall {
  organization: string
  /** The id of the key or session. */
  credential: string
  tool: string
  arguments: Readonly<Record<string, unknown>>
}

export interface RequestState {
  /** The id of the approval. */
  approval: string
  madeAt: string
  /** Which state in a row it is, from 1. */
  round: number
}

export const sealRequestState = (
  keys: ServerKeys,
  call: WaitingCall,
  { approval, madeAt, round }: RequestState,
): string => signCursor(keys.newest, scopeOf(call), `${approval} ${madeAt} ${round}`)

/** Undefined unless it was made for this very call. Checks neither its age nor its use. */
export const openRequestState = (
  keys: ServerKeys,
  call: WaitingCall,
  state: string,
): RequestState | undefined => {
  const scope = scopeOf(call)
  const opened = keys.first((key) => verifyCursor(key, scope, state))
  if (opened === undefined) return undefined
  const [approval = '', madeAt = '', round] = opened.split(' ')
  return { approval, madeAt, round: Number(round) }
}

/** Arguments are flat, so their order is that of their names. */
const scopeOf = ({ organization, credential, tool, arguments: values }: WaitingCall): Buffer => {
  const sorted = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return hash('sha256', JSON.stringify([organization, credential, tool, sorted]), 'buffer')
}
