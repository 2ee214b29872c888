/** The invoice of the synthetic log with events that their parties signed. */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import {
  type EventInput,
  anInvoiceHistory,
  deterministicBytes,
  documentIds,
  organizations,
} from './synthetic-log.ts'
import type { Role } from '../../../verifier/verify-bundle.mjs'

const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The key pair of a party, derived from the name. */
export const partyKey = (name: string) => {
  const der = Buffer.concat([pkcs8, deterministicBytes(name, 32)])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return { privateKey, keyid: Buffer.from(x, 'base64url').toString('base64') }
}
export const partyKeys = { issuer: partyKey('issuer'), counterparty: partyKey('counterparty') }

export interface SignedRequest {
  method: string
  path: string
  /** Not part of the text if it is empty. */
  request: string
  /** Of the request, if another one is signed. */
  digestOf: string
  key: ReturnType<typeof partyKey>
  /** Changes the text before it is signed. */
  edit(base: string): string
}

const path = `/v1/documents/${documentIds[0]}`
const requests: Record<number, [Role, Partial<SignedRequest>]> = {
  0: ['issuer', { path: '/v1/documents', request: '{"notes":"Größe"}' }],
  1: ['issuer', { path: `${path}/issue` }],
  3: ['counterparty', { path: `${path}/transition`, request: '{"to":"approved"}' }],
}

export const signatureOf = (
  seq: number,
  { method = 'POST', path: at = '/', request = '', ...more }: Partial<SignedRequest>,
) => {
  const { key = partyKeys.issuer, digestOf = request, edit = (base: string) => base } = more
  const digest = createHash('sha256').update(digestOf).digest('base64')
  const lines = [
    ['@method', method],
    ['@path', at],
    ...(digestOf === '' ? [] : [['content-digest', `sha-256=:${digest}:`]]),
    ['idempotency-key', `request-${seq}`],
  ]
  const names = lines.map(([name]) => `"${name}"`).join(' ')
  const params = `(${names});created=1795392000;keyid="${key.keyid}"`
  const base = edit(
    [...lines, ['@signature-params', params]]
      .map(([name, value]) => `"${name}": ${value}`)
      .join('\n'),
  )
  return { base, value: sign(null, Buffer.from(base), key.privateKey).toString('base64') }
}

export type Changes = Record<number, Partial<SignedRequest>>

/** The history with signatures in its creation, issue and approval, some of which are changed. */
export const aSignedHistory = (changes: Changes = {}): EventInput[] => {
  const inputs = anInvoiceHistory()
  Object.assign(inputs[0]!.slots.issuer as object, {
    actor: { kind: 'api_key', organization_id: organizations.issuer },
  })
  for (const [at, [side, given]] of Object.entries(requests)) {
    const { slots } = inputs[Number(at)]!
    const asked = { key: partyKeys[side], ...given, ...changes[Number(at)] }
    const signature = signatureOf(Number(at), asked)
    const place = slots.shared === null ? 'issuer' : 'shared'
    slots[place] = { ...slots[place], signature }
    if (asked.request) slots[side] = { ...slots[side], request: asked.request }
  }
  return inputs
}
