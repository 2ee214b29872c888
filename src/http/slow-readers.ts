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

/** Responses to pipelined requests that wait for those before them. */
const waitingOf = new WeakMap<Socket, Set<ServerResponse>>()

/** For each response that has ended: it has no connection yet if it waits behind another one. */
export const noteIfWaiting = (response: ServerResponse): void => {
  if (response.socket !== null) return
  const { socket } = response.req
  const waiting = waitingOf.get(socket)
  if (waiting === undefined) waitingOf.set(socket, new Set([response]))
  else waiting.add(response)
}

export const cutOffSlowReaders = (server: Server, readers: ReaderLimits): void => {
  const sockets = new Set<Socket>()
  const progress = new WeakMap<Socket, Progress>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const timer = setInterval(() => {
    const unsent = unsentBySocket(sockets)
    for (const socket of unsent.keys()) recordProgress(progress, socket)
    closeSlowest(unsent, (socket) => progress.get(socket)!.sinceMs, readers)
  }, readers.checkEveryMs)
  server.once('close', () => clearInterval(timer))
  timer.unref()
}

/** In bytes. */
const unsentBySocket = (sockets: ReadonlySet<SendingSocket>): Map<SendingSocket, number> => {
  const unsent = new Map<SendingSocket, number>()
  for (const socket of sockets) {
    const bytes = socket.writableLength + waitingBytes(socket)
    if (bytes > 0) unsent.set(socket, bytes)
  }
  return unsent
}

/** What has a connection is in that one's length. */
const waitingBytes = (socket: Socket): number => {
  const waiting = waitingOf.get(socket)
  if (waiting === undefined) return 0
  let bytes = 0
  for (const response of waiting) {
    if (response.writableFinished || response.socket !== null) waiting.delete(response)
    else bytes += response.writableLength
  }
  if (waiting.size === 0) waitingOf.delete(socket)
  return bytes
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
