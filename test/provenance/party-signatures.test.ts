/** What a bundle proves of the parties’ own signatures: both verifiers agree. Needs python3. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logKey, trustPath } from '../support/provenance/mutated-bundles.ts'
import {
  type Changes,
  aSignedHistory,
  partyKey,
  partyKeys,
  signatureOf,
} from '../support/provenance/signed-history.ts'
import {
  type EventInput,
  SyntheticLog,
  documentIds,
  organizations,
  origin,
  syntheticBundle,
  syntheticDocument,
} from '../support/provenance/synthetic-log.ts'
import { temporaryFile, verifyWithBoth } from '../support/provenance/verifiers.ts'
import type { Role } from '../../verifier/verify-bundle.mjs'

const { issuer, counterparty } = organizations
const keys = [logKey.vkey]

const trustWith = (parties: object): string =>
  temporaryFile(JSON.stringify({ origin, keys, parties }))
const keysOf = (side: Role, required: string[] = []) => ({
  keys: [partyKeys[side].keyid],
  required,
})
const bothPinned = trustWith({
  [issuer]: keysOf('issuer', ['document.created', 'document.issued']),
  [counterparty]: keysOf('counterparty', ['document.status_changed']),
})

const bundleOf = (inputs: readonly EventInput[], role: Role = 'issuer'): string => {
  const document = syntheticDocument(inputs)
  return syntheticBundle(document, new SyntheticLog().add(...document.events), { role })
}

const verdictOf = (bundle: string, trust = bothPinned) =>
  verifyWithBoth([[temporaryFile(bundle), '--trust', trust]])[0]!
const checkOf = (inputs: readonly EventInput[], role?: Role, trust?: string) =>
  verdictOf(bundleOf(inputs, role), trust).check

test('provenance 8: the verifiers name the events that each party has signed, and the others', () => {
  const { output } = verdictOf(bundleOf(aSignedHistory()))
  const { signed, unsigned } = JSON.parse(output)
  const of = (seq: number, side: Role) => ({
    seq,
    organization_id: organizations[side],
    key: partyKeys[side].keyid,
    pinned: true,
  })
  assert.deepEqual(signed, [of(1, 'issuer'), of(2, 'issuer'), of(4, 'counterparty')])
  assert.deepEqual(unsigned, [{ seq: 5, organization_id: issuer }])
  const theirs = JSON.parse(verdictOf(bundleOf(aSignedHistory(), 'counterparty')).output)
  assert.deepEqual(theirs.signed, [of(2, 'issuer'), of(4, 'counterparty')])
  const unpinned = JSON.parse(verdictOf(bundleOf(aSignedHistory()), trustPath).output)
  assert.deepEqual(unpinned.signed[0], { ...of(1, 'issuer'), pinned: false })
  assert.deepEqual(unpinned.unsigned, [])
  const file = temporaryFile(bundleOf(aSignedHistory()))
  const [said] = verifyWithBoth([[file, '--trust', bothPinned]], [])
  assert.match(said!.output, /Signed by the party: event 1 org_\w+, event 2/)
  assert.match(said!.output, /Not signed by the party, whose keys are trusted: event 5/)
})

const path = `/v1/documents/${documentIds[0]}`
const other = `/v1/documents/${documentIds[1]}`
const lies: Record<string, Changes> = {
  'a creation signed for an issue': { 0: { path: `${path}/issue`, request: '' } },
  'a creation signed for a conversion of nothing': { 0: { path: '/v1/documents/x/convert' } },
  'an issue signed for a move': { 1: { path: `${path}/transition`, request: '{"to":"x"}' } },
  'an issue of another document': { 1: { path: `${other}/issue` } },
  'an issue with another method': { 1: { method: 'PATCH' } },
  'a move of another document': { 3: { path: `${other}/transition` } },
  'a move signed for an issue': { 3: { path: `${path}/issue` } },
  'the key of the other party': { 3: { key: partyKeys.issuer } },
  'a key that nobody vouches for': { 1: { key: partyKey('stranger') } },
}
for (const [title, changes] of Object.entries(lies)) {
  test(`PARTY: ${title}`, () => {
    assert.equal(checkOf(aSignedHistory(changes)), 'PARTY')
    assert.equal(
      checkOf(aSignedHistory(changes), 'counterparty'),
      title.startsWith('a creation') ? undefined : 'PARTY',
    )
  })
}

const ownLies: Record<string, Changes> = {
  'another body than the signed one': { 3: { digestOf: '{"to":"rejected"}' } },
  'a body that is not signed at all': { 3: { digestOf: '' } },
  'a body that asks for another status': { 3: { request: '{"to":"rejected"}' } },
  'a body that asks for none': { 3: { request: '{"to":null}' } },
  'a body that is no JSON': { 3: { request: 'to' } },
  'a body of 40 levels': { 3: { request: '['.repeat(40) + ']'.repeat(40) } },
}
for (const [title, changes] of Object.entries(ownLies)) {
  test(`PARTY: ${title}, which the party itself sees`, () => {
    assert.equal(checkOf(aSignedHistory(changes), 'counterparty'), 'PARTY')
    assert.equal(checkOf(aSignedHistory(changes)), undefined)
  })
}

/** The signed history with another change; the events are hashed afterwards. */
const withChange = (change: (inputs: EventInput[]) => void): EventInput[] => {
  const inputs = aSignedHistory()
  change(inputs)
  return inputs
}
// oxlint-disable-next-line typescript/no-explicit-any -- a body may hold anything
const bodyOf = (input: EventInput, slot: 'shared' | Role): any => input.slots[slot]

test('PARTY: a signature belongs to the event, the slot and the actor beside it', () => {
  const changes: ((inputs: EventInput[]) => void)[] = [
    (all) => (bodyOf(all[3]!, 'shared').actor.organization_id = issuer),
    (all) => (bodyOf(all[3]!, 'shared').actor.organization_id = 'org_01kbqkfbf5kznwj47tan9zt26p'),
    (all) => (bodyOf(all[3]!, 'shared').actor.kind = 'user'),
    (all) => delete bodyOf(all[3]!, 'shared').actor,
    (all) => delete bodyOf(all[1]!, 'shared').signature,
    (all) => delete bodyOf(all[0]!, 'issuer').signature,
    (all) => (bodyOf(all[1]!, 'issuer').signature = bodyOf(all[1]!, 'shared').signature),
    (all) =>
      (bodyOf(all[1]!, 'shared').signature.value = bodyOf(all[3]!, 'shared').signature.value),
    (all) => (bodyOf(all[4]!, 'shared').signature = bodyOf(all[1]!, 'shared').signature),
    (all) => (bodyOf(all[1]!, 'issuer').request = '{}'),
  ]
  for (const [i, change] of changes.entries()) {
    assert.equal(checkOf(withChange(change)), 'PARTY', `${i}`)
  }
  const replayed = withChange((all) => {
    const twice = signatureOf(1, { path: `${path}/pay` })
    for (const at of [4, 5])
      bodyOf((all[at] ??= structuredClone(all[4]!)), 'shared').signature = twice
  })
  assert.equal(checkOf(replayed.slice(0, 5)), undefined)
  assert.equal(checkOf(replayed), 'PARTY', 'one request, two events')
})

test('SHAPE: a signed text has one form', () => {
  const edits: ((base: string) => string)[] = [
    (base) => base.replace('"@method": POST\n', ''),
    (base) => base.replace('("@method" ', '('),
    (base) => base.replace('"@path"', '"@authority"'),
    (base) => base.replaceAll('"@path"', '"@method"'),
    (base) => base.replace(/;created=\d+/, ''),
    (base) => base.replace(/created=(\d+)/, 'created=0$1'),
    (base) => base.replace(/created=(\d+)/, 'created="$1"'),
    (base) => base.replace(/;keyid="[^"]*"/, ''),
    (base) => `${base};created=1`,
    (base) => `${base};more=1`,
    (base) => `${base};alg="rsa"`,
    (base) => `${base};nonce="a\\"b"`,
    (base) => `${base};nonce=a`,
    (base) => `${base}\n`,
    (base) => base.replace('request-1', 'request-ü'),
    (base) => base.replace('": POST', '":POST'),
    (base) => base.replace('POST', 'post'),
    () => '',
  ]
  for (const [i, edit] of edits.entries()) {
    assert.equal(checkOf(aSignedHistory({ 1: { edit } })), 'SHAPE', `${i}`)
  }
  const more = ';alg="ed25519";expires=1795392300;nonce="n";tag="t"'
  assert.equal(checkOf(aSignedHistory({ 1: { edit: (base) => `${base}${more}` } })), undefined)
})

test('TRUST: the keys of parties are well formed', () => {
  const { keyid } = partyKeys.issuer
  for (const parties of [
    [],
    { org_x: { keys: [keyid] } },
    { [issuer]: { keys: [] } },
    { [issuer]: { keys: keyid } },
    { [issuer]: { keys: [`${keyid}=`] } },
    { [issuer]: { keys: [Buffer.alloc(32).toString('base64')] } },
    { [issuer]: { keys: [keyid], required: 'document.issued' } },
    { [issuer]: { keys: [keyid], required: ['Document'] } },
    { [issuer]: [keyid] },
  ]) {
    const check = checkOf(aSignedHistory(), 'issuer', trustWith(parties))
    assert.equal(check, 'TRUST', JSON.stringify(parties))
  }
})
