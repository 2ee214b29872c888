/** What a start says when DATABASE_URL leads to a server with TLS whose certificate fails. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { TLSSocket } from 'node:tls'
import { Connection, DatabaseUnavailable } from '../../src/database/sql.ts'
import { databaseUrlError } from '../../src/startup/database-url-error.ts'

/** A key, and a certificate for receiver.example that it has signed itself. */
const certificateFile = fileURLToPath(
  new URL('../support/webhooks/receiver.example.pem', import.meta.url),
)

/** A server that accepts TLS, as the first message of PostgreSQL's protocol asks for it. */
const startServer = async (): Promise<number> => {
  const pem = readFileSync(certificateFile)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('data', () => {
      socket.write('S')
      new TLSSocket(socket, { isServer: true, key: pem, cert: pem }).on('error', () => {})
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => {
    sockets.forEach((socket) => socket.destroy())
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const port = await startServer()

const startupErrorFor = async (parameters: string): Promise<string> => {
  const url = `postgresql://user@127.0.0.1:${port}/docex?${parameters}`
  const error = await Connection.open(url, 'docex test').then(
    () => assert.fail('it can be used'),
    (refused: unknown) => refused,
  )
  return String(databaseUrlError(error, url))
}

test('a certificate that nobody trusted has signed is said to be that', async () => {
  assert.match(
    await startupErrorFor('sslmode=verify-full'),
    /^SettingError: DATABASE_URL=.*: no authority .* has signed the server's certificate: .*sslrootcert/,
  )
})

test('a certificate for another host is said to be that', async () => {
  assert.match(
    await startupErrorFor(`sslmode=verify-full&sslrootcert=${certificateFile}`),
    /^SettingError: DATABASE_URL=.*: the server's certificate is for another host: .*URL/,
  )
})

/** Errors of Node.js and OpenSSL that would need certificates of their own. */
const reasons: [string, string, RegExp][] = [
  ['CERT_HAS_EXPIRED', 'certificate has expired', /: the server's certificate has expired: renew/],
  ['CERT_NOT_YET_VALID', 'certificate is not yet valid', /not valid yet: compare the clocks/],
  [
    'ERR_OSSL_X509_KEY_VALUES_MISMATCH',
    'key values mismatch',
    /: sslkey is not the key of sslcert/,
  ],
  ['ERR_OSSL_UNSUPPORTED', 'DECODER routines::unsupported', /: sslcert or sslkey .*passphrase/],
  ['ERR_OSSL_PEM_NO_START_LINE', 'no start line', /: sslcert or sslkey .*passphrase/],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'alert unknown ca\n', /the server refuses .* sslcert/],
  ['ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED', 'alert\n', /the server refuses .* sslcert/],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'alert\n', /the server refuses the TLS/],
]

for (const [code, message, reason] of reasons) {
  test(`${code} has a reason in one line`, () => {
    const cause = Object.assign(new Error(message), { code })
    const error = new DatabaseUnavailable('cannot connect to PostgreSQL', { cause })
    const told = String(databaseUrlError(error, 'postgresql://user@host/docex'))
    assert.match(told, reason)
    assert.match(told, /^SettingError: DATABASE_URL=[^\n]*$/)
  })
}
