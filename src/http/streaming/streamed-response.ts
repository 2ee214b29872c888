/**
 * Sends a body while it is made or read: what is in memory is its newest piece, and what the client
 * has not taken yet. A failure before the first piece is a refusal. After it the connection is cut,
 * so that nobody takes a part for the whole.
 */
import { once } from 'node:events'
import { invalidRequest } from '../../contract/errors.ts'
import { interopLimits } from '../../contract/interop-limits.ts'
import { RequestAbandoned } from '../../database/fair-queue.ts'
import { type Exchange, requesterOf } from '../exchange.ts'
import type { StreamResult } from '../execute.ts'
import { asRefusal } from '../refusals.ts'
import { send, sendHead, sendRefusal } from '../respond.ts'

/** What is sent: its pieces are asked for one after the other. */
interface Pieces {
  stream: AsyncIterable<string | Uint8Array>
  headers: Readonly<Record<string, string>>
}

/** Settles when the response has ended. Downloads take turns by organization. */
export const sendStream = async (exchange: Exchange, result: StreamResult): Promise<void> => {
  const { pipeline, caller, admission } = exchange
  const requester = requesterOf(exchange, caller!.organization.id)
  const sendBody = admission === undefined ? sendPieces : sendToTool
  await sendOrRefuse(exchange, () =>
    pipeline.listDownloads.run(requester, () => sendBody(exchange, result, requester.signal!)),
  )
}

export const sendOrRefuse = async (
  exchange: Exchange,
  sending: () => Promise<void>,
): Promise<void> => {
  const { response } = exchange
  try {
    await sending()
  } catch (error) {
    const refusal = await asRefusal(error, exchange)
    // A response that has begun can only break off, so that no client takes it for complete.
    if (response.headersSent) response.destroy()
    else sendRefusal(exchange, refusal)
  }
}

export const sendPieces = async (
  exchange: Exchange,
  { stream, headers }: Pieces,
  hangUp: AbortSignal,
): Promise<void> => {
  const { request, response } = exchange
  const endsAt = performance.now() + interopLimits.downloadMaxMs
  for await (const piece of stream) {
    if (!response.headersSent) sendHead(exchange, 200, headers)
    if (request.method === 'HEAD') break
    if (!response.write(piece)) await untilTaken(exchange, hangUp)
    if (performance.now() > endsAt) throw new RequestAbandoned('the client is too slow')
  }
  response.end()
}

const untilTaken = async ({ response }: Exchange, hangUp: AbortSignal): Promise<void> => {
  const signal = AbortSignal.any([hangUp, AbortSignal.timeout(interopLimits.downloadStallMs)])
  try {
    await once(response, 'drain', { signal })
  } catch (error) {
    throw new RequestAbandoned('the client takes nothing more', { cause: error })
  }
}

/** A tool returns the whole text, which a model has to read. */
const sendToTool = async (exchange: Exchange, { stream, headers }: StreamResult): Promise<void> => {
  let text = ''
  for await (const piece of stream) {
    text += piece
    if (text.length > interopLimits.toolTextMaxLength) throw tooLongForTool()
  }
  send(exchange, 200, text, headers)
}

const tooLongForTool = () =>
  invalidRequest({
    param: 'since',
    code: 'out_of_range',
    message: `A tool returns at most ${interopLimits.toolTextMaxLength} characters, and this is more.`,
    fix: 'narrow the filters, or send the request over HTTP',
  })
