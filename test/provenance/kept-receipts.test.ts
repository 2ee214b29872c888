/** `--receipts` and `--receipt`: both verifiers agree (FORMAT.md, 15). Needs python3. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTrust } from '../../verifier/verify-bundle.mjs'
import { findFraud } from '../../verifier/fraud-proof.mjs'
import { mutatedBytes, mutatedValue, randomOf } from '../support/provenance/generated-mutations.ts'
import {
  type MutableBundle,
  attackedDocument,
  attackedLog,
  genuineBundle,
  logKey,
  otherDocument,
  sortedJson,
  trustPath,
} from '../support/provenance/mutated-bundles.ts'
import { impostor } from '../support/provenance/mutated-signatures.ts'
import {
  SyntheticLog,
  anInvoiceHistory,
  origin,
  signingKeyOf,
  syntheticBundle,
  syntheticDocument,
} from '../support/provenance/synthetic-log.ts'
import { temporaryFile, verifyWithBoth } from '../support/provenance/verifiers.ts'

const lineOf = ({ stream, events }: typeof attackedDocument, seq: number): string =>
  `${stream} ${seq} ${events[seq - 1]!.hash.toString('hex')}`
const own = (seq: number): string => lineOf(attackedDocument, seq)
const { stream } = attackedDocument
const all = attackedDocument.events.map((_, i) => own(i + 1))

const compared = (kept: readonly string[], bundle = genuineBundle, output?: string[]) => {
  const file = temporaryFile(bundle)
  const rest = ['--trust', trustPath]
  return verifyWithBoth(
    kept.map((text) => [file, '--receipts', temporaryFile(text), ...rest]),
    output,
  )
}

test('a bundle that has every acknowledged event is valid, and the others are not compared', () => {
  const strangers = [lineOf(otherDocument, 1), `${'0'.repeat(64)} 99 ${'0'.repeat(64)}`]
  const files: [string, number][] = [
    [all.join('\n'), all.length],
    [`${own(2)}\r\n\r\n${own(2)}\n\n`, 2],
    [`\n${[...strangers, own(3)].join('\n')}\n`, 1],
  ]
  for (const [i, verdict] of compared(files.map(([text]) => text)).entries()) {
    assert.equal(verdict.exitCode, 0, verdict.output)
    assert.equal(JSON.parse(verdict.output).receipts, files[i]![1])
  }
  const [said] = compared([all.join('\n')], genuineBundle, [])
  assert.match(said!.output, new RegExp(`the events of all ${all.length} receipts`))
})

test('a bundle with another event, or that ends before one, says RECEIPT', () => {
  const files = {
    'another hash': `${stream} 2 ${'0'.repeat(64)}`,
    'the hash of another event': `${stream} 2 ${own(1).slice(-64)}`,
    'one wrong line of many': [...all, `${stream} 3 ${'0'.repeat(64)}`].join('\n'),
    'a later event': `${stream} ${all.length + 1} ${'0'.repeat(64)}`,
    'the largest seq': `${stream} ${Number.MAX_SAFE_INTEGER} ${'0'.repeat(64)}`,
    'no line': '\n\r\n',
    'lines of other documents only': lineOf(otherDocument, 1),
  }
  for (const [i, { check, output }] of compared(Object.values(files)).entries()) {
    assert.equal(check, 'RECEIPT', `${Object.keys(files)[i]}: ${output}`)
  }
  const shorter = syntheticBundle(attackedDocument, attackedLog, { eventCount: 3 })
  const [rolledBack] = compared([all.join('\n')], shorter)
  assert.equal(rolledBack!.check, 'RECEIPT')
  assert.equal(JSON.parse(rolledBack!.output).seq, 4)
})

test('a file that is no list of receipts says RECEIPT', () => {
  const wrong = [
    own(1).toUpperCase(),
    `svc-event: ${own(1)}`,
    ` ${own(1)}`,
    `${own(1)} `,
    own(1).replace(' ', '  '),
    own(1).replace(' 1 ', ' 01 '),
    own(1).replace(' 1 ', ' 9007199254740992 '),
    lineOf(otherDocument, 1).replace(' 1 ', ' 9007199254740992 '),
    own(1).replace(' 1 ', ' 10000000000000000 '),
    own(1).replace(' 1 ', ' 0 '),
    own(1).replace(' 1 ', ' ١ '),
    own(1).slice(0, -1),
    `\uFEFF${own(1)}`,
    `${own(1)}\r\r\n`,
    `${own(1)}\u2028${own(2)}`,
    `${own(1)}\u000b`,
    genuineBundle,
  ]
  const files = [...wrong, ...wrong.map((text) => `${own(1)}\n${text}`)]
  for (const [i, { check, output }] of compared(files).entries()) {
    const claim = JSON.parse(output)
    const found = [check, claim.message]
    assert.deepEqual(found, ['RECEIPT', 'not a list of receipts'], files[i]!.slice(0, 200))
  }
})

const receiptOf = (bundle: string, seq: number): MutableBundle => {
  const { checkpoint, events } = JSON.parse(bundle)
  const { header, log } = events[seq - 1]
  return { checkpoint, format: 'svc-receipt/1', header, log }
}
const signed = receiptOf(genuineBundle, 3)
const signedWith = (change: (receipt: MutableBundle) => void): string => {
  const receipt = structuredClone(signed)
  change(receipt)
  return sortedJson(receipt)
}
const verified = (texts: readonly (string | Buffer)[], trust = trustPath) =>
  verifyWithBoth(texts.map((text) => [temporaryFile(text), '--receipt', '--trust', trust]))

test('a signed receipt proves its event without a bundle', () => {
  const file = temporaryFile(sortedJson(signed))
  const [verdict] = verifyWithBoth([[file, '--receipt', '--trust', trustPath]])
  assert.equal(verdict!.exitCode, 0, verdict!.output)
  const { receipt } = JSON.parse(verdict!.output)
  assert.equal(`${receipt.stream} ${receipt.seq} ${receipt.hash}`, own(3))
  assert.deepEqual([receipt.at, receipt.index], [signed.header.at, signed.log.index])
  const [said, unpinned] = verifyWithBoth(
    [
      [file, '--receipt', '--trust', trustPath],
      [file, '--receipt'],
    ],
    [],
  )
  assert(said!.output.split('\n').includes(own(3)), said!.output)
  assert.equal(unpinned!.exitCode, 2, unpinned!.output)
})

test('a receipt of which anything was changed is refused, by the name of the check', () => {
  const changes: [string, string][] = [
    ['FORMAT', genuineBundle],
    ['FORMAT', signedWith((r) => (r.format = 'svc-receipt/2'))],
    ['SHAPE', signedWith((r) => (r.format = 1))],
    ['SHAPE', signedWith((r) => delete r.format)],
    ['SHAPE', signedWith((r) => (r.more = 1))],
    ['SHAPE', signedWith((r) => (r.header.v = 'svc-event/3'))],
    ['SHAPE', '[]'],
    ['SHAPE', 'null'],
    ['CANONICAL', ` ${sortedJson(signed)}`],
    ['JSON', ''],
    ['NOTE', signedWith((r) => (r.checkpoint = 'x'))],
    ['ORIGIN', signedWith((r) => (r.checkpoint = elsewhere))],
    ['SIGNATURE', signedWith((r) => (r.checkpoint = attackedLog.checkpoint(15, [impostor])))],
    ['INCLUSION', signedWith((r) => (r.checkpoint = attackedLog.checkpoint(15)))],
    ['INCLUSION', signedWith((r) => (r.header.seq += 1))],
    ['INCLUSION', signedWith((r) => (r.header.stream = otherDocument.stream))],
    ['INCLUSION', signedWith((r) => (r.header.at = '2026-11-21T01:00:00.001Z'))],
    ['INCLUSION', signedWith((r) => (r.log.index += 1))],
    ['INCLUSION', signedWith((r) => r.log.path.pop())],
  ]
  for (const [i, { check, output }] of verified(changes.map(([, text]) => text)).entries()) {
    assert.equal(check, changes[i]![0], `${i}: ${output}`)
  }
  const rule = { origin, keys: [logKey.vkey], windows: { [logKey.vkey]: { from_size: 900 } } }
  const [early] = verified([sortedJson(signed)], temporaryFile(JSON.stringify(rule)))
  assert.equal(early!.check, 'KEY_WINDOW')
})

const elsewhere = attackedLog.checkpoint(
  15,
  [signingKeyOf('key', 'other.example/log/live/1')],
  'other.example/log/live/1',
)

test('no mutation of a signed receipt is accepted, and both verifiers say the same', () => {
  const text = sortedJson(signed)
  const texts = Array.from({ length: 400 }, (_, i) => {
    const random = randomOf(`receipt ${i}`)
    return i % 2 === 0 ? mutatedBytes(random, text) : mutatedValue(random, text)
  }).filter((changed) => changed.toString() !== text)
  for (const { exitCode, check, output } of verified(texts)) {
    assert.equal(exitCode, 1, output)
    assert.notEqual(check, 'INTERNAL', output)
  }
})

test('a receipt goes with no option of a bundle', () => {
  const file = temporaryFile(sortedJson(signed))
  const lines = [
    [file, '--receipt', '--receipts', file],
    [file, '--receipt', '--since', file],
    [file, '--receipt', '--digest', '0'.repeat(64)],
    [file, '--receipt', '--consistency', file, file],
    ['--receipt'],
  ]
  for (const { check } of verifyWithBoth(lines)) assert.equal(check, 'USAGE')
  const [missing] = verifyWithBoth([[temporaryFile(genuineBundle), '--receipts', '/nowhere']])
  assert.equal(missing!.check, 'FILE')
})

test('a signed receipt convicts a log whose later bundle has another event in its place', () => {
  const trust = [readTrust({ origin, keys: [logKey.vkey] })]
  const other = syntheticDocument(anInvoiceHistory('1.00'))
  const fork = new SyntheticLog()
  fork.leaves.push(...attackedLog.leaves)
  const later = syntheticBundle(other, fork.add(...other.events))
  const find = (receipt: string, bundle: string) =>
    findFraud(Buffer.from(receipt), Buffer.from(bundle), trust)
  assert.notEqual(find(sortedJson(signed), later), undefined)
  assert.equal(find(sortedJson(signed), genuineBundle), undefined)
  assert.throws(
    () =>
      find(
        signedWith((r) => (r.log.index += 1)),
        later,
      ),
    /place/,
  )
})
