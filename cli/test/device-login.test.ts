/** Sessions that a person approves in a browser: login --device, and how they end. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { callApi } from '../../test/support/api-client.ts'
import { aPair } from '../../test/support/fixtures.ts'
import { decide } from '../../test/support/identity/device-codes.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { type Cli, type Outcome, cliWith } from './support/run-cli.ts'
import { startStandIn } from './support/stand-in.ts'

const running = await startTestService()
const pair = await aPair(running)
const { session } = pair.issuer

const withFolder = () => {
  const folder = temporaryFolder()
  return { cli: cliWith({ DOCEX_CONFIG_DIR: folder }), file: `${folder}/profiles.json` }
}

const login = ['login', '--base-url', running.baseUrl]

const storedIn = (file: string, name: string): Record<'api_key' | 'session_ends_at', string> =>
  JSON.parse(readFileSync(file, 'utf8')).profiles[name]

/** Signs in by a code that a person approves. */
const loginByDevice = async (cli: Cli): Promise<Outcome> => {
  const shown = Promise.withResolvers<string>()
  const onStderr = (text: string): void => {
    const [, code] = /enter the code (\S+)/.exec(text) ?? []
    if (code !== undefined) shown.resolve(code)
  }
  const loggingIn = cli([...login, '--device', '--json'], { onStderr })
  const user_code = await shown.promise
  await decide(running, session, 'claim', { user_code })
  await decide(running, session, 'approve', { user_code })
  return loggingIn
}

const isKnown = async (token: string) =>
  (await callApi(running, 'GET', '/v1/me', { key: token })).status === 200

// Each waits five seconds, as long as between two polls.
describe('sessions of login --device', { concurrency: true }, () => {
  test('console 2.4: login --device stores the session of whoever approves the code', async () => {
    const { cli, file } = withFolder()
    const { code, stdout, stderr } = await loginByDevice(cli)
    assert.equal(code, 0, stderr)
    assert.equal(JSON.parse(stdout).organization.id, pair.issuer.id)
    assert.match(stderr, /\/app\/device\?user_code=/)
    assert(!/rs_|dc_/.test(stdout + stderr), 'no secret is printed')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const me = JSON.parse((await cli(['whoami', '--json'])).stdout)
    assert.deepEqual([me.key, me.organization.id], [null, pair.issuer.id])
  })

  test('logout ends the session of login --device, and none that was pasted', async () => {
    const { cli, file } = withFolder()
    await cli([...login, '--profile', 'pasted'], { stdin: session })
    await loginByDevice(cli)
    const token = storedIn(file, 'default').api_key
    assert(await isKnown(token))
    const { code, stdout, stderr } = await cli(['logout', '--all', '--json'])
    assert.equal(code, 0, stderr)
    assert.deepEqual(JSON.parse(stdout), { removed: ['pasted', 'default'] })
    assert.match(stderr, /^The session of profile default has ended\.$/m)
    assert(!(await isKnown(token)))
    assert(await isKnown(session))
  })

  test('a login over the profile of a session of login --device ends it, unless it stores the same', async () => {
    const { cli, file } = withFolder()
    await loginByDevice(cli)
    const stored = readFileSync(file, 'utf8')
    const token = storedIn(file, 'default').api_key
    await cli(login, { stdin: token })
    assert(await isKnown(token))
    writeFileSync(file, stored)
    const { code, stderr } = await cli(login, { stdin: session })
    assert.equal(code, 0, stderr)
    assert.match(stderr, /^The session of profile default has ended\.$/m)
    assert(!(await isKnown(token)))
  })

  test('logout says when a session ends by itself that the service cannot be asked to end', async () => {
    const { cli, file } = withFolder()
    await loginByDevice(cli)
    const endsAt = storedIn(file, 'default').session_ends_at
    const stored = readFileSync(file, 'utf8').replace(running.baseUrl, 'http://127.0.0.1:9')
    writeFileSync(file, stored)
    const { code, stderr } = await cli(['logout'])
    assert.equal(code, 0, stderr)
    assert.match(stderr, new RegExp(`could not be ended: it ends by itself at ${endsAt}\\.$`, 'm'))
    assert.equal((await cli(['whoami'])).code, 3)
  })
})

test('RFC 8628 3.5: it waits longer after slow_down, and ends when the code is denied', async () => {
  const codes = { device_code: 'dc_x', user_code: 'WDJB-MJHT', expires_in: 60, interval: 0.01 }
  const standIn = await startStandIn([
    [200, { ...codes, verification_uri: '', verification_uri_complete: '' }],
    [409, 'authorization_pending', 0.02],
    [409, 'slow_down', 0.3],
    [409, 'authorization_pending', 0.3],
    [409, 'access_denied'],
  ])
  const { cli, file } = withFolder()
  const { code, stderr } = await cli(['login', '--device', '--base-url', standIn.baseUrl])
  assert.equal(code, 1, stderr)
  assert.match(stderr, /access_denied/)
  assert(!existsSync(file))
  const { requests } = standIn
  assert.deepEqual(
    requests.map(({ path }) => path),
    ['/auth/device', ...Array(4).fill('/auth/device/token')],
  )
  assert(requests.every(({ authorization }) => authorization === undefined))
  for (const at of [3, 4]) assert(requests[at]!.atMs - requests[at - 1]!.atMs >= 290)
})

test('a service that is busy for a while does not end the wait for an approval', async () => {
  const codes = { device_code: 'dc_x', user_code: 'WDJB-MJHT', expires_in: 60, interval: 0.01 }
  const busy = Array<[503]>(4).fill([503])
  const standIn = await startStandIn([
    [200, { ...codes, verification_uri: '', verification_uri_complete: '' }],
    ...busy,
    [409, 'access_denied'],
  ])
  const { cli } = withFolder()
  const { stderr } = await cli(['login', '--device', '--base-url', standIn.baseUrl])
  assert.match(stderr, /access_denied/)
  assert.equal(standIn.requests.length, 6)
})

test('a service that stays busy is not waited for longer than the code is good', async () => {
  const codes = { device_code: 'dc_x', user_code: 'WDJB-MJHT', expires_in: 1, interval: 0.8 }
  const standIn = await startStandIn([
    [200, { ...codes, verification_uri: '', verification_uri_complete: '' }],
    ...Array<[503]>(6).fill([503]),
  ])
  const { cli } = withFolder()
  const start = performance.now()
  const { stderr } = await cli(['login', '--device', '--base-url', standIn.baseUrl])
  assert.match(stderr, /Nobody has approved the code in time/)
  assert(performance.now() - start < 2_000)
})
