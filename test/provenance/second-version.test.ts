/** What svc-event/2 and its bundle add: both verifiers agree. Needs python3. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signNote } from '../../src/core/provenance/signed-notes.ts'
import {
  type MutableBundle,
  attackedDocument,
  attackedLog,
  counterpartyBundle,
  genuineBundle,
  logKey,
  mutated,
  trustPath,
} from '../support/provenance/mutated-bundles.ts'
import { rotated } from '../support/provenance/mutated-signatures.ts'
import {
  type EventInput,
  SyntheticLog,
  anInvoiceHistory,
  origin,
  syntheticBundle,
  syntheticDocument,
} from '../support/provenance/synthetic-log.ts'
import { temporaryFile, verifyWithBoth } from '../support/provenance/verifiers.ts'

const checkOf = (bundle: string, trust = trustPath): string | undefined =>
  verifyWithBoth([[temporaryFile(bundle), '--trust', trust]])[0]!.check

/** The bundle of a history with another slot for lenders in its fourth event. */
const withFinance = (finance: object | null): string => {
  const inputs: EventInput[] = anInvoiceHistory()
  inputs[3]!.slots.finance = finance
  const document = syntheticDocument(inputs)
  return syntheticBundle(document, new SyntheticLog().add(...document.events))
}

test('provenance 8: the slot for lenders says what the record says, and nothing else', () => {
  const honest = { balance_due: '108.02', due_date: null, pledge: null, status: 'approved' }
  assert.equal(checkOf(withFinance(honest)), undefined)
  assert.equal(checkOf(withFinance(null)), undefined)
  for (const lie of [
    { balance_due: '1.00' },
    { due_date: '2026-12-21' },
    { pledge: { status: 'active' } },
    { status: 'paid' },
  ]) {
    assert.equal(checkOf(withFinance({ ...honest, ...lie })), 'REPLAY', JSON.stringify(lie))
  }
  const { status: _, ...short } = honest
  for (const shape of [
    short,
    { ...honest, notes: null },
    { ...honest, balance_due: 108 },
    { ...honest, balance_due: '0108.02' },
    { ...honest, due_date: '2026-1-1' },
    { ...honest, pledge: [] },
  ]) {
    assert.equal(checkOf(withFinance(shape)), 'SHAPE', JSON.stringify(shape))
  }
})

test('provenance 8: the issuer’s bundle opens the slot for lenders, the counterparty’s does not', () => {
  const opening = JSON.parse(genuineBundle).events[3].open.finance
  const withheld = mutated((b) => delete b.events[3].open.finance)
  assert.equal(checkOf(withheld), 'WITHHELD')
  const opened = mutated((b) => (b.events[3].open.finance = opening), counterpartyBundle)
  assert.equal(checkOf(opened), 'ROLE')
})

test('the versions of a bundle, its events and its head note belong together', () => {
  const first = syntheticBundle(syntheticDocument(undefined, { version: 1 }), attackedLogOf(1))
  const head = JSON.parse(first).head
  const changes: [string, (b: MutableBundle) => void, string][] = [
    [genuineBundle, (b) => (b.format = 'svc-proof-bundle/1'), 'SHAPE'],
    [genuineBundle, (b) => (b.head = head), 'NOTE'],
    [first, (b) => (b.format = 'svc-proof-bundle/2'), 'NOTE'],
    [genuineBundle, (b) => (b.events[1].header.v = 'svc-event/3'), 'SHAPE'],
    [genuineBundle, (b) => (b.events[1].header.v = 'svc-event/1'), 'SHAPE'],
    [genuineBundle, (b) => delete b.events[1].header.c.finance, 'SHAPE'],
    [genuineBundle, (b) => toFirstVersion(b.events[4]), 'CHAIN'],
  ]
  assert.equal(checkOf(first), undefined)
  for (const [i, [bundle, change, check]] of changes.entries()) {
    assert.equal(checkOf(mutated(change, bundle)), check, `${i}`)
  }
})

const attackedLogOf = (version: 1 | 2): SyntheticLog =>
  new SyntheticLog().add(...syntheticDocument(undefined, { version }).events)

const toFirstVersion = ({ header, open }: MutableBundle): void => {
  header.v = 'svc-event/1'
  delete header.c.finance
  delete open.finance
}

test('the key size of a head note decides which keys sign it, and is never below its size', () => {
  const size = Number(JSON.parse(genuineBundle).checkpoint.split('\n')[1])
  const windows = {
    [logKey.vkey]: { from_size: 0, until_size: size + 5 },
    [rotated.vkey]: { from_size: size + 2 },
  }
  const keys = [logKey.vkey, rotated.vkey]
  const trust = temporaryFile(JSON.stringify({ origin, keys, windows }))
  const withHead = (keySize: number, signers = [rotated]) =>
    mutated((b) => {
      const lines = b.head.split('\n\n')[0].split('\n')
      b.head = signNote(`${lines.with(4, String(keySize)).join('\n')}\n`, signers)
    })
  assert.equal(checkOf(withHead(size + 5), trust), undefined)
  assert.equal(checkOf(withHead(size + 3, [logKey, rotated]), trust), undefined)
  assert.equal(checkOf(withHead(size, [logKey]), trust), undefined)
  assert.equal(checkOf(withHead(size + 3), trust), 'SIGNATURE', 'a line is missing')
  assert.equal(checkOf(withHead(size), trust), 'KEY_WINDOW')
  assert.equal(checkOf(withHead(size - 1, [logKey]), trust), 'NOTE')
  assert.equal(checkOf(syntheticBundle(attackedDocument, attackedLog), trust), undefined)
})
