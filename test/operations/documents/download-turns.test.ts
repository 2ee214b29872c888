/** Downloads of attachments that are slow, or that nobody waits for, hold up nobody else's. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readlink } from 'node:fs/promises'
import { type Socket, connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, test } from 'node:test'
import { turns } from '../../../src/contract/work-classes.ts'
import { attachmentsClient } from '../../support/documents/attachments-client.ts'
import { callApi } from '../../support/api-client.ts'
import { type Pair, aDraft, aPair } from '../../support/fixtures.ts'
import { rawRequest } from '../../support/http/raw-http.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

const running = await startTestService()
const { pathOf, upload, download } = attachmentsClient(running)
const attacker = await aPair(running)
const victim = await aPair(running)

/** The link to a file of so many bytes, more than the buffers of a connection take. */
const linkTo = async (pair: Pair, bytes: number): Promise<string> => {
  const { issuer } = pair
  const path = pathOf(await aDraft(running, pair))
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)]), 'large.bin')
  const { id } = (await upload(path, issuer.key, form)).body
  return (await callApi(running, 'GET', `${path}/${id}`, { key: issuer.key })).body.download_url
}

const sockets: Socket[] = []

/** Asks for a file, and reads nothing. */
const ask = async (url: string): Promise<Socket> => {
  const socket = connect(running.service.port, '127.0.0.1')
  sockets.push(socket)
  socket.pause()
  await once(socket, 'connect')
  socket.write(rawRequest(`GET ${new URL(url).pathname}`, []))
  return socket
}

/** Attachments that this process holds open. */
const openFiles = async (): Promise<number> => {
  const stored = join(running.service.context.config.dataDir, 'attachments')
  const names = await readdir('/proc/self/fd')
  const targets = names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => ''))
  return (await Promise.all(targets)).filter((target) => target.startsWith(stored)).length
}

const isLinux = process.platform === 'linux'

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  if (isLinux) await until('no file is open', async () => (await openFiles()) === 0)
})

test(
  'a file is closed when its client hangs up while it is compared',
  { skip: !isLinux },
  async () => {
    const url = await linkTo(attacker, 24_000_000)
    for (let i = 0; i < 10; i += 1) {
      const socket = await ask(url)
      await until('the file is compared', async () => (await openFiles()) > 0)
      socket.destroy()
    }
    await until('no file is open', async () => (await openFiles()) === 0)
  },
)

test(
  'clients that read nothing keep no more files open than their organization has places',
  { skip: !isLinux },
  async () => {
    const theirs = await linkTo(attacker, 24_000_000)
    const ours = await linkTo(victim, 100)
    const { runningPerOrganization: places } = turns.fileDownloads
    for (let i = 0; i < places + 4; i += 1) await ask(theirs)
    await until('its places are taken', async () => (await openFiles()) === places)
    // Whoever waits would open a file by then.
    const endsAt = performance.now() + 500
    while (performance.now() < endsAt) assert((await openFiles()) <= places)
    const reply = await download(ours)
    assert.equal((await reply.arrayBuffer()).byteLength, 100)
  },
)
