/** Writes of keys with a `signing_key` are signed by their party (contract 3, RFC 9421). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { aFileForm } from '../support/documents/attachments-client.ts'
import { aKey, aPair, exampleLine } from '../support/fixtures.ts'
import { assertProblems, assertRefused } from '../support/http/error-responses.ts'
import {
  type Unsigned,
  aSigner,
  digestOf,
  nowInSeconds,
  paramsOf,
  sendTo,
  signatureHeaders,
  signed,
  unsigned,
  valuesOf,
} from '../support/identity/request-signer.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { issuer, connection } = await aPair(running)
const signer = aSigner()
const scopes = ['documents:read', 'documents:write', 'provenance:read'] as const
const { secret } = await aKey(running, issuer, scopes, { signingKey: signer.raw })
const send = sendTo(running, secret)

const invoice = JSON.stringify({
  connection_id: connection,
  document_type: 'invoice',
  line_items: [exampleLine],
})
const creation = (more = {}): Unsigned => unsigned('POST', '/v1/documents', invoice, more)

const created = await send(signed(signer, creation()))
assert.equal(created.status, 201, created.text)
const { id } = created.body

/** The request with its signature, after which `change` was made. */
const altered = (change: Partial<Unsigned>, headers: Record<string, string> = {}): Unsigned => {
  const request = signed(signer, creation())
  return { ...request, ...change, headers: { ...request.headers, ...headers } }
}

const withParams = (change: (params: string) => string): Unsigned => {
  const request = creation()
  const values = valuesOf(request)
  const params = change(paramsOf(values, signer))
  return {
    ...request,
    headers: { ...request.headers, ...signatureHeaders(signer, values, params) },
  }
}

const withValues = (change: (values: [string, string][]) => [string, string][]): Unsigned => {
  const request = creation()
  const headers = signatureHeaders(signer, change(valuesOf(request)))
  return { ...request, headers: { ...request.headers, ...headers } }
}

const without = (component: string): Unsigned =>
  withValues((values) => values.filter(([name]) => name !== component))

/** Signed at another time than now. */
const signedAt = (created: number): Unsigned => {
  const request = creation()
  const values = valuesOf(request)
  const headers = signatureHeaders(signer, values, paramsOf(values, signer, created))
  return { ...request, headers: { ...request.headers, ...headers } }
}

const oneHeader = (name: string, change: (value: string) => string): Unsigned => {
  const request = signed(signer, creation())
  return { ...request, headers: { ...request.headers, [name]: change(request.headers[name]!) } }
}

const expired = nowInSeconds() - 10
const refusals: Record<string, () => Unsigned> = {
  'no signature': creation,
  'a signature without its input': () => oneHeader('signature-input', () => ''),
  'another body': () => altered({ body: invoice.replace('Consulting', 'Consultinh') }),
  'another body with its own digest': () => {
    const body = invoice.replace('Consulting', 'Consultinh')
    return altered({ body }, { 'content-digest': digestOf(body) })
  },
  'a body without a digest': () =>
    signed(signer, { ...unsigned('POST', '/v1/documents'), body: invoice }),
  'another path': () => altered({ path: `/v1/documents/${id}/issue` }),
  'a path with an escape': () =>
    signed(signer, unsigned('POST', `/v1/documents/${id.replace('_', '%5F')}/issue`)),
  'another method': () => altered({ method: 'PATCH', path: '/v1/documents/' + id }),
  'a query that was not signed': () => altered({ path: '/v1/documents?a=1' }),
  'another Idempotency-Key': () => altered({}, { 'idempotency-key': 'another-key-0001' }),
  'an If-Match that was not signed': () => altered({}, { 'if-match': '"1"' }),
  'a Svc-Dry-Run that was not signed': () => altered({}, { 'svc-dry-run': 'true' }),
  'the method left out': () => without('@method'),
  'the path left out': () => without('@path'),
  'the digest left out': () => without('content-digest'),
  'the Idempotency-Key left out': () => without('idempotency-key'),
  'a component twice': () => withValues((values) => [...values, values[0]!]),
  'a component that is absent': () => withValues((values) => [...values, ['if-match', '"1"']]),
  'a value that is not ASCII': () => signed(signer, creation({ 'if-match': '"é"' })),
  'a component of another kind': () => withValues((values) => [...values, ['host', 'example.com']]),
  'a component with a parameter': () =>
    withParams((text) => text.replace('"@path"', '"@path";req')),
  'created too long ago': () => signedAt(nowInSeconds() - 310),
  'created in the future': () => signedAt(nowInSeconds() + 310),
  'created twice': () => withParams((text) => `${text};created=${nowInSeconds()}`),
  'keyid twice': () => withParams((text) => `${text};keyid="${signer.signingKey}"`),
  'no created': () => withParams((text) => text.replace(/;created=\d+/, '')),
  'created as a text': () => withParams((text) => text.replace(/created=(\d+)/, 'created="$1"')),
  'created as a decimal': () => withParams((text) => text.replace(/(created=\d+)/, '$1.0')),
  'no keyid': () => withParams((text) => text.replace(/;keyid="[^"]*"/, '')),
  'another keyid': () =>
    withParams((text) => text.replace(/keyid="[^"]*"/, `keyid="${aSigner().signingKey}"`)),
  'another algorithm': () => withParams((text) => `${text};alg="rsa-pss-sha512"`),
  'an unknown parameter': () => withParams((text) => `${text};more=1`),
  'a text with an escape': () => withParams((text) => `${text};nonce="a\\"b"`),
  'expires in the past': () => withParams((text) => `${text};expires=${expired}`),
  'white space in the parameters': () =>
    oneHeader('signature-input', (text) => text.replace(';', '; ')),
  'two signatures': () => oneHeader('signature-input', (text) => `${text}, b=();created=1`),
  'the same label twice': () => oneHeader('signature', (text) => `${text}, ${text}`),
  'another label': () => oneHeader('signature', (text) => text.replace('sig', 'sag')),
  'a text as the signature': () => oneHeader('signature', () => 'sig="AAAA"'),
  'a signature with a parameter': () => oneHeader('signature', (text) => `${text};a`),
  'a shorter signature': () => oneHeader('signature', () => `sig=:${'A'.repeat(84)}:`),
  'a digest of another algorithm': () =>
    signed(signer, creation({ 'content-digest': digestOf(invoice).replace('256', '512') })),
  'the signature of another key': () => {
    const request = creation()
    const values = valuesOf(request)
    const headers = signatureHeaders(aSigner(), values, paramsOf(values, signer))
    return { ...request, headers: { ...request.headers, ...headers } }
  },
}

for (const [title, make] of Object.entries(refusals)) {
  test(`contract 3: refused with 401: ${title}`, async () => {
    assertRefused(await send(make()), 'unauthorized')
  })
}

test('RFC 9421: parameters that change nothing are accepted, and so is a time within 300 s', async () => {
  const soon = nowInSeconds() + 60
  for (const request of [
    withParams((text) => `${text};alg="ed25519";nonce="n1";tag="books";expires=${soon}`),
    signedAt(nowInSeconds() - 250),
    signedAt(nowInSeconds() + 250),
    withValues((values) => values.toReversed()),
    signed(signer, creation({ 'svc-dry-run': 'false' })),
  ]) {
    const reply = await send(request)
    assert.equal(reply.status, 201, reply.text)
  }
})

test('a signed query, If-Match, dry run and an empty body are accepted', async () => {
  const dry = signed(signer, creation({ 'svc-dry-run': 'true' }))
  assert.equal((await send(dry)).status, 200)
  const edit = unsigned('PATCH', `/v1/documents/${id}`, '{"notes":"Signed."}', {
    'if-match': '"1"',
  })
  assert.equal((await send(signed(signer, edit))).status, 200)
  const odd = signed(signer, { ...creation(), path: '/v1/documents?unknown=1' })
  assertRefused(await send(odd), 'invalid_request')
})

test('a retry is signed like the first request, and is refused before it is replayed', async () => {
  const request = creation()
  const first = await send(signed(signer, request))
  assert.equal(first.status, 201)
  const values = valuesOf(request)
  const later = signatureHeaders(signer, values, paramsOf(values, signer, nowInSeconds() + 1))
  const retry = await send({ ...request, headers: { ...request.headers, ...later } })
  assert.deepEqual(retry.body, first.body)
  assertRefused(await send(request), 'unauthorized')
})

test('contract 2: JSON is refused before a signature, and a signature before the schema', async () => {
  assertRefused(await send(unsigned('POST', '/v1/documents', '{')), 'invalid_request')
  assertRefused(await send(unsigned('POST', '/v1/documents', '{"a":1}')), 'unauthorized')
})

test('reads of the key need no signature, and other keys sign nothing', async () => {
  const read = await callApi(running, 'GET', `/v1/documents/${id}`, { key: secret })
  assert.equal(read.status, 200)
  const other = await callApi(running, 'POST', `/v1/documents/${id}/issue`, {
    key: issuer.key,
    headers: { 'svc-dry-run': 'true' },
  })
  assert.equal(other.status, 200, other.text)
})

test('a form with a file is signed by its digest', async () => {
  const form = new Request('http://localhost', { method: 'POST', body: aFileForm() })
  const type = form.headers.get('content-type')!
  const body = Buffer.from(await form.arrayBuffer()).toString()
  const path = `/v1/documents/${id}/attachments`
  const request = signed(signer, unsigned('POST', path, body))
  const headers = { ...request.headers, 'content-type': type }
  const attached = await send({ ...request, headers })
  assert.equal(attached.status, 201, attached.text)
  const other = await send({ ...request, headers, body: body.replace('A note.', 'B note.') })
  assertRefused(other, 'unauthorized')
})

test('contract 3: a key is minted with a signing_key, which its rotation carries over', async () => {
  const admin = (path: string, body: object) =>
    callApi(running, 'POST', path, { key: issuer.session, body })
  const key = { name: 'Signing', scopes: ['documents:read'] }
  const minted = await admin('/v1/keys', { ...key, signing_key: signer.signingKey })
  assert.equal(minted.status, 201, minted.text)
  assert.equal(minted.body.signing_key, signer.signingKey)
  const rotated = await admin(`/v1/keys/${minted.body.id}/rotate`, {})
  assert.equal(rotated.body.signing_key, signer.signingKey)
  const plain = await admin('/v1/keys', key)
  assert.equal(plain.body.signing_key, undefined)
  const wrong = await admin('/v1/keys', { ...key, signing_key: 'AAAA' })
  assertProblems(wrong, '/signing_key invalid_value')
})

test('a signed text is not executed again once its Idempotency-Key is forgotten', async () => {
  const forgetful = await running.startAnother({ IDEMPOTENCY_RETENTION: '60s' })
  const at = sendTo(forgetful, secret)
  assert.equal((await at(signedAt(nowInSeconds() - 20))).status, 201)
  for (const seconds of [-35, 35]) {
    assertRefused(await at(signedAt(nowInSeconds() + seconds)), 'unauthorized')
  }
})
