/**
 * Tool calls that wait for a person's approval (docs/decisions/0129). A client that can open pages
 * is asked to open that of the approval and to send the call again; every other gets the refusal.
 * Its answer approves nothing: the call is performed again and answers what it would anyway.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  inputRequired,
} from '@modelcontextprotocol/server'
import { approvalLimits } from '../contract/approval-limits.ts'
import type { ToolResponse } from './tool-result.ts'

export interface ToolCall {
  name: string
  values: Readonly<Record<string, unknown>>
}

/** Carries what is known of a waiting call to the client and back. */
export interface RequestStates {
  seal(call: ToolCall, approval: string, round: number): Promise<string>
  /** The round of a state, once; undefined if it was not made for this call, or works no more. */
  consume(call: ToolCall, state: string): Promise<number | undefined>
}

/** What the client said of itself, and sent back. */
export interface ClientTurn {
  opensPages: boolean
  /** How often the call has been sent back. */
  round: number
  /** Whether the person at the client wants to be asked no more. */
  isDismissed: boolean
}

const approvalRequest = 'approval'

/** Refuses a state that does not belong to the call. */
export const clientTurn = async (
  { era, states }: { era: 'legacy' | 'modern'; states: RequestStates },
  call: ToolCall,
  { mcpReq }: ServerContext,
): Promise<ClientTurn> => {
  const state = mcpReq.requestState<string>()
  const round = state === undefined ? 0 : await states.consume(call, state)
  if (round === undefined) throw invalidState()
  // The SDK has checked it, and declares it without fields.
  const envelope = mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities }
  const response = mcpReq.inputResponses?.[approvalRequest] as { action?: unknown } | undefined
  return {
    opensPages:
      era === 'modern' && envelope[CLIENT_CAPABILITIES_META_KEY]?.elicitation?.url !== undefined,
    round,
    isDismissed: response?.action === 'decline' || response?.action === 'cancel',
  }
}

const invalidState = () =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'This requestState belongs to another call, has expired, or was sent before. Send the call again without it, with the same idempotency_key.',
    { reason: 'invalid_request_state' },
  )

/** Undefined unless the call waits and the client is to be asked (again). */
export const askedOfClient = async (
  { states }: { states: RequestStates },
  call: ToolCall,
  turn: ClientTurn,
  response: ToolResponse,
): Promise<InputRequiredResult | undefined> => {
  const { opensPages, round, isDismissed } = turn
  if (!opensPages || isDismissed || round >= approvalLimits.requestStateRoundsMax) return undefined
  const approval = approvalOf(call, response)
  if (approval === undefined) return undefined
  const { id, digest, summary, page: url } = approval
  const page = inputRequired.elicitUrl({
    message: `${summary}: a person who may has to approve this first, signed in on this page, by the digest ${digest}. Go on when that has happened. Going on approves nothing.`,
    url,
  })
  return inputRequired({
    inputRequests: { [approvalRequest]: page },
    requestState: await states.seal(call, id, round + 1),
  })
}

/** A dry run waits for nobody. */
const approvalOf = (
  { values }: ToolCall,
  { status, text }: ToolResponse,
): ApprovalRequired | undefined => {
  if (status !== 409 || String(values['dry_run']) === 'true') return undefined
  const { details } = (JSON.parse(text) as Envelope).error
  return details?.reason === 'approval_required' ? details.approval : undefined
}

interface Envelope {
  error: { details?: { reason?: string; approval?: ApprovalRequired } }
}

/** What `details.approval` of the refusal says. */
interface ApprovalRequired {
  id: string
  digest: string
  summary: string
  page: string
}
