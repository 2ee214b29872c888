/** The socket beneath the driver, and answers of PostgreSQL that the driver cannot read. */
import type { Socket } from 'node:net'

/**
 * The driver has failed on what PostgreSQL sent, such as a value of more characters than a string
 * can have, which the service writes nowhere. It says nothing of other rows, and the same statement
 * fails again.
 */
export class UnreadableAnswer extends Error {
  override name = 'UnreadableAnswer'
  isTold = false
}

/**
 * Whether the statement that failed with this error is the one that was answered. Those behind it
 * on the connection fail later, with the same error, and may be repeated.
 */
export const isOfUnreadableAnswer = (error: unknown): boolean => {
  if (!(error instanceof UnreadableAnswer) || error.isTold) return false
  error.isTold = true
  return true
}

export const socketOf = (client: object): Socket =>
  (client as { connection: { stream: Socket } }).connection.stream

/**
 * Gives the connection up when the driver fails on what it reads there: thrown from the event of a
 * socket, that would end the process, and each one that reads the same row. For a client that is
 * connected.
 */
export const giveUpUnreadable = (client: object): void => {
  const socket = socketOf(client)
  for (const read of socket.listeners('data')) {
    socket.off('data', read as () => void)
    socket.on('data', (bytes: NonSharedBuffer) => {
      try {
        read(bytes)
      } catch (cause) {
        socket.destroy(new UnreadableAnswer('an answer of PostgreSQL cannot be read', { cause }))
      }
    })
  }
}
