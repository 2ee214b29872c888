/** A log that contradicts itself convicts itself; one that does not cannot be convicted. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readTrust } from '../../verifier/verify-bundle.mjs'
import { openWitness } from '../../verifier/witness.mjs'
import { findFraud, fraudOutcomeOf, verifyFraudProof } from '../../verifier/fraud-proof.mjs'
import { root } from '../support/architecture/sources.ts'
import {
  attackedDocument,
  attackedLog,
  counterpartyBundle,
  genuineBundle,
  logKey,
  otherDocument,
  sortedJson,
  trustPath,
} from '../support/provenance/mutated-bundles.ts'
import {
  type SyntheticDocument,
  SyntheticLog,
  anInvoiceHistory,
  origin,
  signingKeyOf,
  syntheticBundle,
  syntheticDocument,
} from '../support/provenance/synthetic-log.ts'
import { temporaryFile } from '../support/provenance/verifiers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const trust = [readTrust({ origin, keys: [logKey.vkey] })]
const find = (one: string, other: string) => findFraud(Buffer.from(one), Buffer.from(other), trust)

/** The proof, which also holds by itself. */
const proven = (one: string, other: string): { proof: string; reason: string } => {
  const proof = find(one, other)
  assert(proof !== undefined, 'a contradiction')
  const { reason } = verifyFraudProof(Buffer.from(proof), trust)
  assert(find(other, one) !== undefined, 'in the other order')
  return { proof, reason }
}

const refusedCheck = (proof: string, keys = trust): string => {
  try {
    verifyFraudProof(Buffer.from(proof), keys)
  } catch (error) {
    return (error as { check: string }).check
  }
  return 'FRAUD'
}

const forkAfter = (count: number, ...documents: SyntheticDocument[]): SyntheticLog => {
  const fork = new SyntheticLog()
  fork.leaves.push(...attackedLog.leaves.slice(0, count))
  for (const [hash, index] of attackedLog.leafIndexes) {
    if (index < count) fork.leafIndexes.set(hash, index)
  }
  return fork.add(
    ...documents.flatMap(({ events }) =>
      events.filter(({ hash }) => !fork.leafIndexes.has(hash.toString('hex'))),
    ),
  )
}
const cheaper = syntheticDocument(anInvoiceHistory('1.00'))
const size = attackedLog.leaves.length

test('two roots of one size convict', () => {
  const fork = forkAfter(12, cheaper)
  const [one, other] = [attackedLog.checkpoint(15), fork.checkpoint(15)]
  assert.match(proven(one, other).reason, /the root of 15 leaves/)
})

test('two events at one sequence of one stream convict, in one log and in two', () => {
  const second = forkAfter(size, cheaper)
  const [one, other] = [genuineBundle, syntheticBundle(cheaper, second)]
  assert.match(proven(one, other).reason, /the event [0-9a-f]{64} \d$/)
  const fork = forkAfter(0, cheaper)
  assert.match(proven(one, syntheticBundle(cheaper, fork)).reason, /two answers/)
})

test('one event at two places convicts', () => {
  const again = forkAfter(size)
  again.leafIndexes.clear()
  again.add(...attackedDocument.events)
  const { reason } = proven(genuineBundle, syntheticBundle(attackedDocument, again))
  assert.match(reason, /the place of the event/)
})

test('a checkpoint that does not extend an older one convicts, by any leaf below both sizes', () => {
  // The document’s events are at their places; only a stranger’s leaf before them is another.
  const fork = forkAfter(size)
  fork.leaves[0] = Buffer.alloc(32, 9)
  const forked = syntheticBundle(attackedDocument, fork, { treeSize: size })
  assert.match(proven(genuineBundle, forked).reason, /the leaves from/)
  const older = attackedLog.checkpoint(8)
  assert.match(proven(older, forked).reason, /the leaves from 0 to 7/)
  const receipt = (bundle: string) => {
    const { checkpoint, events } = JSON.parse(bundle)
    const { header, log } = events.at(-1)
    return JSON.stringify({ checkpoint, header, log })
  }
  assert.match(proven(receipt(genuineBundle), receipt(forked)).reason, /the leaves from/)
})

test('a head that omits an event of its log convicts, by the event or by another head', () => {
  const shortened = syntheticBundle(attackedDocument, attackedLog, {
    eventCount: 3,
    treeSize: size,
  })
  assert.match(proven(shortened, genuineBundle).reason, /ends at event 3 and omits event [45]/)
  const { head } = JSON.parse(shortened)
  assert.match(proven(head, JSON.parse(genuineBundle).head).reason, /which another head has/)
})

/** One event of a bundle, as a statement of its own. */
const receiptOf = (bundle: string, seq: number): string => {
  const { checkpoint, events } = JSON.parse(bundle)
  const { header, log } = events[seq - 1]
  return JSON.stringify({ checkpoint, header, log })
}

test('an event that follows another one than that which was signed convicts', () => {
  const forked = syntheticBundle(cheaper, forkAfter(size, cheaper))
  const { reason } = proven(receiptOf(genuineBundle, 2), receiptOf(forked, 3))
  assert.match(reason, /the event [0-9a-f]{64} 2$/)
})

test('events of a stream in the wrong order convict, and a head that comes before its event', () => {
  const reversed = new SyntheticLog().add(...attackedDocument.events.toReversed())
  const treeSize = reversed.leaves.length
  const bundle = syntheticBundle(attackedDocument, reversed, { treeSize })
  const order = proven(receiptOf(bundle, 2), receiptOf(bundle, 3))
  assert.match(order.reason, /^event 2 of [0-9a-f]{64} as leaf 7 and event 3 as leaf 5$/)
  const early = JSON.parse(
    syntheticBundle(attackedDocument, reversed, { eventCount: 3, treeSize: 6 }),
  )
  const { reason } = proven(early.head, receiptOf(bundle, 2))
  assert.equal(reason, 'the head of 6 leaves has event 2, leaf 7')
})

/** The head of the first events of the document, as the log signs it at a size. */
const headOf = (eventCount: number, treeSize: number, log = attackedLog): string =>
  JSON.parse(syntheticBundle(attackedDocument, log, { eventCount, treeSize })).head

test('a head convicts by the first leaf that it does not cover, and by a head of its own size', () => {
  const reversed = new SyntheticLog().add(...attackedDocument.events.toReversed())
  const bundle = syntheticBundle(attackedDocument, reversed, { treeSize: reversed.leaves.length })
  const { reason } = proven(headOf(3, 7, reversed), receiptOf(bundle, 2))
  assert.equal(reason, 'the head of 7 leaves has event 2, leaf 7')
  assert.match(proven(headOf(3, size), headOf(4, size)).reason, /omits event 4, which another head/)
})

test('a head does not convict by the next event of its stream, which is the first leaf after it', () => {
  for (const [count, { hash }] of attackedDocument.events.entries()) {
    if (count === 0) continue
    const next = attackedLog.leafIndexes.get(hash.toString('hex'))!
    const head = headOf(count, next)
    assert.equal(find(head, receiptOf(genuineBundle, count + 1)), undefined)
    assert.equal(find(head, headOf(count + 1, next + 1)), undefined)
  }
})

test('FORMAT 14: no witness is asked for the statements of a fraud', () => {
  const { vkey } = openWitness('w.example/1', temporaryFolder(), trust)
  const watchedLog = { origin, keys: [logKey.vkey], witnesses: [vkey], quorum: 1 }
  const watched = [readTrust(watchedLog)]
  const forked = syntheticBundle(cheaper, forkAfter(size, cheaper))
  assert(findFraud(Buffer.from(genuineBundle), Buffer.from(forked), watched) !== undefined)
})

test('an honest log cannot be convicted', () => {
  const older = syntheticBundle(attackedDocument, attackedLog, { eventCount: 3 })
  const checkpoints = [1, 4, 7, 8, 15, size].map((at) => attackedLog.checkpoint(at))
  const { head } = JSON.parse(older)
  const other = syntheticBundle(otherDocument, attackedLog)
  const honest = [genuineBundle, counterpartyBundle, older, other, head, ...checkpoints]
  for (const one of honest) {
    for (const another of honest) assert.equal(find(one, another), undefined)
  }
  const elsewhere = 'forge.example/log/live/2'
  const key = signingKeyOf('key', elsewhere)
  const both = [...trust, readTrust({ origin: elsewhere, keys: [key.vkey] })]
  const epoch = forkAfter(12, cheaper).checkpoint(15, [key], elsewhere)
  const found = findFraud(Buffer.from(attackedLog.checkpoint(15)), Buffer.from(epoch), both)
  assert.equal(found, undefined, 'two logs may differ')
})

test('a proof is refused if any byte of its statements is not the log’s own', () => {
  const { proof } = proven(genuineBundle, syntheticBundle(cheaper, forkAfter(size, cheaper)))
  const changed = (change: (value: { statements: Record<string, never>[] }) => void): string => {
    const value = JSON.parse(proof)
    change(value)
    return sortedJson(value)
  }
  const impostor = signingKeyOf('impostor', origin)
  const forged = { checkpoint: attackedLog.checkpoint(15, [impostor]) }
  const mine = { checkpoint: attackedLog.checkpoint(15) }
  // oxlint-disable-next-line typescript/no-explicit-any -- a change may change anything
  const cases: [string, (value: any) => void][] = [
    ['CONTRADICTION', (value) => (value.statements[1] = value.statements[0])],
    ['CONTRADICTION', (value) => (value.statements = [mine, mine])],
    ['SIGNATURE', (value) => (value.statements = [mine, forged])],
    ['INCLUSION', (value) => (value.statements[0].header.at = '2026-11-21T01:00:00.001Z')],
    ['INCLUSION', (value) => (value.statements[0].log.index += 1)],
    ['INCLUSION', (value) => value.statements[0].log.path.pop()],
    ['INCLUSION', (value) => value.statements[0].log.path.push('0'.repeat(64))],
    ['SHAPE', (value) => value.statements.pop()],
    ['SHAPE', (value) => (value.statements[0].log.more = 1)],
    ['SHAPE', (value) => (value.statements[0] = { note: 'x' })],
    ['NOTE', (value) => (value.statements[0] = { checkpoint: 'x' })],
    ['FORMAT', (value) => (value.format = 'svc-fraud-proof/2')],
  ]
  assert.equal(refusedCheck(changed(() => {})), 'FRAUD')
  for (const [i, [check, change]] of cases.entries()) {
    assert.equal(refusedCheck(changed(change)), check, `${i}`)
  }
  const elsewhere = 'other.example/log/live/1'
  const stranger = [readTrust({ origin: elsewhere, keys: [signingKeyOf('key', elsewhere).vkey] })]
  assert.equal(refusedCheck(proof, stranger), 'ORIGIN')
  assert.equal(refusedCheck(` ${proof}`), 'CANONICAL')
})

test('the command line writes a proof, verifies it, and says what it has not proven', () => {
  const out = join(temporaryFolder(), 'proof.json')
  const fork = temporaryFile(syntheticBundle(cheaper, forkAfter(size, cheaper)))
  const genuine = temporaryFile(genuineBundle)
  const run = (...args: string[]) => fraudOutcomeOf(args)
  const written = run(genuine, fork, '--trust', trustPath, '--out', out)
  assert.equal(written.exit, 0, written.text)
  assert.match(written.text, /^FRAUD forge\.example\/log\/live\/1 has signed two answers/)
  assert.deepEqual(run(out, '--trust', trustPath), written)
  assert.equal(run(out).exit, 2)
  assert.match(
    run(genuine, genuine, '--trust', trustPath, '--out', `${out}2`).text,
    /CONTRADICTION/,
  )
  assert.match(run(genuine, '--trust', trustPath).text, /FORMAT/)
  for (const args of [[], [genuine, fork], [genuine, '--out', out], [out, '--json'], ['--trust']]) {
    assert.match(run(...args).text, /USAGE/)
  }
  assert.match(run('/nowhere').text, /FILE/)
  const unwritten = run(genuine, fork, '--trust', trustPath, '--out', '/nowhere/proof.json')
  assert.match(unwritten.text, /FILE: cannot write \/nowhere\/proof\.json.* two answers/)
  const program = join(root, 'verifier/fraud-proof.mjs')
  const { status, stdout } = spawnSync(process.execPath, [program, out, '--trust', trustPath])
  assert.equal(status, 0)
  assert.equal(stdout.toString(), `${written.text}\n`)
  assert(readFileSync(out).length < 6_000, 'portable')
})
