/**
 * GET /v1/stream: which documents have changed, as server-sent events (contract 12). An event names
 * what changed and shows nothing of it: the reader loads it as usual, with its own rights.
 */
import type { Context } from '../../context.ts'
import { Refusal, invalidRequest, refuseProblems } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { encodeId } from '../../core/ids.ts'
import { type FeedChange, feedPositionOf } from '../../store/webhooks/feed-changes.ts'
import { recordRequest } from '../access-log.ts'
import { checkAddress } from '../admission/authenticate.ts'
import {
  checkComplete,
  checkFamily,
  checkHeaders,
  checkScopes,
} from '../admission/request-checks.ts'
import { authenticate, countCaller } from '../admit.ts'
import { type Exchange, openExchange } from '../exchange.ts'
import { parseQuery } from '../parsing/query.ts'
import { asRefusal } from '../refusals.ts'
import { sendHead, sendRefusal } from '../respond.ts'
import { noParameters } from '../route.ts'
import { type LiveStream, type LiveStreams, openLiveStreams } from '../streaming/live-streams.ts'
import { compileQuery } from '../validation/schema-validation.ts'
import type { Page } from './page.ts'

const access = { allowed: 'scoped', scopes: ['documents:read'] } as const

export const streamPage = (context: () => Context): Page => {
  const streams = openLiveStreams(context)
  return {
    path: '/v1/stream',
    serve: async (pipeline, request, response) => {
      const exchange = openExchange(pipeline, request, response)
      try {
        await openStream(exchange, streams)
      } catch (error) {
        const refusal = await asRefusal(error, exchange)
        if (response.headersSent) response.destroy()
        else sendRefusal(exchange, refusal)
      }
      recordRequest(exchange, 'stream')
    },
  }
}

/** Settles when the stream has ended. */
const openStream = async (exchange: Exchange, streams: LiveStreams): Promise<void> => {
  const { request, response, pipeline } = exchange
  const { context } = pipeline
  checkHeaders(request)
  checkComplete(context)
  const { address } = pipeline.addressOf(request)
  const { caller } = await authenticate(exchange, address)
  countCaller(exchange, caller!)
  checkFamily('documents', context)
  checkScopes(access, caller!)
  checkNoQuery(exchange)
  const { id: organization } = caller!.organization
  const lastSeen = lastSeenOf(request.headers['last-event-id'])
  const newest = await feedPositionOf(context.database.read, organization)
  const isKnown = lastSeen !== undefined && lastSeen <= newest
  const isClose = isKnown && newest - lastSeen <= BigInt(limits.streamBacklogMax)
  const stream: LiveStream = {
    organization,
    position: isClose ? lastSeen : newest,
    send: (changes) => {
      stream.position = changes.at(-1)!.feed
      write(exchange, changes.map(eventText).join(''))
    },
    ping: () => write(exchange, ': ping\n\n'),
    isAllowed: () => isAllowed(exchange, organization, address),
    end: () => response.end(),
  }
  if (request.method === 'HEAD') {
    sendHead(exchange, 200, streamHeaders)
    response.end()
    return
  }
  const closed = new Promise<void>((resolve) => response.once('close', resolve))
  streams.add(stream)
  // A reader that has closed its side needs no further events (half-closed.ts keeps it for others).
  request.socket.once('end', stream.end)
  try {
    sendHead(exchange, 200, streamHeaders)
    const opening = lastSeen === undefined || isClose ? ': open\n\n' : resync(newest)
    write(exchange, opening)
    await closed
  } finally {
    streams.remove(stream)
    request.socket.removeListener('end', stream.end)
  }
}

const validateQuery = compileQuery(noParameters)

const checkNoQuery = ({ search }: Exchange): void => {
  if (search === '') return
  const { values, problems } = parseQuery(search, noParameters)
  refuseProblems([...problems, ...validateQuery(values).listed])
}

const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // Asks proxies to pass on each event at once.
  'X-Accel-Buffering': 'no',
}

const lastSeenOf = (header: string | string[] | undefined): bigint | undefined => {
  if (header === undefined || header === '') return undefined
  if (typeof header === 'string' && /^\d{1,18}$/.test(header)) return BigInt(header)
  throw invalidRequest({
    param: 'Last-Event-ID',
    code: 'invalid_value',
    message: 'This is not the id of an event of this stream.',
    fix: 'send the last id that you received, or leave the header out',
  })
}

const eventText = ({ feed, type, document_id, created_at }: FeedChange): string => {
  const id = encodeId('doc', document_id)
  const data = { type, object: 'document', id, updated_at: created_at }
  return `id: ${feed}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Too much has changed since: the reader loads again whatever it shows. */
const resync = (newest: bigint): string =>
  `id: ${newest}\ndata: ${JSON.stringify({ type: 'resync', object: null, id: null })}\n\n`

/** A reader that does not keep up is cut off, and resumes where it was. */
const write = ({ response }: Exchange, text: string): void => {
  if (response.writableLength > limits.streamBufferMaxBytes) response.destroy()
  else response.write(text)
}

/** Any other failure, such as a database that is away for a moment, ends no stream. */
const isAllowed = async (
  { request, pipeline }: Exchange,
  organization: string,
  address: string,
): Promise<boolean> => {
  const { authenticator } = pipeline
  try {
    const presented = authenticator.parseHeaders(request.headers, request.socket)
    const caller = await authenticator.authenticate(presented)
    checkAddress(caller, address)
    checkScopes(access, caller)
    return caller.organization.id === organization
  } catch (error) {
    return !(error instanceof Refusal) || error.code === 'service_unavailable'
  }
}
