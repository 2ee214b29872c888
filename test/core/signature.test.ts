/** Svc-Signature and Standard Webhooks headers, against published vectors and public libraries. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import {
  formatSecret,
  signatureHeaders,
  signaturesOf,
  signingSecret,
} from '../../src/core/webhooks/signature.ts'

interface Vectors {
  signed: { id: string; secrets: string[]; timestamp: number; raw_body: string; header: string }[]
}

const vectors = JSON.parse(
  readFileSync(new URL('../vectors/signature.json', import.meta.url), 'utf8'),
) as Vectors

const headersOf = (secrets: readonly string[], body: string, unixSeconds: number) => {
  const eventId = 'evt_01kbm9s346q3d25vt4f5v37e3s'
  const signatures = signaturesOf(secrets.map(signingSecret), { eventId, unixSeconds, body })
  const deliveryId = 'dlv_01kbm9s346q3d25vt4f5v37e3t'
  return signatureHeaders({ eventId, deliveryId, attempt: 1 }, signatures)
}

describe('specification 6.3.2, 6.3.3: Svc-Signature', () => {
  for (const { id, secrets, timestamp, raw_body, header } of vectors.signed) {
    test(`the headers match the vector ${id}`, () => {
      const headers = headersOf(secrets, raw_body, timestamp)
      assert.equal(headers['svc-signature'], header)
      assert.equal(headers['svc-webhook-timestamp'], String(timestamp))
      assert.equal(`t=${timestamp},${headers['svc-webhook-signature']}`, header)
    })
  }
})

describe('contract 7: public libraries verify the headers', () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)].map(formatSecret) as [string, string]
  const body = '{"id":"evt_1","note":"café — 日本 🧾"}'
  const now = () => Math.floor(Date.now() / 1000)
  const { webhooks } = new Stripe('sk_test_none')

  test('constructEvent of stripe accepts the header with either secret during a rotation', () => {
    const headers = headersOf([fresh, old], body, now())
    for (const secret of [fresh, old]) {
      const event = webhooks.constructEvent(body, headers['svc-signature']!, secret)
      assert.equal(event.id, 'evt_1')
    }
  })

  test('verify of standardwebhooks accepts the headers with either secret', () => {
    const headers = headersOf([fresh, old], body, now())
    for (const secret of [fresh, old]) {
      assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body))
    }
  })

  test('both refuse another body, another secret and a signature older than 300 seconds', () => {
    const headers = headersOf([fresh], body, now())
    const late = headersOf([fresh], body, now() - 301)
    const cases: [string, Record<string, string>, string][] = [
      [`${body} `, headers, fresh],
      [body, headers, old],
      [body, late, fresh],
    ]
    for (const [text, sent, secret] of cases) {
      assert.throws(() => webhooks.constructEvent(text, sent['svc-signature']!, secret))
      assert.throws(() => new Webhook(secret).verify(text, sent))
    }
  })
})
