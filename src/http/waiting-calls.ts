/** What a waiting tool call carries to its client and back (core/approvals has its form). */
import {
  type WaitingCall,
  openRequestState,
  sealRequestState,
} from '../core/approvals/waiting-calls.ts'
import { decodeId } from '../core/ids.ts'
import { databaseNow } from '../database/database-clock.ts'
import type { RequestStates, ToolCall } from '../mcp/waiting-calls.ts'
import { consumeRequestState } from '../store/approvals/approvals.ts'
import type { AuthenticatedCaller } from './admission/authenticator.ts'
import { type Exchange, requesterOf } from './exchange.ts'

export const requestStatesOf = (
  exchange: Exchange,
  { organization, credential }: AuthenticatedCaller,
): RequestStates => {
  const { database, keyring } = exchange.pipeline.context
  const callOf = ({ name, values }: ToolCall): WaitingCall => ({
    organization: organization.id,
    credential: credential.id,
    tool: name,
    arguments: values,
  })
  return {
    seal: async (call, approval, round) => {
      const madeAt = await databaseNow(database.read)
      const state = { approval: decodeId('apr', approval)!, madeAt, round }
      return sealRequestState(keyring.requestStates, callOf(call), state)
    },
    consume: async (call, text) => {
      const state = openRequestState(keyring.requestStates, callOf(call), text)
      if (state === undefined) return undefined
      const requester = requesterOf(exchange, organization.id)
      // With the connections of writes: the row may be locked by the write that it waits for.
      const isConsumed = await database.perform('writes', requester, ({ read }) =>
        consumeRequestState(read, organization.id, state),
      )
      return isConsumed ? state.round : undefined
    },
  }
}
