/** What of DATABASE_URL reaches the driver, and how. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { clientConfig } from '../../src/database/sql.ts'

interface Target {
  host: string
  database: string
  options: string
  application_name: string
  query_timeout: number
  ssl: unknown
}

/** Where the driver goes, and with what. */
const targetOf = (url: string): Target => {
  const client = new pg.Client(clientConfig(url, 'docex of the test'))
  return (client as unknown as { connectionParameters: Target }).connectionParameters
}

const { options: own } = targetOf('postgresql://user@host/docex')

/** [the URL, the host, what precedes our options]. */
const urls: [string, string, string][] = [
  ['postgresql://user@host/docex?', 'host', ''],
  ['postgresql://user@[::1]:5433/docex?sslmode=disable#options=-c%20jit=on', '::1', ''],
  ['postgresql://user@host/docex?options=endpoint%3Dep-1#of?options=x', 'host', 'endpoint=ep-1 '],
  ['postgresql://user@host/docex?options=-c+geqo=off&options=-c%20jit=on', 'host', '-c jit=on '],
  ['postgresql:///docex?host=/run/one%20socket&application_name=x', '/run/one socket', ''],
  // The driver takes a password that is not encoded, and decodes less of such a URL.
  ['postgresql://user:50%@/docex?host=/run/sockets&application_name=x', '/run/sockets', ''],
  ['postgresql://user:a b@host/docex?query_timeout=1&sslmode=disable', 'host', ''],
]

for (const [url, host, given] of urls) {
  test(`the driver is told of ${url}`, () => {
    const target = targetOf(url)
    assert.deepEqual([target.host, target.database], [host, 'docex'])
    assert.equal(target.options, given + own)
    assert.equal(target.application_name, 'docex of the test')
    assert.equal(target.query_timeout, clientConfig(url, '').query_timeout)
  })
}

test('every sslmode but disable and no-verify verifies the certificate, unless as libpq does', async () => {
  const warnings: string[] = []
  const note = ({ message }: Error) => void warnings.push(message)
  process.on('warning', note)
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    const { ssl } = targetOf(`postgresql://user@host/docex?application_name=x&sslmode=${mode}`)
    assert.notEqual(ssl, false, mode)
    assert.notEqual((ssl as { rejectUnauthorized?: boolean }).rejectUnauthorized, false, mode)
  }
  await new Promise(setImmediate)
  process.off('warning', note)
  assert.deepEqual(warnings, [])
  for (const given of ['sslmode=no-verify', 'uselibpqcompat=true&sslmode=require']) {
    const { ssl } = targetOf(`postgresql://user@host/docex?${given}`)
    assert.deepEqual(ssl, { rejectUnauthorized: false }, given)
  }
})
