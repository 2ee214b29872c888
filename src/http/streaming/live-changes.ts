/** Sends the changes of a feed as server-sent events. */
import { encodeId } from '../../core/ids.ts'
import { Refusal } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { viewerOf } from '../../operations/identity/connections.ts'
import type { LiveChanges } from '../../operations/reply-bodies.ts'
import type { ConnectionChange } from '../../store/identity/connection-changes.ts'
import { type FeedChange, changesAfter, unseenChanges } from '../../store/webhooks/feed-changes.ts'
import { checkAddress, checkScopes } from '../admission/request-checks.ts'
import type { Exchange } from '../exchange.ts'
import { send, sendHead } from '../respond.ts'
import type { LiveStream } from './live-streams.ts'
import { sendOrRefuse } from './streamed-response.ts'

/** Settles when the stream has ended. */
export const sendChanges = (exchange: Exchange, changes: LiveChanges<string>): Promise<void> => {
  const { request, admission } = exchange
  return sendOrRefuse(exchange, async () => {
    if (admission !== undefined) await sendToTool(exchange, changes)
    else if (request.method !== 'HEAD') await follow(exchange, changes)
    else {
      sendHead(exchange, 200, streamHeaders)
      exchange.response.end()
    }
  })
}

const follow = async (exchange: Exchange, changes: LiveChanges<string>): Promise<void> => {
  const { request, response, pipeline } = exchange
  const viewer = viewerOf(exchange.caller!)
  const stream: LiveStream = {
    viewer,
    personId: exchange.caller!.credential.personId,
    position: changes.position,
    send: (sent) => {
      stream.position = sent.at(-1)!.feed
      write(exchange, sent.map(eventText).join(''))
    },
    sendConnection: (change) => write(exchange, connectionText(stream.position, change)),
    resync: (newest) => {
      stream.position = newest
      write(exchange, resyncText(newest))
    },
    ping: () => write(exchange, ': ping\n\n'),
    isAllowed: () => isAllowed(exchange, viewer.organization),
    end: () => response.end(),
  }
  const { socket } = request
  // Both, since a response that waits for its turn on the connection gets no event when it ends.
  const closed = Promise.withResolvers<void>()
  response.once('close', closed.resolve)
  socket.once('close', closed.resolve)
  try {
    await pipeline.streams.listen()
    // Whoever has hung up by now may have done so before anybody listened for it.
    if (socket.destroyed) return
    pipeline.streams.add(stream)
    sendHead(exchange, 200, streamHeaders)
    write(exchange, openingOf(changes))
    // A reader that closed its side needs no further events (half-closed.ts keeps it for others).
    socket.once('end', stream.end)
    if (socket.readableEnded) stream.end()
    await closed.promise
  } finally {
    pipeline.streams.remove(stream)
    socket.removeListener('end', stream.end)
    socket.removeListener('close', closed.resolve)
  }
}

/** A tool call has one result: what has changed until now, and the id to go on from. */
const sendToTool = async (exchange: Exchange, changes: LiveChanges<string>): Promise<void> => {
  const { id } = exchange.caller!.organization
  const { read } = exchange.pipeline.context.database
  const found = (await changesAfter(read, new Map([[id, changes.position]]))).get(id)
  const unseen = found === undefined ? [] : unseenChanges(found, changes.position)
  const text = unseen?.map(eventText).join('') ?? resyncText(found!.newest)
  send(exchange, 200, openingOf(changes) + text, streamHeaders)
}

const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // Asks proxies to pass on each event at once.
  'X-Accel-Buffering': 'no',
}

const openingOf = ({ position, isAfterGap }: LiveChanges<string>): string =>
  isAfterGap ? resyncText(position) : `id: ${position}\n: open\n\n`

const resyncText = (position: bigint): string =>
  dataText(position, { type: 'resync', object: null, id: null })

const eventText = ({ feed, type, document_id, created_at }: FeedChange): string => {
  const id = encodeId('doc', document_id)
  return dataText(feed, { type, object: 'document', id, updated_at: created_at })
}

/** A connection is in no feed: the position to resume from stays what it was. */
const connectionText = (position: bigint, { id, status, updated_at }: ConnectionChange): string =>
  dataText(position, { type: `connection.${status}`, object: 'connection', id, updated_at })

const dataText = (position: bigint, data: object): string =>
  `id: ${position}\ndata: ${JSON.stringify(data)}\n\n`

/**
 * A reader that does not keep up is cut off, and resumes where it was. A stream that has ended in
 * this round, such as that of somebody who has signed out, is still among those that get its ping.
 */
const write = ({ response }: Exchange, text: string): void => {
  if (response.writableEnded) return
  if (response.writableLength > limits.streamBufferMaxBytes) response.destroy()
  else response.write(text)
}

/** Any other failure, such as a database that is away for a moment, ends no stream. */
const isAllowed = async (
  { request, pipeline, route }: Exchange,
  organization: string,
): Promise<boolean> => {
  const { authenticator } = pipeline
  try {
    const presented = authenticator.credentialIn(request.headers, request.socket)
    const caller = await authenticator.callerOf(presented)
    checkAddress(caller, pipeline.addressOf(request).address)
    checkScopes(route!.operation, caller)
    return caller.organization.id === organization
  } catch (error) {
    return !(error instanceof Refusal) || error.code === 'service_unavailable'
  }
}
