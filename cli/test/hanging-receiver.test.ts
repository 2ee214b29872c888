/** What `docex listen` does with a receiver that takes an event and never answers. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { type Attempt, deliver } from '../src/receiver.ts'

test('an event that a receiver takes without an answer is given up like one that it refuses', async () => {
  const server = createServer(() => {})
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const attempts: Attempt[] = []
  const receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
    waitsMs: [1, 1, 1, 1, 1],
    absentWaitMs: 1,
    timeoutMs: 100,
    signal: AbortSignal.timeout(10_000),
  }
  const last = await deliver(receiver, { id: 'evt_1' }, (attempt) => void attempts.push(attempt))
  assert.equal(last?.number, 6)
  assert.deepEqual(
    attempts.map(({ error }) => error),
    Array.from({ length: 6 }, () => 'no answer within 0.1 s'),
  )
})
