/** The event feed of the calling organization, with the events of webhooks (contract 4 and 7). */
import { invalidRequest } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { Event, EventFilters, EventPage } from '../../contract/shapes/events.ts'
import type { Call } from '../../context.ts'
import { decodeId } from '../../core/ids.ts'
import { type FeedRequest, eventById, feedPage } from '../../store/webhooks/events.ts'
import { operation } from '../operation.ts'
import { JsonText } from '../reply-bodies.ts'
import { cursorsOf, jsonPage } from '../paging.ts'
import { ownRecord } from '../path-ids.ts'

export const list = operation({
  id: 'events.list',
  method: 'GET',
  path: '/v1/events',
  family: 'documents',
  summary: 'List the events of the feed',
  description:
    'With `after`, the id of the last event that you have, returns the events committed since, in commit order and without gaps. Without it, returns the newest events first.',
  since: '1.15.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  query: EventFilters,
  response: EventPage,
  summaryFields: [
    'id',
    'type',
    'created_at',
    'data.document.id',
    'data.document.number',
    'data.document.status',
  ],
  toolFields: ['id', 'type', 'data.document.id', 'data.document.number', 'data.document.status'],
}).reads(async (call, { query }) => {
  const { cursor, limit, ...filters } = query
  const cursors = cursorsOf(call, 'events', filters)
  const page = await feedPage(call.read, {
    organization: call.organization.id,
    from: await startOf(call, filters.after, cursors.open(cursor)),
    limit: limit ?? limits.pageDefault,
    types: filters.type,
    document: filters.document && decodeId('doc', filters.document)!,
  })
  return {
    body: jsonPage(
      page.payloads.map((payload) => [payload]),
      cursors.seal(page.next),
    ),
  }
})

/** Refuses an `after` that is no longer in the feed, as the caller would silently miss events. */
const startOf = async (
  call: Call,
  after: string | undefined,
  position: string | undefined,
): Promise<FeedRequest['from']> => {
  if (after === undefined) {
    return position === undefined ? 'newest' : { before: BigInt(position) }
  }
  const event = await eventById(call.read, call.organization.id, decodeId('evt', after)!)
  if (event === undefined) {
    const since = call.organization.mode === 'test' ? ' or came before its sandbox was reset' : ''
    throw invalidRequest({
      param: 'after',
      code: 'invalid_cursor',
      message: `${after} is not an event of this organization's last ${limits.eventRetentionDays} days${since}.`,
      fix: 'note the newest event (GET /v1/events?limit=1), read GET /v1/documents?sort=updated&updated_since=, then follow the feed after the event that you noted',
    })
  }
  return { after: position === undefined ? event.feed : BigInt(position) }
}

export const get = operation({
  id: 'events.get',
  method: 'GET',
  path: '/v1/events/{id}',
  family: 'documents',
  summary: 'Retrieve an event',
  since: '1.15.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  response: Event,
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params }) => {
  const event = await ownRecord(call, 'evt', params.id, eventById)
  return { body: new JsonText(event.payload) }
})
