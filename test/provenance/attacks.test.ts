/**
 * Runs the attack matrix of provenance 4, and valid controls, against both published verifiers,
 * which must agree on every case. Needs python3.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  type Attack,
  chainAttacks,
  attackedDocument,
  contentAttacks,
  genuineBundle,
  counterpartyBundle,
  inclusionAttacks,
  logKey,
  attackedLog,
  rewrittenDocument,
  rewrittenLog,
  sortedJson,
  trustPath,
} from '../support/provenance/mutated-bundles.ts'
import {
  disclosureAttacks,
  rotated,
  signatureAttacks,
  encodingAttacks,
  retiredKeyTrust,
} from '../support/provenance/mutated-signatures.ts'
import { lineAttacks, twoKeysTrust, twoLogsTrust } from '../support/provenance/mutated-lines.ts'
import {
  SyntheticLog,
  anInvoiceHistory,
  syntheticBundle,
  syntheticDocument,
} from '../support/provenance/synthetic-log.ts'
import { verifyWithBoth, verifyWithNode, temporaryFile } from '../support/provenance/verifiers.ts'

const digest = createHash('sha256').update(genuineBundle).digest('hex')

const crossBundleAttacks: Attack[] = [
  {
    title: 'another digest',
    bundle: genuineBundle,
    failedCheck: 'DIGEST',
    args: ['--trust', trustPath, '--digest', '0'.repeat(64)],
  },
  {
    title: 'the service shows the parties two histories',
    bundle: genuineBundle,
    failedCheck: 'SPLIT_VIEW',
    args: [
      '--trust',
      trustPath,
      '--peer',
      temporaryFile(syntheticBundle(rewrittenDocument, rewrittenLog, { role: 'counterparty' })),
    ],
  },
  {
    title: 'the signed head ignores a later event in the log',
    bundle: genuineBundle,
    failedCheck: 'SPLIT_VIEW',
    args: [
      '--trust',
      trustPath,
      '--peer',
      temporaryFile(
        syntheticBundle(attackedDocument, attackedLog, {
          role: 'counterparty',
          eventCount: 4,
          treeSize: 20,
        }),
      ),
    ],
  },
  {
    title: 'the service rolled the document back',
    bundle: syntheticBundle(attackedDocument, attackedLog, { eventCount: 4 }),
    failedCheck: 'ROLLBACK',
    args: ['--trust', trustPath, '--since', temporaryFile(genuineBundle)],
  },
  {
    title: 'the older bundle has another history',
    bundle: genuineBundle,
    failedCheck: 'ROLLBACK',
    args: [
      '--trust',
      trustPath,
      '--since',
      temporaryFile(syntheticBundle(rewrittenDocument, rewrittenLog, { eventCount: 2 })),
    ],
  },
  {
    title: 'a false opening is disclosed',
    bundle: genuineBundle,
    failedCheck: 'OPENING',
    args: [
      '--trust',
      trustPath,
      '--open',
      temporaryFile(sortedJson({ seq: 3, slot: 'counterparty', salt: '0'.repeat(32), body: null })),
    ],
  },
]

const matrix = {
  'edited contents': contentAttacks,
  'broken chains': chainAttacks,
  'false inclusion proofs': inclusionAttacks,
  'false signatures': signatureAttacks,
  'other signature lines': lineAttacks,
  'false disclosures': disclosureAttacks,
  'false encodings': encodingAttacks,
  'contradictions with other files': crossBundleAttacks,
}

for (const [group, attacks] of Object.entries(matrix)) {
  describe(`provenance 4: both verifiers refuse ${group} for the same reason`, () => {
    const verdicts = verifyWithBoth(
      attacks.map(({ bundle, args = ['--trust', trustPath] }) => [temporaryFile(bundle), ...args]),
    )
    for (const [i, { title, failedCheck }] of attacks.entries()) {
      test(`${title} → ${failedCheck}`, () => {
        assert.equal(verdicts[i]!.exitCode, 1, verdicts[i]!.output)
        assert.equal(verdicts[i]!.check, failedCheck, verdicts[i]!.output)
      })
    }
  })
}

test('provenance 4: both verifiers accept genuine bundles', () => {
  const genuineFile = temporaryFile(genuineBundle)
  const twoKeys = syntheticBundle(attackedDocument, attackedLog, { keys: [logKey, rotated] })
  const onlyRotated = syntheticBundle(attackedDocument, attackedLog, { keys: [rotated] })
  const opening = (() => {
    const { open } = JSON.parse(counterpartyBundle).events[2]
    return sortedJson({ seq: 3, slot: 'counterparty', ...open.counterparty })
  })()
  const lines = [
    [genuineFile, '--trust', trustPath],
    [genuineFile, '--trust', logKey.vkey],
    [temporaryFile(counterpartyBundle), '--trust', trustPath],
    [genuineFile, '--trust', trustPath, '--digest', digest],
    [temporaryFile(twoKeys), '--trust', twoKeysTrust],
    [temporaryFile(onlyRotated), '--trust', retiredKeyTrust],
    [genuineFile, '--trust', twoLogsTrust],
    [genuineFile, '--trust', trustPath, '--digest', digest.toUpperCase()],
    [genuineFile, '--trust', trustPath, '--peer', temporaryFile(counterpartyBundle)],
    [
      genuineFile,
      '--trust',
      trustPath,
      '--since',
      temporaryFile(syntheticBundle(attackedDocument, attackedLog, { eventCount: 2 })),
    ],
    [genuineFile, '--trust', trustPath, '--open', temporaryFile(opening)],
  ]
  for (const { exitCode, output } of verifyWithBoth(lines)) assert.equal(exitCode, 0, output)
  // A time is only text in a fixed form: no calendar is consulted.
  const inputs = anInvoiceHistory()
  const odd = syntheticDocument(
    inputs.with(-1, { ...inputs.at(-1)!, at: '2026-99-39T25:61:61.000Z' }),
  )
  const [timed] = verifyWithBoth([
    [temporaryFile(syntheticBundle(odd, new SyntheticLog().add(...odd.events)))],
  ])
  assert.equal(timed!.exitCode, 2, timed!.output)
  const [unpinned] = verifyWithBoth([[genuineFile]])
  assert.equal(unpinned!.exitCode, 2, unpinned!.output)
})

test('provenance 4: a head is true though the next event is the first leaf that it does not cover', () => {
  const lines = attackedDocument.events.slice(1).flatMap(({ hash }, i) => {
    const treeSize = attackedLog.leafIndexes.get(hash.toString('hex'))!
    const options = { eventCount: i + 1, treeSize }
    const earlier = temporaryFile(syntheticBundle(attackedDocument, attackedLog, options))
    const genuine = [temporaryFile(genuineBundle), '--trust', trustPath]
    return [
      [...genuine, '--peer', earlier],
      [...genuine, '--since', earlier],
    ]
  })
  for (const { exitCode, output } of verifyWithBoth(lines)) assert.equal(exitCode, 0, output)
})

test('provenance 4: both verifiers refuse a wrong command line', () => {
  const file = temporaryFile(genuineBundle)
  const lines = [
    [],
    ['--trust', trustPath],
    [file, '--trust'],
    [file, '--nonsense'],
    [file, file],
    ['no such file'],
    [file, '--trust', 'no such file'],
    [file, '--trust', file],
    [file, '--trust', logKey.vkey.replace('+', '+0')],
    [file, '--digest', 'a'.repeat(63)],
    [file, '--digest', `${'a'.repeat(63)}g`],
    [file, '--epochs', file],
    [file, '--file', file],
    [file, '--consistency', file],
    [file, '--consistency', file, file, '--digest', digest],
  ]
  for (const { exitCode, output } of verifyWithBoth(lines)) assert.equal(exitCode, 1, output)
})

test('provenance 4: a bundle may omit what was erased, but nothing else', () => {
  const inputs = anInvoiceHistory()
  const { shared } = inputs[4]!.slots as { shared: { set: object; state: string } }
  const full = JSON.parse(genuineBundle).document.state
  const { number: _, metadata: __, ...rest } = full
  const remaining = { ...rest, notes: null }
  const erased = (seqs: number[]) => seqs.map((seq) => ({ seq, type: 'document.issued' }))
  assert.notEqual(shared, undefined)
  const at = '2026-11-21T01:00:20.000Z'
  const erasing = syntheticDocument([
    ...inputs,
    {
      at,
      slots: {
        shared: { type: 'content.erased', set: remaining, erased: erased([2, 4, 5]) },
        issuer: { set: { number: 'INV-000001' }, erased: erased([1, 2]) },
        counterparty: { set: { number: 'BILL-000001' }, erased: [] },
      },
    },
  ])
  const log = new SyntheticLog().add(...erasing.events)
  const erasedSlots = ['1 issuer', '2 shared', '2 issuer', '4 shared', '5 shared']
  // The slots that a side may omit follow from its own slots.
  const bundleWithout = (slots: string[]) =>
    temporaryFile(syntheticBundle(erasing, log, { erasedSlots: slots }))
  const [valid, other, last] = verifyWithBoth([
    [
      bundleWithout([
        ...erasedSlots,
        ...['1', '2', '3', '4', '5', '6'].map((seq) => `${seq} counterparty`),
      ]),
    ],
    [bundleWithout(['3 issuer', ...[1, 2, 3, 4, 5, 6].map((seq) => `${seq} counterparty`)])],
    [bundleWithout(['6 shared', ...[1, 2, 3, 4, 5, 6].map((seq) => `${seq} counterparty`)])],
  ])
  assert.equal(valid!.exitCode, 2, valid!.output)
  assert.equal(other!.check, 'WITHHELD')
  assert.equal(last!.check, 'WITHHELD')
})

test('provenance 4: the verifiers refuse each of 2,000 bit flips without crashing', () => {
  const bytes = Buffer.from(genuineBundle)
  const flipped = (i: number): Buffer => {
    const copy = Buffer.from(bytes)
    const at = Math.floor((i * bytes.length) / 2_000)
    copy[at]! ^= 1 << (i % 8)
    return copy
  }
  const lines = Array.from({ length: 200 }, (_, i) => [
    temporaryFile(flipped(i * 10)),
    '--trust',
    trustPath,
  ])
  const all = Array.from({ length: 2_000 }, (_, i) => [
    temporaryFile(flipped(i)),
    '--trust',
    trustPath,
  ])
  const verdicts = [...verifyWithBoth(lines), ...all.map((args) => verifyWithNode(args))]
  for (const { exitCode, check, output } of verdicts) {
    assert.equal(exitCode, 1, output)
    assert.notEqual(check, 'INTERNAL', output)
  }
})
