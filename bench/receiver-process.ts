/**
 * A webhook receiver in its own process, which responds 200 and counts. It prints its port and
 * replies to each message with the number of requests since the last reset, and the times of the
 * first and the last one.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { clockMs } from './clock.ts'

let count = 0
let firstAt = 0
let lastAt = 0

const server = createServer((request, response) => {
  const now = clockMs()
  if (count === 0) firstAt = now
  lastAt = now
  count += 1
  request.resume()
  request.on('end', () => response.writeHead(200, { 'Content-Length': 2 }).end('ok'))
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
process.on('message', (message) => {
  process.send!({ count, firstAt, lastAt })
  if (message === 'reset') count = 0
})
process.on('disconnect', () => process.exit(0))
