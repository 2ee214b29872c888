/** A request that is not HTTP, or never complete: an error without a caller, then the end. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { refuse } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { type Pipeline, openExchange } from './exchange.ts'
import { sendRefusal } from './respond.ts'

export const malformedRequest = (
  pipeline: Pipeline,
  { code }: NodeJS.ErrnoException,
  socket: Socket,
): void => {
  if (socket.destroyed || !socket.writable) return
  const request = { headers: {}, socket } as unknown as IncomingMessage
  const exchange = openExchange(pipeline, request, responseOn(socket))
  const { network } = pipeline.addressOf(request)
  exchange.rateLimitStatus = pipeline.rateLimits.count('address', network)
  sendRefusal(exchange, code === 'ERR_HTTP_REQUEST_TIMEOUT' ? tooSlow() : notHttp())
}

const notHttp = () =>
  refuse('invalid_request', 'The request is not well-formed HTTP.', {
    errors: [
      {
        param: '',
        code: 'invalid_value',
        message:
          'The request line, a header or the body framing is malformed or too large, or there are too many headers.',
        fix: `send one well-formed HTTP/1.1 request with at most ${limits.headersMaxCount} headers, of at most ${limits.headerMaxBytes} bytes together`,
      },
    ],
  })

const tooSlow = () =>
  refuse('invalid_request', 'The request did not arrive in time.', {
    errors: [
      {
        param: '',
        code: 'invalid_value',
        message: `Its headers may take ${limits.headersTimeoutMs / 1000} s, and all of it ${limits.requestTimeoutMs / 1000} s.`,
        fix: 'send the same request again, with the same Idempotency-Key',
      },
    ],
  })

/** The part of a response that `send` uses, written to a socket without a parser. */
const responseOn = (socket: Socket): ServerResponse => {
  const lines: string[] = []
  const response = {
    writeHead: (status: number, headers: string[]) => {
      lines.push(`HTTP/1.1 ${status} ${status === 400 ? 'Bad Request' : ''}`.trimEnd())
      for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`)
      lines.push('Connection: close')
    },
    end: (body: string) => socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`),
  }
  return response as unknown as ServerResponse
}
