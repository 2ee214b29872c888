/** Responses and docs say how long a connection stays open, and for how many requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { openSocket } from '../support/http/raw-http.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService()

test('a response that leaves its connection open names both limits, as the docs do', async () => {
  const { socket, text } = await openSocket(running)
  socket.write('GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n')
  await until('it is answered', () => text().includes('}'))
  socket.destroy()
  const stated = /^Keep-Alive: timeout=70, max=10000$/m
  assert.match(text(), stated)
  assert.match((await callApi(running, 'GET', '/v1/docs.md')).text, stated)
})
