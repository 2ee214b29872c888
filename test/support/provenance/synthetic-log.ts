/**
 * A log and documents that no honest service would produce: the test chooses every key, salt and
 * index.
 */
import { createHash, createPrivateKey } from 'node:crypto'
import {
  type SigningKey,
  checkpointBody,
  headNoteBody,
  signNote,
  vkeyOf,
} from '../../../src/core/provenance/signed-notes.ts'
import { type BundleContents, bundleText } from '../../../src/core/provenance/proof-bundle.ts'
import { allSteps } from '../all-steps.ts'
import {
  type EventSlots,
  stateDigest,
  streamOf,
} from '../../../src/core/provenance/history-event.ts'
import type { VerifiedEvent } from '../../../src/core/provenance/history-verification.ts'
import {
  type Header,
  type Opening,
  type Role,
  type Slot,
  canonical,
} from '../../../verifier/verify-bundle.mjs'
import { naivePath, naiveRoot } from './naive-tree.ts'

export const digest = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Pseudorandom bytes derived from the name. */
export const deterministicBytes = (name: string, count: number): Buffer => {
  const blocks = Array.from({ length: Math.ceil(count / 32) }, (_, i) => digest(`${name} ${i}`))
  return Buffer.concat(blocks).subarray(0, count)
}

const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The Ed25519 key derived from the name. */
export const signingKeyOf = (name: string, origin: string): SigningKey => {
  const der = Buffer.concat([pkcs8, deterministicBytes(name, 32)])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return { privateKey, vkey: vkeyOf(origin, privateKey) }
}

export const origin = 'forge.example/log/live/1'
export const organizations = {
  issuer: 'org_01kbqkfbf5kznwj47tan9zt24m',
  counterparty: 'org_01kbqkfbf5kznwj47tan9zt25n',
}

/** One event of a forged document, before it is hashed. */
export interface EventInput {
  at: string
  slots: EventSlots & { finance?: object | null }
}

const content = (status: string) => ({
  status,
  total: '108.02',
  notes: 'Größe 100 €, \u{1F600}, "quoted" \\ \u2028',
  line_items: [{ line: 1, description: 'Consulting', quantity: '2.5', total: '108.02' }],
  external_refs: [['issuer_ref', 'SO-2026-1']],
  issuer: { name: 'Seller', organization_id: organizations.issuer },
  counterparty: { name: 'Buyer', organization_id: organizations.counterparty },
})

const atSecond = (second: number): string =>
  `2026-11-21T01:00:${String(second).padStart(2, '0')}.000Z`

/** A draft, its issue, a private step of the counterparty, an approval, a payment: all slots. */
export const anInvoiceHistory = (amount = '108.02'): EventInput[] => {
  const draft = { ...content('draft'), total: amount }
  const issued = { ...draft, status: 'submitted', balance_due: amount }
  const approved = { ...issued, status: 'approved' }
  const paid = { ...approved, status: 'paid', balance_due: '0.00' }
  const actor = (side: Role) => ({ kind: 'api_key', organization_id: organizations[side] })
  const shared = (type: string, set: object, state: object, side: Role) => ({
    type,
    actor: actor(side),
    set,
    state: stateDigest(state),
  })
  const { issuer, counterparty } = organizations
  const finance = ({ balance_due, status }: { balance_due: string; status: string }) => ({
    balance_due,
    due_date: null,
    pledge: null,
    status,
  })
  return [
    { shared: null, issuer: { type: 'document.created', set: draft }, counterparty: null },
    {
      shared: {
        ...shared('document.issued', issued, issued, 'issuer'),
        parties: { issuer, counterparty },
      },
      issuer: { set: { number: 'INV-000001', metadata: [['internal', 'secret']] } },
      counterparty: { set: { number: 'BILL-000001' } },
      finance: finance(issued),
    },
    { shared: null, issuer: null, counterparty: { type: 'internal.noted', note: 'ask for 2 %' } },
    {
      shared: shared('document.status_changed', { status: 'approved' }, approved, 'counterparty'),
      issuer: null,
      counterparty: { actor: { key_id: 'key_01kbnpzx45hy43kwjrp1xpa7z3' } },
      finance: finance(approved),
    },
    {
      shared: shared('payment.settled', { status: 'paid', balance_due: '0.00' }, paid, 'issuer'),
      issuer: null,
      counterparty: null,
      finance: finance(paid),
    },
  ].map((slots, i) => ({ at: atSecond(i * 2), slots }))
}

export interface SyntheticDocument {
  id: string
  salt: Buffer
  stream: string
  version: 1 | 2
  events: readonly VerifiedEvent[]
}

export const documentIds = ['doc_01kbm9s346q3d25vt4f5v37e3s', 'doc_01kb3e28jt97kb6cq643dzvmxx']

/** The slots in the order of their salts. */
const slotsOfVersion = {
  1: ['shared', 'issuer', 'counterparty'],
  2: ['shared', 'issuer', 'counterparty', 'finance'],
} as const

export const syntheticDocument = (
  inputs: readonly EventInput[] = anInvoiceHistory(),
  { id = documentIds[0]!, salts = 'salts', version = 2 as 1 | 2 } = {},
): SyntheticDocument => {
  const salt = deterministicBytes(`stream ${id}`, 16)
  const stream = streamOf(salt, id)
  const events: VerifiedEvent[] = []
  for (const [i, { at, slots }] of inputs.entries()) {
    const allSalts = deterministicBytes(`${salts} ${i}`, 64)
    const open = Object.fromEntries(
      slotsOfVersion[version].map((name, n) => [
        name,
        {
          salt: allSalts.toString('hex', n * 16, n * 16 + 16),
          body: (slots[name] ?? null) as Opening['body'],
        },
      ]),
    ) as Record<Slot, Opening>
    const c = Object.fromEntries(
      Object.entries(open).map(([name, { salt: hex, body }]) => [
        name,
        digest('svc-slot/1\n', Buffer.from(hex, 'hex'), canonical(body)).toString('hex'),
      ]),
    ) as unknown as Header['c']
    const prev = events.at(-1)?.hash.toString('hex') ?? null
    const header = { at, c, prev, seq: i + 1, stream, v: `svc-event/${version}` }
    events.push({ header, open, hash: digest(Buffer.of(0), canonical(header)) })
  }
  return { id, salt, stream, version, events }
}

/** A log in which other leaves alternate with the events of the documents. */
export class SyntheticLog {
  readonly leaves: Buffer[] = []
  readonly leafIndexes = new Map<string, number>()

  add(...events: readonly Pick<VerifiedEvent, 'hash'>[]): this {
    for (const { hash } of events) {
      this.leaves.push(deterministicBytes(`stranger ${this.leaves.length}`, 32))
      this.leafIndexes.set(hash.toString('hex'), this.leaves.length)
      this.leaves.push(hash)
    }
    return this
  }

  checkpoint(
    size = this.leaves.length,
    keys = [signingKeyOf('key', origin)],
    name = origin,
  ): string {
    return signNote(checkpointBody(name, size, naiveRoot(this.leaves.slice(0, size))), keys)
  }
}

export interface BundleOptions {
  role?: Role
  /** The number of events in the bundle. */
  eventCount?: number
  treeSize?: number
  keys?: readonly SigningKey[]
  origin?: string
  asOf?: string
  keySize?: number
  state?: Record<string, unknown>
  /** Slots to omit as erased, each written `seq slot`. */
  erasedSlots?: readonly string[]
}

/** The bundle that a correct service would export for this document and log. */
export const syntheticBundle = (
  document: SyntheticDocument,
  log: SyntheticLog,
  options: BundleOptions = {},
): string => {
  const text = allSteps(bundleText(syntheticContents(document, log, options), canonical))
  const isFirst = document.version === 1
  return isFirst ? text.replace('"svc-proof-bundle/2"', '"svc-proof-bundle/1"') : text
}

/** What its bundle says. */
export const syntheticContents = (
  document: SyntheticDocument,
  log: SyntheticLog,
  options: BundleOptions = {},
): BundleContents => {
  const { role = 'issuer', keys = [signingKeyOf('key', origin)], origin: name = origin } = options
  const rows = document.events.slice(0, options.eventCount)
  const indexes = rows.map(({ hash }) => log.leafIndexes.get(hash.toString('hex'))!)
  const size = options.treeSize ?? indexes.at(-1)! + 1
  const head = rows.at(-1)!
  const asOf = options.asOf ?? atSecond(59)
  const claim = {
    origin: name,
    stream: document.stream,
    seq: rows.length,
    hash: head.hash,
    size,
    asOf,
    keySize: options.keySize ?? size,
  }
  const headNote = headNoteBody(claim)
  const isFirst = document.version === 1
  const events = rows.map((event) => ({
    ...event,
    open: Object.fromEntries(
      Object.entries(event.open).filter(
        ([slot]) => !options.erasedSlots?.includes(`${event.header.seq} ${slot}`),
      ),
    ),
  }))
  return {
    documentId: document.id,
    streamSalt: document.salt,
    organizationId: organizations[role],
    role,
    state: options.state ?? stateOf(events, role),
    events,
    indexes,
    paths: indexes.map((index) => naivePath(index, log.leaves.slice(0, size))),
    checkpoint: log.checkpoint(size, [...keys], name),
    head: signNote(isFirst ? firstHeadNote(headNote) : headNote, [...keys]),
  }
}

/** Without the last line, and under its own name. */
const firstHeadNote = (note: string): string =>
  note.replace('svc-head/2', 'svc-head/1').replace(/\d+\n$/, '')

const stateOf = (events: readonly VerifiedEvent[], role: Role): Record<string, unknown> => {
  let state: Record<string, unknown> = {}
  for (const { open } of events) {
    const isErasure = [open.shared, open[role]].some((one) => one?.body?.type === 'content.erased')
    if (isErasure) state = {}
    state = { ...state, ...open.shared?.body?.set, ...open[role]?.body?.set }
  }
  return state
}
