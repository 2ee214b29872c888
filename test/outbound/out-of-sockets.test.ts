/** A process that has no file descriptor left does not charge it to the receiver. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { limits } from '../../src/contract/limits.ts'
import { countsTowardDisabling } from '../../src/webhook-delivery/endpoint-health.ts'
import { listen } from '../support/webhooks/receiver.ts'

const script = join(import.meta.dirname, '../support/processes/call-without-sockets.ts')
const url = `http://127.0.0.1:${await listen(createServer((_, response) => void response.end('ok')))}/`

const callWithoutSockets = async (releaseAfterMs: number, callsPublic = false) => {
  const command = `ulimit -n 64; exec "$0" "$@"`
  const args = [
    '-c',
    command,
    process.execPath,
    script,
    url,
    String(releaseAfterMs),
    String(callsPublic),
  ]
  const { stdout } = await promisify(execFile)('/bin/sh', args)
  return JSON.parse(stdout) as { status: number | null; error: string | null; isOurFault: boolean }
}

test('a call waits for a free socket', async () => {
  const response = await callWithoutSockets(500)
  assert.deepEqual(response, { status: 200, error: null, isOurFault: false })
})

test('a call that gets none is our fault, and does not count towards disabling the endpoint', async () => {
  const response = await callWithoutSockets(10 * limits.outboundSocketWaitMs)
  const error = 'this service had no free socket'
  assert.deepEqual(response, { status: null, error, isOurFault: true })
  const toPublic = await callWithoutSockets(10 * limits.outboundSocketWaitMs, true)
  assert.deepEqual(toPublic, { status: null, error, isOurFault: true })
  const due = { event_type: 'document.created', payload: '{}' } as never
  assert.equal(countsTowardDisabling(due, { isOurFault: true } as never), false)
  assert.equal(countsTowardDisabling(due, { isOurFault: false } as never), true)
})
