/** The response that a connection is at; those to pipelined requests wait behind it. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What Node.js has and its types lack. */
type AnsweringSocket = Socket & { _httpMessage?: ServerResponse | null }

export const currentResponse = (socket: AnsweringSocket): ServerResponse | undefined =>
  // oxlint-disable-next-line no-underscore-dangle -- the name that Node.js has for it
  socket._httpMessage ?? undefined
