/**
 * A response that its client does not take stays in the memory of the process. A connection on
 * which nothing is taken for a while is closed; and whatever all responses together hold beyond a
 * bound, those have to free whose clients have taken nothing for longest.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface ReaderLimits {
  checkEveryMs: number
  stallMs: number
  unsentMaxBytes: number
}

/** What Node.js has and its types lack. */
type SendingSocket = Socket & { _handle?: { writeQueueSize?: number } | null }

interface Progress {
  mark: string
  sinceMs: number
}

export const cutOffSlowReaders = (server: Server, readers: ReaderLimits): void => {
  const responses = new Set<ServerResponse>()
  const progress = new WeakMap<Socket, Progress>()
  server.on('request', (_request, response: ServerResponse) => {
    responses.add(response)
    response.once('close', () => responses.delete(response))
  })
  const timer = setInterval(() => {
    const unsent = unsentBySocket(responses)
    for (const socket of unsent.keys()) recordProgress(progress, socket)
    closeSlowest(unsent, (socket) => progress.get(socket)!.sinceMs, readers)
  }, readers.checkEveryMs)
  server.once('close', () => clearInterval(timer))
  timer.unref()
}

/** In bytes. Responses to pipelined requests wait for those before them. */
const unsentBySocket = (responses: Set<ServerResponse>): Map<SendingSocket, number> => {
  const unsent = new Map<SendingSocket, number>()
  for (const response of responses) {
    const { socket } = response.req
    // Those that were waiting behind another one are not closed with their connection.
    if (socket.destroyed) responses.delete(response)
    else if (response.writableLength > 0)
      unsent.set(socket, (unsent.get(socket) ?? 0) + response.writableLength)
  }
  return unsent
}

/** What is written later, such as the ping of a stream, is no progress. */
const recordProgress = (progress: WeakMap<Socket, Progress>, socket: SendingSocket): void => {
  const { bytesWritten, writableLength } = socket
  // oxlint-disable-next-line no-underscore-dangle -- how much of a long write is left
  const mark = `${bytesWritten - writableLength} ${socket._handle?.writeQueueSize}`
  if (progress.get(socket)?.mark !== mark)
    progress.set(socket, { mark, sinceMs: performance.now() })
}

const closeSlowest = (
  unsent: ReadonlyMap<Socket, number>,
  sinceMs: (socket: Socket) => number,
  { stallMs, unsentMaxBytes }: ReaderLimits,
): void => {
  const slowestFirst = [...unsent].toSorted(([a], [b]) => sinceMs(a) - sinceMs(b))
  let left = slowestFirst.reduce((sum, [, bytes]) => sum + bytes, 0)
  for (const [socket, bytes] of slowestFirst) {
    const isStalled = performance.now() - sinceMs(socket) > stallMs
    if (!isStalled && left <= unsentMaxBytes) return
    socket.destroy()
    left -= bytes
  }
}
