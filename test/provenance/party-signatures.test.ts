/** What a bundle proves of the parties’ own signatures: both verifiers agree. Needs python3. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eraseContent } from '../../src/changes/provenance/erasure.ts'
import { decodeId } from '../../src/core/ids.ts'
import { callApi } from '../support/api-client.ts'
import { aKey, aPair, exampleLine } from '../support/fixtures.ts'
import {
  aSigner,
  sendTo,
  signed as signRequest,
  unsigned as unsignedRequest,
} from '../support/identity/request-signer.ts'
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
import { temporaryFile, fetchTrustFile, verifyWithBoth } from '../support/provenance/verifiers.ts'
import { startTestService } from '../support/test-service.ts'
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
    ...{ seq, organization_id: organizations[side], key: partyKeys[side].keyid, pinned: true },
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

test('provenance 8: the bundle of a signing key’s document proves each of its requests', async () => {
  const running = await startTestService()
  const pair = await aPair(running)
  const sides = { issuer: aSigner(), counterparty: aSigner() }
  const scopes = ['documents:read', 'documents:write', 'payments:write', 'provenance:read'] as const
  const sendAs = async (side: Role) => {
    const signer = sides[side]
    const { secret } = await aKey(running, pair[side], scopes, { signingKey: signer.raw })
    const send = sendTo(running, secret)
    return async (method: string, at: string, body: object = {}) => {
      const text = Object.keys(body).length === 0 ? '' : JSON.stringify(body)
      const reply = await send(signRequest(signer, unsignedRequest(method, at, text)))
      assert(reply.status < 300, reply.text)
      return reply.body
    }
  }
  const [seller, buyer] = [await sendAs('issuer'), await sendAs('counterparty')]
  const line_items = [{ ...exampleLine, description: 'Größe' }]
  const draft = { connection_id: pair.connection, document_type: 'invoice', line_items }
  const { id } = await seller('POST', '/v1/documents', draft)
  await seller('PATCH', `/v1/documents/${id}`, { notes: 'Thank you.' })
  await seller('POST', `/v1/documents/${id}/issue`)
  await buyer('POST', `/v1/documents/${id}/transition`, { to: 'approved' })
  await buyer('POST', `/v1/documents/${id}/pay`)

  const parties = Object.fromEntries(
    (['issuer', 'counterparty'] as const).map((side) => [
      pair[side].id,
      { keys: [sides[side].signingKey], required: ['document.issued', 'document.status_changed'] },
    ]),
  )
  for (const [side, seqs] of [
    ['issuer', [1, 2, 3, 4, 5]],
    ['counterparty', [3, 4, 5]],
  ] as const) {
    const { key } = pair[side]
    const exported = await callApi(running, 'GET', `/v1/documents/${id}/export`, { key })
    assert.equal(exported.status, 200, exported.text)
    const trusted = JSON.parse(readFileSync(await fetchTrustFile(running, key), 'utf8'))
    const trust = temporaryFile(JSON.stringify({ ...trusted, parties }))
    const { exitCode, output } = verdictOf(exported.text, trust)
    assert.equal(exitCode, 0, output)
    const { signed, unsigned } = JSON.parse(output)
    assert.deepEqual(
      signed.map(({ seq }: { seq: number }) => seq),
      seqs,
    )
    assert.deepEqual(unsigned, [])
    const bodies = JSON.parse(exported.text).events.map(
      (event: { open: Record<Role, { body: { request?: string } | null }> }) =>
        event.open[side]?.body?.request !== undefined,
    )
    assert.deepEqual(
      bodies,
      [true, true, false, true, false].map((one, i) => one && (side === 'issuer' ? i < 3 : i > 2)),
    )
  }

  // The text of a request goes with the text of the document.
  await running.service.context.database.transaction((tx) =>
    eraseContent(tx, decodeId('doc', id)!, running.service.context),
  )
  const { key } = pair.issuer
  const erased = await callApi(running, 'GET', `/v1/documents/${id}/export`, { key })
  assert(!/Größe|Thank you|"request"/.test(erased.text), erased.text)
  const trust = await fetchTrustFile(running, key)
  assert.equal(verdictOf(erased.text, trust).exitCode, 0)
})
