/** Answers in place of a service, one answer after the other. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

type Answer =
  | readonly [status: 200, body: object]
  | readonly [status: 409, reason: string, interval?: number]
  | readonly [status: 503]

interface ReceivedRequest {
  path: string
  authorization: string | undefined
  atMs: number
}

const bodyOf = (answer: Answer): object => {
  if (answer[0] === 200) return answer[1]
  if (answer[0] === 503) {
    return { error: { code: 'unavailable', message: 'Busy.', docs_url: '', request_id: '' } }
  }
  const [, reason, interval] = answer
  const details = { reason, ...(interval === undefined ? {} : { interval }) }
  return { error: { code: 'conflict', message: reason, docs_url: '', request_id: '', details } }
}

export const startStandIn = async (answers: readonly Answer[]) => {
  const requests: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    const { authorization } = request.headers
    const answer = answers[requests.length]!
    requests.push({ path: request.url!, authorization, atMs: performance.now() })
    request.resume()
    response.writeHead(answer[0], {
      'content-type': 'application/json',
      'svc-api-version': '1.16.0',
      'svc-should-retry': String(answer[0] === 503),
      ...(answer[0] === 503 && { 'retry-after': '0' }),
    })
    response.end(JSON.stringify(bodyOf(answer)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { requests, baseUrl: `http://127.0.0.1:${port}` }
}
