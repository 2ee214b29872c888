/** Profiles and secrets: login, logout, whoami, status, sandbox use. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { aPair } from '../../test/support/fixtures.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { cliWith } from './support/run-cli.ts'

const running = await startTestService()
const pair = await aPair(running)
const { key, session } = pair.issuer

const withFolder = () => {
  const folder = temporaryFolder()
  const cli = cliWith({ DOCEX_CONFIG_DIR: `${folder}/docex` })
  return { cli, file: `${folder}/docex/profiles.json`, folder: `${folder}/docex` }
}

const login = ['login', '--base-url', running.baseUrl]

test('a key from stdin becomes a profile, in a file that only its owner can read', async () => {
  const { cli, file, folder } = withFolder()
  const { code, stdout, stderr } = await cli([...login, '--json'], { stdin: `${key}\n` })
  assert.equal(code, 0, stderr)
  assert.equal(JSON.parse(stdout).organization.name, pair.issuer.name)
  assert(!(stdout + stderr).includes(key))
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  assert.deepEqual(readdirSync(folder), ['profiles.json'])
  const me = JSON.parse((await cli(['whoami', '--json'])).stdout)
  assert.deepEqual([me.organization.id, me.profile], [pair.issuer.id, 'default'])

  await cli([...login, '--profile', 'buyer'], { stdin: pair.counterparty.key })
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const both = await Promise.all([
    cli(['whoami', '--json', '--profile', 'default']),
    cli(['whoami', '--json']),
  ])
  const names = both.map((one) => JSON.parse(one.stdout).organization.name)
  assert.deepEqual(names, [pair.issuer.name, pair.counterparty.name])

  assert.equal((await cli(['logout', '--profile', 'buyer'])).code, 0)
  const none = await cli(['whoami'])
  assert.equal(none.code, 3)
  assert.match(none.stderr, /No profile is in use \(there are: default\): run docex profiles use/)
  assert.equal((await cli(['whoami', '--profile', 'buyer'])).code, 3)
  assert.equal((await cli(['logout', '--all'])).code, 0)
  assert(!readFileSync(file, 'utf8').includes('rk_'))
})

test('profiles are listed, the one in use marked, and another one is used from now on', async () => {
  const { cli } = withFolder()
  const empty = await cli(['profiles', '--json'])
  assert.deepEqual([empty.code, JSON.parse(empty.stdout)], [0, { data: [] }])
  const first = await cli([...login, '--profile', 'seller'], { stdin: key })
  assert.match(first.stderr, /^Profile seller is in use now\.$/m)
  await cli([...login, '--profile', 'admin'], { stdin: session })
  const inUse = async (env = {}) => {
    const { stdout } = await cli(['profiles', '--json'], { env })
    assert(!/rk_|rs_/.test(stdout), 'no secret is printed')
    const { data } = JSON.parse(stdout) as { data: { name: string; in_use: boolean }[] }
    return data.flatMap((one) => (one.in_use ? [one.name] : []))
  }
  assert.deepEqual(await inUse(), ['admin'])
  const used = await cli(['profiles', 'use', 'seller', '--json'])
  assert.deepEqual([used.code, JSON.parse(used.stdout).profile], [0, 'seller'])
  assert.deepEqual(await inUse(), ['seller'])
  assert.equal(JSON.parse((await cli(['whoami', '--json'])).stdout).user, null)
  const { stdout } = await cli(['profiles'])
  assert.match(stdout, /^\* +seller .* key +http/m)
  assert.match(stdout, /^ {3}admin .* session +http/m)
  const unknown = await cli(['profiles', 'use', 'nobody'])
  assert.equal(unknown.code, 3)
  assert.match(unknown.stderr, /no profile nobody \(there are: seller, admin\)/)
  assert.deepEqual(await inUse({ DOCEX_PROFILE: 'admin' }), ['admin'])
  assert.deepEqual(await inUse({ DOCEX_API_KEY: key }), [])
  const shadowed = await cli(['profiles', 'use', 'admin'], { env: { DOCEX_API_KEY: key } })
  assert.match(shadowed.stderr, /but DOCEX_API_KEY is set and takes precedence over it/)
})

test('a folder of settings that is empty or relative is as none', async () => {
  const { cli } = withFolder()
  const settings = { DOCEX_API_KEY: key, DOCEX_BASE_URL: running.baseUrl, DOCEX_CONFIG_DIR: '' }
  for (const folder of ['', 'relative']) {
    const env = { ...settings, XDG_CONFIG_HOME: folder }
    const { profiles_file: file } = JSON.parse((await cli(['status', '--json'], { env })).stdout)
    assert.equal(file, join(homedir(), '.config', 'docex', 'profiles.json'))
  }
})

test('an address with a query or a password is not one of a service', async () => {
  const { cli } = withFolder()
  for (const url of [`${running.baseUrl}?x=1`, running.baseUrl.replace('//', '//me:secret@')]) {
    const env = { DOCEX_API_KEY: key, DOCEX_BASE_URL: url }
    const { code, stderr } = await cli(['whoami'], { env })
    assert.equal(code, 2)
    assert(!stderr.includes('secret'), stderr)
  }
})

test('DOCEX_API_KEY alone goes to the service of the profile in use', async () => {
  const { cli } = withFolder()
  await cli(login, { stdin: key })
  const env = { DOCEX_API_KEY: pair.counterparty.key }
  const me = JSON.parse((await cli(['whoami', '--json'], { env })).stdout)
  assert.deepEqual(
    [me.organization.id, me.profile, me.base_url],
    [pair.counterparty.id, null, running.baseUrl],
  )
})

test('a credential that the service does not know says how to get another one', async () => {
  const { cli } = withFolder()
  const env = { DOCEX_API_KEY: 'rk_test_x', DOCEX_BASE_URL: running.baseUrl }
  const { code, stderr } = await cli(['documents', 'list'], { env })
  assert.equal(code, 3)
  assert.match(stderr, /^ {2}sign in {2}docex login --device, or docex login with another key$/m)
})

test('what needs a person says how to sign in, and logs tail waits for nothing before', async () => {
  const { cli } = withFolder()
  await cli(login, { stdin: key })
  for (const argv of [
    ['requests', 'list'],
    ['logs', 'tail'],
    ['saved-views', 'list'],
  ]) {
    const { code, stderr } = await cli(argv)
    assert.equal(code, 1)
    assert.match(stderr, /^error insufficient_scope: /)
    assert.doesNotMatch(stderr, /Waiting/)
    assert.match(stderr, /^ {2}sign in {2}docex login --device, or --profile /m)
  }
})

test('a key that the service refuses is not stored', async () => {
  const { cli, file } = withFolder()
  assert.equal((await cli(login, { stdin: 'rk_test_wrong' })).code, 3)
  assert.equal((await cli(login, { stdin: '' })).code, 3)
  assert(!existsSync(file))
})

test('a profile file that others can read is refused', async () => {
  const { cli, file } = withFolder()
  await cli(login, { stdin: key })
  chmodSync(file, 0o644)
  const { code, stderr } = await cli(['whoami'])
  assert.equal(code, 3)
  assert.match(stderr, /chmod 600/)
})

test('a secret in an argument is refused, and not repeated', async () => {
  const { cli } = withFolder()
  const attempts = [
    ['login', key],
    ['login', '--api-key', key],
    ['get', `/v1/me?key=${session}`],
    ['post', '/v1/me', '--data', JSON.stringify({ key })],
    ['listen', '--secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  ]
  for (const argv of attempts) {
    const { code, stdout, stderr } = await cli(argv)
    assert.equal(code, 2, stderr)
    assert.match(stderr, /contains a secret/)
    assert(![key, session, 'MfKQ9r8'].some((one) => (stdout + stderr).includes(one)))
  }
  const prefix = ['requests', 'list', '--key', key.slice(0, 20), '--json']
  const env = { DOCEX_API_KEY: session, DOCEX_BASE_URL: running.baseUrl }
  assert.equal((await cli(prefix, { env })).code, 1, 'a prefix is public: the service decides')
})

test('a key that no header can carry is a wrong credential, and is not shown', async () => {
  const { cli } = withFolder()
  for (const wrong of ['rk_test_secret…', 'rk_test_secret\r\nX-Other: 1']) {
    const env = { DOCEX_API_KEY: wrong, DOCEX_BASE_URL: running.baseUrl }
    for (const argv of [['whoami'], login]) {
      const { code, stderr } = await cli([...argv, '--json'], { env })
      assert.deepEqual([code, JSON.parse(stderr).error.code], [3, 'no_credentials'])
      assert.doesNotMatch(stderr, /secret/)
    }
  }
  const env = { DOCEX_API_KEY: `${key}\r\n`, DOCEX_BASE_URL: running.baseUrl }
  assert.equal((await cli(['whoami'], { env })).code, 0)
})

test('the key of a profile goes only to its own service', async () => {
  const { cli } = withFolder()
  await cli(login, { stdin: key })
  const { code, stderr } = await cli(['me', 'get'], {
    env: { DOCEX_BASE_URL: 'http://127.0.0.1:9' },
  })
  assert.equal(code, 3)
  assert.match(stderr, /belongs to/)
})

test('--non-interactive never asks: without stdin and environment it fails', async () => {
  const { cli } = withFolder()
  const env = { DOCEX_API_KEY: key }
  assert.equal((await cli([...login, '--non-interactive'], { env })).code, 0)
})

test('sandbox use takes the keys of a sandbox.json', async () => {
  const { cli, file } = withFolder()
  const path = `${temporaryFolder()}/sandbox.json`
  const side = ({ name, key, session }: typeof pair.issuer) => ({
    name,
    api_key: key,
    admin_session_token: session,
  })
  const content = {
    base_url: running.baseUrl,
    organization: side(pair.issuer),
    demo: side(pair.counterparty),
  }
  writeFileSync(path, JSON.stringify(content))
  const { code, stdout, stderr } = await cli(['sandbox', 'use', path, '--json'])
  assert.equal(code, 0, stderr)
  assert.deepEqual(JSON.parse(stdout).profiles, ['sandbox', 'sandbox-admin', 'demo', 'demo-admin'])
  assert(!stdout.includes('rk_'))
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal((await cli(['documents', 'list'])).code, 0)
  assert.equal((await cli(['keys', 'list', '--profile', 'sandbox-admin'])).code, 0)
  const demo = JSON.parse((await cli(['whoami', '--profile', 'demo', '--json'])).stdout)
  assert.equal(demo.organization.id, pair.counterparty.id)
})

test('status says whether the service and the credential work', async () => {
  const { cli } = withFolder()
  const env = { DOCEX_BASE_URL: running.baseUrl }
  const without = await cli(['status', '--json'], { env })
  assert.deepEqual(
    [without.code, JSON.parse(without.stdout).credential, JSON.parse(without.stdout).service],
    [0, 'none', 'ready'],
  )
  const status = await cli(['status', '--json'], { env: { ...env, DOCEX_API_KEY: key } })
  assert.equal(JSON.parse(status.stdout).organization.id, pair.issuer.id)
  const nothing = await cli(['status', '--json'], { env: { DOCEX_BASE_URL: 'http://127.0.0.1:9' } })
  assert.equal(nothing.code, 4)
})
