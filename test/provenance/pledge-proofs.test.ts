/** The proof of a pledge (FORMAT.md, 16): both verifiers agree on every change. Needs python3. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../support/architecture/sources.ts'
import { mutatedBytes, mutatedValue, randomOf } from '../support/provenance/generated-mutations.ts'
import { type MutableBundle, mutated, trustPath } from '../support/provenance/mutated-bundles.ts'
import {
  type AgreementFinance,
  type PledgeStory,
  aPledge,
  aPledgeHistory,
  agreementIds,
  ofInvoice,
  pledgeProof,
} from '../support/provenance/synthetic-pledge.ts'
import { temporaryFile, verifyWithBoth } from '../support/provenance/verifiers.ts'

const lines = (proofs: readonly (string | Buffer)[]) =>
  proofs.map((proof) => [temporaryFile(proof), '--trust', trustPath])

const assertChecks = (cases: readonly (readonly [string, string | undefined])[]): void => {
  const verdicts = verifyWithBoth(lines(cases.map(([proof]) => proof)))
  for (const [i, { check, output }] of verdicts.entries()) {
    assert.equal(check, cases[i]![1], `case ${i}: ${output}`)
  }
}

const genuine = pledgeProof()

test('1.4 the bytes of the golden proofs of a pledge never change', () => {
  const golden = join(root, 'test/vectors/golden/pledge')
  for (const role of ['issuer', 'counterparty'] as const) {
    const file = join(golden, `${role}.svc-proof.json`)
    assert.equal(pledgeProof({ role }), readFileSync(file, 'utf8'))
    const [verdict] = verifyWithBoth([[file, '--trust', join(golden, 'trust.json')]])
    assert.equal(verdict!.exitCode, 0, verdict!.output)
  }
})

test('domain 5.6: a proof says when the invoice was approved, and how the pledge began and ended', () => {
  const [verdict] = verifyWithBoth(lines([genuine]))
  const { valid, agreement_id, approved, recorded, earlier, now } = JSON.parse(verdict!.output)
  assert.deepEqual([valid, agreement_id, approved.seq, earlier], [true, agreementIds[0], 3, 0])
  assert.deepEqual(
    [recorded.seq, recorded.balance_due, recorded.due_date],
    [4, '108.02', '2026-12-20'],
  )
  assert.deepEqual([now.pledge, now.status, now.balance_due], ['released', 'paid', '0.00'])
  const [text] = verifyWithBoth(lines([genuine]), [])
  assert.match(text!.output, /^VALID pledge of doc_\w+ for agr_\w+\n/)
  assert.equal(genuine.includes('secret'), false)
})

test('domain 5.6: earlier pledges that were released are counted', () => {
  const other = agreementIds[1]!
  const finance = [
    ofInvoice('approved', null),
    ofInvoice('approved', aPledge('recorded', other)),
    ofInvoice('approved', aPledge('released', other)),
    ofInvoice('approved', aPledge('recorded')),
  ]
  const [verdict] = verifyWithBoth(lines([pledgeProof({ finance })]))
  assert.equal(JSON.parse(verdict!.output).earlier, 1)
})

/** The history with another slot in one event. */
const withSlot = (seq: number, body: object | null): PledgeStory => ({
  finance: aPledgeHistory().with(seq - 1, body as ReturnType<typeof ofInvoice>),
})

test('domain 5.6: a second pledge, or one that moves otherwise, is refused', () => {
  const other = agreementIds[1]!
  const recorded = aPledge('recorded')
  const stories: PledgeStory[] = [
    withSlot(3, ofInvoice('approved', aPledge('recorded', other))),
    withSlot(3, ofInvoice('approved', aPledge('assigned', other))),
    withSlot(3, ofInvoice('approved', recorded)),
    withSlot(5, ofInvoice('approved', aPledge('recorded', other))),
    withSlot(5, ofInvoice('approved', aPledge('assigned', other))),
    withSlot(5, ofInvoice('approved', null)),
    withSlot(5, null),
    withSlot(6, ofInvoice('paid', recorded)),
    withSlot(5, ofInvoice('approved', { ...recorded, note: 'x' })),
    withSlot(5, ofInvoice('approved', { ...aPledge('assigned'), status: 'paid' })),
    withSlot(5, ofInvoice('approved', { ...aPledge('assigned'), since: 'today' })),
    withSlot(4, ofInvoice('submitted', recorded)),
    withSlot(4, ofInvoice('approved', recorded, { due_date: '2026-12-21' })),
    withSlot(4, ofInvoice('approved', recorded, { due_date: null })),
    withSlot(4, ofInvoice('approved', null)),
    ...[0, 3, 5, 99].map((pinned) => ({ pinned })),
  ]
  assertChecks(stories.map((story) => [pledgeProof(story), 'PLEDGE']))
  assertChecks([
    [pledgeProof(withSlot(5, { ...ofInvoice('approved', recorded), notes: 'x' })), 'SHAPE'],
    [pledgeProof(withSlot(5, {})), 'SHAPE'],
  ])
})

test('domain 5.6: the agreement names the invoice, and the authorization that was accepted', () => {
  const changes: ((told: AgreementFinance) => unknown)[] = [
    () => null,
    () => 'x',
    (told) => ({ ...told, authorization: null }),
    (told) => ({ ...told, authorization: { ...told.authorization, version: 3 } }),
    (told) => ({ ...told, digest: told.digest.toUpperCase() }),
    (told) => ({ ...told, digest: null }),
    (told) => ({ ...told, secured_by: null }),
    (told) => ({ ...told, secured_by: { ...told.secured_by, more: 1 } }),
    (told) => ({ ...told, secured_by: { ...told.secured_by, seq: 3 } }),
    (told) => ({ ...told, secured_by: { ...told.secured_by, seq: true } }),
    (told) => ({ ...told, secured_by: { ...told.secured_by, stream: '0'.repeat(64) } }),
    (told) => ({ ...told, secured_by: { ...told.secured_by, hash: '0'.repeat(64) } }),
  ]
  assertChecks(changes.map((change) => [pledgeProof({ change }), 'PLEDGE']))
})

test('domain 5.6: nothing of the proof can be left out, added or taken from elsewhere', () => {
  const sameSize = JSON.parse(pledgeProof({ finance: [...aPledgeHistory(), null] }))
  const otherPledge = JSON.parse(pledgeProof({ finance: [null, null, ...aPledgeHistory()] }))
  const changes: [(proof: MutableBundle) => void, string][] = [
    [(p) => delete p.invoice.events[1].open.finance, 'WITHHELD'],
    [(p) => (p.invoice.events[0].open.issuer = { body: null, salt: '0'.repeat(32) }), 'ROLE'],
    [(p) => (p.invoice.events[7].open = p.invoice.events[6].open), 'COMMITMENT'],
    [(p) => (p.invoice.events[3].open.finance.body.balance_due = '999.00'), 'COMMITMENT'],
    [(p) => p.invoice.events.pop(), 'HEAD'],
    [(p) => p.invoice.events.shift(), 'CHAIN'],
    [(p) => (p.invoice.events = []), 'SHAPE'],
    [(p) => (p.invoice.document_id = p.agreement.document.id), 'STREAM'],
    [(p) => (p.invoice.stream_salt = '0'.repeat(32)), 'STREAM'],
    [(p) => (p.invoice.events[2].log.index += 1), 'INCLUSION'],
    [(p) => (p.invoice.head = p.agreement.head), 'HEAD'],
    [(p) => (p.invoice.checkpoint = p.agreement.checkpoint), 'INCLUSION'],
    [(p) => (p.invoice = sameSize.invoice), 'SPLIT_VIEW'],
    [(p) => (p.invoice = otherPledge.invoice), 'PLEDGE'],
    [(p) => (p.agreement = p.invoice), 'SHAPE'],
    [(p) => (p.agreement.format = 'svc-proof-bundle/3'), 'FORMAT'],
    [(p) => (p.agreement.viewer.role = 'counterparty'), 'ROLE'],
    [(p) => (p.format = 'svc-pledge-proof/2'), 'FORMAT'],
    [(p) => (p.more = 1), 'SHAPE'],
    [(p) => (p.invoice.more = 1), 'SHAPE'],
    [(p) => (p.invoice.events[0].header.v = 'svc-event/1'), 'SHAPE'],
  ]
  assertChecks(changes.map(([change, check]) => [mutated(change, genuine), check]))
})

test('domain 5.6: a proof that opens the invoice behind the end of the pledge is refused', () => {
  assertChecks([[pledgeProof({ opensFor: agreementIds[1]! }), 'ROLE']])
})

test('a proof of a pledge goes with no option of a bundle', () => {
  const file = temporaryFile(genuine)
  for (const option of ['--peer', '--since', '--open', '--receipts']) {
    const [verdict] = verifyWithBoth([[file, '--trust', trustPath, option, file]])
    assert.equal(verdict!.check, 'USAGE', option)
  }
  const bundle = temporaryFile(JSON.stringify(JSON.parse(genuine).agreement))
  const [other] = verifyWithBoth([[bundle, '--peer', file, '--trust', trustPath]])
  assert.equal(other!.check, 'FORMAT')
})

/** Draws more mutations. */
const isLong = process.env['LONG'] === '1'

test('provenance 8: both verifiers give the same verdict on every mutation of a proof', () => {
  const factor = isLong ? 10 : 0.25
  const count = 600 * factor
  const proofs = Array.from({ length: count }, (_, i) => {
    const random = randomOf(`pledge ${i}`)
    return i % 3 === 0 ? mutatedBytes(random, genuine) : mutatedValue(random, genuine)
  })
  const verdicts = verifyWithBoth(lines(proofs))
  for (const [i, { exitCode, check, output }] of verdicts.entries()) {
    assert.notEqual(check, 'INTERNAL', output)
    const isSame = Buffer.from(proofs[i]!).equals(Buffer.from(genuine))
    assert.equal(exitCode, isSame ? 0 : 1, output)
  }
})

test('provenance 8: both verifiers agree on mutated slots that are hashed again', () => {
  const proofs = Array.from({ length: isLong ? 300 : 100 }, (_, i) => {
    const random = randomOf(`slots ${i}`)
    const finance = JSON.parse(mutatedValue(random, JSON.stringify(aPledgeHistory())))
    return pledgeProof({ finance: Array.isArray(finance) ? finance.map(bodyOrNull) : [null] })
  })
  const reached = new Set(verifyWithBoth(lines(proofs)).map(({ check }) => check))
  for (const check of ['PLEDGE', 'SHAPE', undefined]) assert(reached.has(check), `${check}`)
})

const bodyOrNull = (value: unknown): object | null =>
  typeof value === 'object' && !Array.isArray(value) ? value : null
