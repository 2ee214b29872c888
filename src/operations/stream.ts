/**
 * Which documents and connections change, as server-sent events (contract 12). An event names what
 * changed and shows nothing of it: the reader loads it as usual, with its own rights.
 */
import { Type } from 'typebox'
import { invalidRequest } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { lastEventIdProblem } from '../core/header-problems.ts'
import { feedPositionOf } from '../store/webhooks/feed-changes.ts'
import { operation } from './operation.ts'
import { LiveChanges } from './reply-bodies.ts'

export const stream = operation({
  id: 'stream',
  method: 'GET',
  path: '/v1/stream',
  family: 'documents',
  summary: 'Follow the changes of documents and connections',
  description:
    'Sends server-sent events, for as long as the credential lasts; a tool call returns what has changed until now. The `data` of each is `{type, object, id, updated_at}`, the name of a change without its content: load what it names as usual. Without `Last-Event-ID` it starts now. `resync` means that changes may be missing: load everything again. Changes of connections are sent once, without a replay.',
  since: '1.16.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  response: Type.String({ description: 'Server-sent events.' }),
  mediaType: 'text/event-stream',
}).reads(async ({ read, organization, lastEventId }) => {
  const newest = await feedPositionOf(read, organization.id)
  const lastSeen = positionOf(lastEventId)
  if (lastSeen === undefined) {
    return { body: new LiveChanges({ position: newest, isAfterGap: false }) }
  }
  const isKnown = lastSeen <= newest && newest - lastSeen <= BigInt(limits.streamBacklogMax)
  const position = isKnown ? lastSeen : newest
  return { body: new LiveChanges({ position, isAfterGap: !isKnown }) }
})

const positionOf = (header: string | undefined): bigint | undefined => {
  if (header === undefined || header === '') return undefined
  const problem = lastEventIdProblem(header, 'Last-Event-ID')
  if (problem !== undefined) throw invalidRequest(problem)
  return BigInt(header)
}
