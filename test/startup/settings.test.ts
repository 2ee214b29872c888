/** A setting that cannot be used causes one line with its name, the reason and the remedy. */
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { misspelledSettings, readConfig } from '../../src/config.ts'
import { savedLoopbackUrl } from '../../src/embedded-postgres/layout.ts'
import { databaseUrlError } from '../../src/startup/database-url-error.ts'
import {
  checkPorts,
  makeDirectories,
  makeDirectory,
} from '../../src/startup/directories-and-ports.ts'
import { Connection } from '../../src/database/sql.ts'
import { testServer } from '../support/database/postgres.ts'
import { startupErrorOf } from '../support/processes/program.ts'
import { temporaryDirectory } from '../support/processes/cluster-processes.ts'

const { dataDir } = await testServer()
const loopback = new URL(savedLoopbackUrl(dataDir)!)

/** The error of a start with this DATABASE_URL. */
const startupErrorFor = async (url: string): Promise<string> => {
  const error = await Connection.open(url, 'docex test').then(
    () => assert.fail('it can be used'),
    (refused: unknown) => refused,
  )
  return String(databaseUrlError(error, url))
}

const changed = (change: (url: URL) => void): string => {
  const url = new URL(loopback)
  change(url)
  return url.href
}

test('an error about DATABASE_URL names the cause, and never the password', async () => {
  const cases: [string, RegExp][] = [
    [changed((url) => (url.password = 'secret-word')), /the password is wrong/],
    [
      changed((url) => (url.username = 'nobody')),
      /the password is wrong, or there is no such user/,
    ],
    [changed((url) => (url.pathname = '/nowhere')), /the database does not exist/],
    [changed((url) => (url.port = '1')), /nothing listens there/],
    [changed((url) => (url.hostname = 'nowhere.invalid')), /the host is unknown/],
    [changed((url) => (url.search = '?sslmode=require')), /does not support TLS/],
    [changed((url) => (url.password = '')), /requires a password/],
    ['postgresql://user:secret-word@[', /it is not a valid URL/],
    [
      changed((url) => (url.search = '?sslmode=verify-ca&sslrootcert=/nowhere')),
      /file \/nowhere of/,
    ],
    [
      changed((url) => (url.search = '?options=-c%20no.such=1%20-c%20nothing=1')),
      /does not know a setting .* \(PostgreSQL: unrecognized configuration parameter "nothing"\)/,
    ],
    [
      changed((url) => (url.search = '?options=-x')),
      /the server refuses the connection \(PostgreSQL: invalid command-line argument/,
    ],
    ['postgresql://user:secret-word@/docex?host=/nowhere', /no socket in that directory/],
  ]
  for (const [url, why] of cases) {
    const startupError = await startupErrorFor(url)
    assert.match(startupError, /^SettingError: DATABASE_URL=.* cannot be used: /)
    assert.match(startupError, why)
    assert(
      !startupError.includes('secret-word') && !startupError.includes(loopback.password),
      startupError,
    )
  }
})

test('a start with a wrong DATABASE_URL fails with one line', async () => {
  const settings = { DATA_DIR: temporaryDirectory(), SERVER_KEY: 'x'.repeat(32) }
  const refused = changed((url) => (url.port = '1'))
  assert.match(
    await startupErrorOf({ ...settings, DATABASE_URL: refused }),
    /^DATABASE_URL=postgresql:\/\/postgres@127\.0\.0\.1:1\/docex cannot be used: nothing listens.*\n$/,
  )
  assert.equal(
    await startupErrorOf({ ...settings, DATABASE_URL: 'mysql://user:secret-word@host/x' }),
    'DATABASE_URL=… cannot be used: a URL that starts with postgresql://\n',
  )
})

test('a port in use is named with its setting before a database is created', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  const folder = join(temporaryDirectory(), 'data')
  assert.equal(
    await startupErrorOf({ PORT: String(port), DATA_DIR: folder }),
    `PORT=${port} cannot be used: another program already listens on 127.0.0.1:${port} (0 = any free port)\n`,
  )
  assert.equal(existsSync(join(folder, 'postgres')), false)
  const metrics = readConfig({ PORT: '0', METRICS_PORT: String(port) })
  await assert.rejects(checkPorts(metrics), new RegExp(`^SettingError: METRICS_PORT=${port} `))
  const elsewhere = readConfig({ PORT: '0', HOST: '192.0.2.1' })
  await assert.rejects(checkPorts(elsewhere), /^SettingError: HOST=192\.0\.2\.1 /)
  await checkPorts(readConfig({ PORT: String(port), PROCESS_ROLE: 'worker' }))
  taken.close()
})

test('a directory that cannot be created is named with its setting', async () => {
  const folder = temporaryDirectory()
  const file = join(folder, 'file')
  writeFileSync(file, '')
  for (const path of ['/proc/x/y', file, join(file, 'below')]) {
    await assert.rejects(
      makeDirectory('DATA_DIR', path),
      /^SettingError: DATA_DIR=.* a directory that can be created/,
    )
  }
  await makeDirectory('DATA_DIR', join(folder, 'a/b/c'))
  const keys = readConfig({ DATA_DIR: folder, PROVENANCE_KEYS_DIR: '/proc/x/y' })
  await assert.rejects(makeDirectories(keys), /^SettingError: PROVENANCE_KEYS_DIR=\/proc\/x\/y /)
})

test('METRICS_PORT defaults to a port of its own when others than this machine reach HOST', () => {
  const portFor = (settings: Record<string, string>) => readConfig(settings).metricsPort
  for (const HOST of ['0.0.0.0', '::', '192.0.2.1', 'api.internal']) {
    assert.equal(portFor({ HOST }), 9464, HOST)
    assert.equal(portFor({ HOST, METRICS_PORT: '9000' }), 9000)
    assert.equal(portFor({ HOST, PORT: '0' }), 0)
    // A worker listens only if it is told to.
    assert.equal(portFor({ HOST, PROCESS_ROLE: 'worker' }), undefined)
  }
  for (const HOST of ['', '127.0.0.1', '127.1.2.3', 'localhost', '::1', '::ffff:127.0.0.1']) {
    assert.equal(portFor({ HOST }), undefined, HOST)
    assert.equal(portFor({ HOST, METRICS_PORT: '9000' }), 9000)
  }
  assert.throws(() => readConfig({ HOST: '::', PORT: '9464' }), /METRICS_PORT=9464 cannot be used/)
})

test('a BASE_URL with other letters is used in ASCII, so that headers can have it', () => {
  const written = [
    ['https://bücher.example/', 'https://xn--bcher-kva.example'],
    ['https://日本.example:8443', 'https://xn--wgv71a.example:8443'],
    ['https://api.example:443', 'https://api.example:443'],
    ['http://[::1]:3000/', 'http://[::1]:3000'],
  ] as const
  for (const [BASE_URL, used] of written) assert.equal(readConfig({ BASE_URL }).baseUrl, used)
})

test('contract 10: a wrong value is named with its setting and what is accepted', () => {
  const url = /URL such as https:\/\/api\.example\.com, a host of its own without a path/
  const cases: [string, string, RegExp][] = [
    ['BASE_URL', 'api.example.com', url],
    ['BASE_URL', 'https://a b', url],
    ['BASE_URL', 'https://a:99999', url],
    ['BASE_URL', 'https://a?x=1', url],
    ['BASE_URL', 'https://a#x', url],
    ['BASE_URL', 'https://a/b c', url],
    ['BASE_URL', 'https://example.com/docex', url],
    ['BASE_URL', 'https://example.com//', url],
    ['BASE_URL', 'https://example.com\\docex', url],
    ['BASE_URL', 'https://a/"><b>', url],
    ['BASE_URL', 'https://ada:secret@a', url],
    ['KEY_ROTATION_GRACE', '24', /a duration such as 24h, 90s or 500ms, at most 3650d/],
    ['IDEMPOTENCY_RETENTION', '999999999d', /at most 3650d/],
    // Nothing would be remembered, and a retry would have a second effect.
    ['IDEMPOTENCY_RETENTION', '0s', /more than 0, such as 24h/],
    ['WEBHOOK_RETRY_SCHEDULE', '4000d,1s,1s,1s,1s', /at most 3650d/],
    ['METRICS_PORT', '8080', /a port other than PORT/],
    ['PROCESS_ROLE', 'wroker', /one of api, worker, all/],
    ['FAMILIES', 'documents,paymnts', /a comma-separated list of documents, /],
    ['TRUSTED_PROXIES', 'proxy.local', /addresses and CIDR ranges/],
    ['TRUSTED_PROXIES', '10.0.0.1/8', /host bits set\. Send 10\.0\.0\.0\/8 for the range/],
    ['QUOTA_DOCUMENTS_PER_DAY', 'many', /a whole number/],
    ['LOG_CALLS', 'yes', /one of 0, 1/],
    ['RATE_LIMITS', 'sec=100,sec=200', /limits, each once, such as sec=100/],
    ['RATE_LIMITS', 'sec=0', /limits, each once, such as sec=100/],
    ['SANDBOX_QUOTAS', '0', /one of on, off/],
    ['WEBHOOK_ALLOW_PRIVATE', 'yes', /one of 0, 1/],
    ['WITNESS_QUORUM', '1', /a number from 0 to 0/],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318', /the URL of a collector/],
    ['S3_ENDPOINT', 'https://store.example/bucket', /URL without a path/],
    ['PROVENANCE_ORIGIN', 'a+b', /without \+/],
  ]
  for (const [name, value, accepted] of cases) {
    assert.throws(
      () => readConfig({ [name]: value }),
      ({ message }: Error) =>
        message.startsWith(`${name}=${value} cannot be used: `) && accepted.test(message),
      `${name}=${value}`,
    )
  }
})

test('contract 10: a wrong value of several lines is named in one line', () => {
  assert.throws(() => readConfig({ FAMILIES: 'documents\r\npayments\n' }), {
    message: /^FAMILIES=documents⏎payments⏎ cannot be used: .*$/,
  })
})

test('a setting that requires another setting names it', () => {
  const cases: [string, RegExp][] = [
    ['STRIPE_WEBHOOK_SECRET', /^STRIPE_SECRET_KEY= cannot .* since STRIPE_WEBHOOK_SECRET is set/],
    ['STRIPE_API_BASE', /^STRIPE_SECRET_KEY= cannot .* since STRIPE_API_BASE is set/],
    ['SMTP_FROM', /^SMTP_URL= cannot .* since SMTP_FROM is set/],
    ['S3_BUCKET', /^S3_ENDPOINT= cannot .* since S3_BUCKET is set/],
    ['S3_SECRET_ACCESS_KEY', /^S3_ENDPOINT= cannot .* since S3_SECRET_ACCESS_KEY is set/],
    ['DATABASE_URL', /^SERVER_KEY= cannot .*shares DATABASE_URL/],
  ]
  for (const [name, pattern] of cases) {
    const read = () => readConfig({ [name]: 'postgresql://host/db' })
    assert.throws(read, ({ message }: Error) => pattern.test(message), name)
  }
})

test('a variable that looks like a misspelled setting is reported with the right name', () => {
  assert.deepEqual(
    misspelledSettings({ RATE_LIMIT: 'off', Database_Url: 'x', TRUSTED_PROXY: '' }),
    [
      { name: 'RATE_LIMIT', meant: 'RATE_LIMITS' },
      { name: 'Database_Url', meant: 'DATABASE_URL' },
    ],
  )
  const common = ['PATH', 'HOSTNAME', 'POST', 'LOG_LEVEL', 'NODE_ENV', 'SSH_AUTH_SOCK', 'LC_ALL']
  const ours = { DATA_DIR: '.data', FAMILIES: '', npm_config_user_agent: 'npm', PGHOST: 'x' }
  assert.deepEqual(
    misspelledSettings({ ...Object.fromEntries(common.map((name) => [name, '1'])), ...ours }),
    [],
  )
})
