/** Webhook signatures: specification 6.3, the golden vectors, and Standard Webhooks. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { signatureHeaders, signaturesOf, signingSecret } from '../../src/core/webhooks/signature.ts'
import { SignatureError, constructEvent, signPayload } from '../src/webhooks.ts'

interface Vector {
  id?: string
  why?: string
  secret: string
  clock: number
  raw_body: string
  header: string
}

const file = new URL('../../test/vectors/signature.json', import.meta.url)
const vectors = JSON.parse(readFileSync(file, 'utf8')) as {
  signed: { id: string; secrets: string[]; timestamp: number; raw_body: string; header: string }[]
  accepted: Vector[]
  rejected: Vector[]
}

test('signPayload makes the headers of the vectors, and constructEvent accepts them', async () => {
  assert(vectors.signed.length >= 5)
  for (const { secrets, timestamp, raw_body, header } of vectors.signed) {
    const own = await Promise.all(
      secrets.map((secret) => signPayload(raw_body, secret, { now: timestamp })),
    )
    const [first = '', ...others] = own as string[]
    assert.equal([first, ...others.map((one) => one.replace(/^t=\d+,/, ''))].join(), header)
    for (const secret of secrets) {
      const event = await constructEvent(raw_body, header, secret, { now: timestamp })
      assert.deepEqual(event, JSON.parse(raw_body))
    }
  }
})

test('constructEvent accepts and rejects what the vectors say', async () => {
  for (const { secret, clock, raw_body, header } of vectors.accepted) {
    await constructEvent(raw_body, header, secret, { now: clock })
  }
  for (const { why, secret, clock, raw_body, header } of vectors.rejected) {
    const rejected = constructEvent(raw_body, header, secret, { now: clock })
    await assert.rejects(rejected, SignatureError, why ?? '')
  }
})

test('6.3.5 a delivery of another time is refused before its signature is computed', async () => {
  const header = `t=1000,v1=${'0'.repeat(64)}`
  const standard = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1000', 'webhook-signature': '' }
  for (const headers of [header, standard]) {
    for (const now of [699, 1301]) {
      const refused = constructEvent('{}', headers, 'whsec_x', { now })
      await assert.rejects(refused, /^SignatureError: Signed 301 s (ago|ahead); 300 are allowed\.$/)
    }
  }
})

test('all headers of a delivery may be passed, of either scheme, as Headers or as a record', async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const body = '{"id":"evt_1","type":"document.created","data":{}}'
  const signed = { eventId: 'evt_1', unixSeconds: 1_764_547_200, body }
  const delivery = { eventId: 'evt_1', deliveryId: 'dlv_1', attempt: 1 }
  const headers = signatureHeaders(delivery, signaturesOf([signingSecret(secret)], signed))
  const now = { now: signed.unixSeconds }
  const bytes = new TextEncoder().encode(body)
  const { 'svc-signature': _, ...standard } = headers
  for (const sent of [headers, standard]) {
    assert.equal((await constructEvent(bytes, sent, secret, now)).id, 'evt_1')
    assert.equal((await constructEvent(bytes, new Headers(sent), secret, now)).id, 'evt_1')
    const changed = new TextEncoder().encode(`${body} `)
    await assert.rejects(constructEvent(changed, sent, secret, now), SignatureError)
    const late = { now: signed.unixSeconds + 301 }
    await assert.rejects(constructEvent(bytes, sent, secret, late), SignatureError)
  }
  await assert.rejects(constructEvent(bytes, {}, secret, now), SignatureError)
})

test('Headers of another library or realm are read as those of the runtime', async () => {
  const headers = new Headers({ 'Svc-Signature': await signPayload('{}', 'whsec_1') })
  const others = { get: (name: string) => headers.get(name) } as Headers
  assert.deepEqual(await constructEvent('{}', others, 'whsec_1'), {})
})

test('nothing is signed or accepted with a secret that is empty', async () => {
  const signedBy = (text: string) => createHmac('sha256', '').update(text)
  const header = `t=1000,v1=${signedBy('1000.{}').digest('hex')}`
  const signature = signedBy('msg_1.1000.{}').digest('base64')
  const standard = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1000',
    'webhook-signature': `v1,${signature}`,
  }
  const refusal = /`secret` is empty/
  await assert.rejects(constructEvent('{}', header, '', { now: 1000 }), refusal)
  for (const secret of ['', 'whsec_'])
    await assert.rejects(constructEvent('{}', standard, secret, { now: 1000 }), refusal)
  await assert.rejects(signPayload('{}', ''), refusal)
})

test('a request without a signature is a SignatureError, however its headers are passed', async () => {
  for (const header of [undefined, null, '', {}, new Headers()]) {
    const message = 'There is no signature: pass the header Svc-Signature.'
    await assert.rejects(constructEvent('{}', header, 'whsec_x'), new SignatureError(message))
  }
})

test('the body is what arrived, as a text or bytes of any kind, and nothing that was parsed', async () => {
  const text = '{"type":"ping"}'
  const bytes = new TextEncoder().encode(text)
  const header = await signPayload(text, 'whsec_x')
  for (const body of [text, bytes, Buffer.from(text), bytes.buffer]) {
    assert.equal((await constructEvent(body, header, 'whsec_x')).type, 'ping')
  }
  const place = { codes: [...Buffer.from(`<${text}>`)] }
  const elsewhere = runInNewContext('new Uint8Array(codes).subarray(1, -1)', place) as Uint8Array
  const buffer = runInNewContext('new Uint8Array(codes.slice(1, -1)).buffer', place) as ArrayBuffer
  assert(!(elsewhere instanceof Uint8Array) && !(buffer instanceof ArrayBuffer))
  for (const body of [elsewhere, buffer]) {
    assert.equal((await constructEvent(body, header, 'whsec_x')).type, 'ping')
  }
  const parsed = JSON.parse(text) as string
  await assert.rejects(constructEvent(parsed, header, 'whsec_x'), /`payload` takes the raw body/)
})
