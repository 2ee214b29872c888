/** A service that is stopped finishes the requests in progress first. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type Socket, connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { testDatabase } from '../support/database/postgres.ts'
import { type LaunchedProgram, launchProgram, readyAddress } from '../support/processes/program.ts'
import { until } from '../support/until.ts'
import { temporaryDirectory } from '../support/processes/cluster-processes.ts'

const { url } = await testDatabase()
const dataDir = temporaryDirectory()
const body = JSON.stringify({ name: 'Half sent', scopes: ['documents:read'] })

interface HalfSent {
  program: LaunchedProgram
  socket: Socket
  response(): string
}

/** Sends the headers of a write, but not yet its body. */
const halfSent = async (): Promise<HalfSent> => {
  const program = launchProgram({
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    SERVER_KEY: 'a server key of the signals test, long enough',
  })
  const { port } = new URL(await readyAddress(program))
  const { organization } = JSON.parse(await readFile(join(dataDir, 'sandbox.json'), 'utf8'))
  const socket = connect(Number(port), '127.0.0.1')
  let response = ''
  socket.on('data', (part) => (response += part)).on('error', () => {})
  socket.write(
    [
      'POST /v1/keys HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${organization.admin_session_token}`,
      'Idempotency-Key: half-sent-request',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
      '\r\n',
    ].join('\r\n'),
  )
  await until('the service asks for the body', () => response.includes('100 Continue'))
  return { program, socket, response: () => response }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`a ${signal} that arrives twice, as npm sends it, waits for the request in progress`, async () => {
    const { program, socket, response } = await halfSent()
    program.child.kill(signal)
    await until('the first signal is handled', () =>
      program.output().includes(`${signal}: finishing`),
    )
    program.child.kill(signal)
    socket.write(body)
    await until('it has ended', () => program.exitStatus() !== null)
    assert.match(response(), /HTTP\/1\.1 201 /)
    assert.equal(program.exitStatus(), 0)
    assert.match(program.output(), /stopped\n$/)
  })
}

test('a later Ctrl-C does not wait for the request in progress', async () => {
  const { program } = await halfSent()
  await until('a second Ctrl-C ends the program', () => {
    program.child.kill('SIGINT')
    return program.exitStatus() !== null
  })
  assert.equal(program.exitStatus(), 1)
})

test('a requested stop succeeds also with the embedded PostgreSQL', async () => {
  const program = launchProgram({ DATA_DIR: temporaryDirectory() })
  await readyAddress(program)
  program.child.kill('SIGTERM')
  await until('it has ended', () => program.exitStatus() !== null)
  assert.match(program.output(), /stopped\n$/)
  assert.equal(program.exitStatus(), 0)
})
