/** Passes requests on to the service with headers that a client cannot be told to send. */
import { request as send, createServer } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { TestService } from '../test-service.ts'
import { listen } from '../webhooks/receiver.ts'

export const startAuthorizingProxy = (running: Target, credential: string): Promise<string> =>
  startProxy(running, { authorization: `Bearer ${credential}` })

type Target = Pick<TestService, 'baseUrl'>

export const startProxy = async (
  { baseUrl }: Target,
  added: Readonly<Record<string, string>>,
): Promise<string> => {
  const { hostname, port } = new URL(baseUrl)
  const server = createServer((request, response) => {
    const { method, url: path } = request
    // Host and Origin stay as they are: whether they are allowed is tested.
    const headers = { ...request.headers, ...added }
    const forwarded = send({ hostname, port, method, path, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      pipeline(reply, response).catch(() => response.destroy())
    })
    pipeline(request, forwarded).catch(() => response.destroy())
  })
  return `http://127.0.0.1:${await listen(server)}`
}
