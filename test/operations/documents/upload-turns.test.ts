/** Uploads that are slow, or that nobody may make, hold up nobody else's. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { type Socket, connect } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { turns } from '../../../src/contract/work-classes.ts'
import { type Reply, freshIdempotencyKey } from '../../support/api-client.ts'
import { aFileForm, attachmentsClient } from '../../support/documents/attachments-client.ts'
import { aDraft, aPair } from '../../support/fixtures.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { rawRequest, sendBytes } from '../../support/http/raw-http.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

const running = await startTestService()
const { upload, pathOf } = attachmentsClient(running)
const attacker = await aPair(running)
const victim = await aPair(running)
const theirs = pathOf(await aDraft(running, attacker))
const ours = pathOf(await aDraft(running, victim))
const missing = `/v1/documents/doc_${'0'.repeat(26)}/attachments`

const beginning = '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nabc'

/** The head of an upload of 1 MB, and its first bytes if there are any. */
const uploadHead = (path: string, key: string, body = ''): Buffer => {
  const headers = [
    `Authorization: Bearer ${key}`,
    `Idempotency-Key: ${freshIdempotencyKey()}`,
    'Content-Type: multipart/form-data; boundary=b',
    'Content-Length: 1000000',
  ]
  return rawRequest(`POST ${path}`, headers, body)
}

const sockets: Socket[] = []

/** Begins an upload, and never sends the rest. */
const begin = async (path: string, key: string): Promise<Socket> => {
  const socket = connect(running.service.port, '127.0.0.1')
  sockets.push(socket)
  await once(socket, 'connect')
  socket.write(uploadHead(path, key, beginning))
  return socket
}

const filesArriving = async (): Promise<number> => {
  const { dataDir } = running.service.context.config
  return (await readdir(join(dataDir, 'uploads')).catch(() => [])).length
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await until('nothing is received', async () => (await filesArriving()) === 0)
})
after(() => sockets.forEach((socket) => socket.destroy()))

test('contract 2: a document that the caller cannot see is 404 before a byte of the file', async () => {
  const drafted = pathOf(await aDraft(running, attacker))
  const hidden = [missing, ours, '/v1/documents/nonsense/attachments']
  for (const path of hidden) {
    // The form is announced, and nothing of it sent.
    const reply = await sendBytes(running, uploadHead(path, attacker.issuer.key))
    assertRefused(reply, 'not_found')
  }
  // The counterparty does not see the draft yet.
  const draft = await sendBytes(running, uploadHead(drafted, attacker.counterparty.key))
  assertRefused(draft, 'not_found')
  assert.equal(await filesArriving(), 0)
})

test('slow uploads to a missing document take no place', async () => {
  const { running: places } = turns.uploads
  const replies = Array.from({ length: places + 1 }, () =>
    sendBytes(running, uploadHead(missing, attacker.issuer.key, beginning)),
  )
  for (const reply of await Promise.all(replies)) assertRefused(reply, 'not_found')
  assert.equal((await upload(ours, victim.issuer.key)).status, 201)
})

test('an organization that fills its places and its queue leaves those of others', async () => {
  const { runningPerOrganization: places, waitingPerOrganization } = turns.uploads
  for (let i = 0; i < places; i += 1) await begin(theirs, attacker.issuer.key)
  await until('its places are taken', async () => (await filesArriving()) === places)
  const further = Array.from({ length: waitingPerOrganization + 1 }, () =>
    upload(theirs, attacker.issuer.key),
  )
  const full = await Promise.race(further)
  assertRefused(full, 'service_unavailable')
  const replies: Promise<Reply>[] = []
  for (let i = 0; i < places; i += 1) replies.push(upload(ours, victim.issuer.key))
  for (const reply of await Promise.all(replies)) assert.equal(reply.status, 201, reply.text)
  for (const socket of sockets.splice(0)) socket.destroy()
  // Those that waited have their turn now, or waited for too long.
  for (const { status } of await Promise.all(further)) assert([201, 503].includes(status))
})

test('a file that arrives too slowly is refused, and its place is free again', async () => {
  const startedAt = performance.now()
  const slow = await sendBytes(running, uploadHead(ours, victim.issuer.key, beginning))
  const [problem] = assertProblems(slow, '/file invalid_value')
  assert.equal(problem!.message, 'Less than 16384 bytes arrived per second.')
  assert.equal(slow.headers.get('connection'), 'close')
  const afterMs = performance.now() - startedAt
  assert(afterMs >= limits.uploadStallMs, `${afterMs} ms`)
  assert.equal(await filesArriving(), 0)
  const large = aFileForm('large.bin', 'x'.repeat(2_000_000))
  assert.equal((await upload(ours, victim.issuer.key, large)).status, 201)
})
