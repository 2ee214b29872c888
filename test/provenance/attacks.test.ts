/**
 * The attack matrix of provenance 4 against both published verifiers, which must agree on every
 * case, and the valid controls beside it. Needs python3.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import {
  type Attack,
  bent,
  chain,
  document,
  edits,
  genuine,
  genuineOfCounterparty,
  inclusion,
  key,
  log,
  rewritten,
  rewrittenLog,
  sorted,
  trust,
} from '../support/provenance/mutated-bundles.ts'
import {
  disclosure,
  rotated,
  second,
  signatureLines,
  signatures,
  texts,
  windowed,
} from '../support/provenance/mutated-notes.ts'
import {
  ForgedLog,
  anInvoiceStory,
  forgedBundle,
  forgedDocument,
  keyOf,
} from '../support/provenance/forged-log.ts'
import { byBoth, byNode, fileOf } from '../support/provenance/verifiers.ts'

const digest = createHash('sha256').update(genuine).digest('hex')

const withOthers: Attack[] = [
  {
    what: 'another digest',
    bundle: genuine,
    by: 'DIGEST',
    args: ['--trust', trust, '--digest', '0'.repeat(64)],
  },
  {
    what: 'the parties were shown two histories',
    bundle: genuine,
    by: 'SPLIT_VIEW',
    args: [
      ...['--trust', trust, '--peer'],
      fileOf(forgedBundle(rewritten, rewrittenLog, { role: 'counterparty' })),
    ],
  },
  {
    what: 'a head was signed although a later event was in the log',
    bundle: genuine,
    by: 'SPLIT_VIEW',
    args: [
      ...['--trust', trust, '--peer'],
      fileOf(forgedBundle(document, log, { role: 'counterparty', events: 4, size: 20 })),
    ],
  },
  {
    what: 'the service rolled back',
    bundle: forgedBundle(document, log, { events: 4 }),
    by: 'ROLLBACK',
    args: ['--trust', trust, '--since', fileOf(genuine)],
  },
  {
    what: 'an older version is another',
    bundle: genuine,
    by: 'ROLLBACK',
    args: [
      '--trust',
      trust,
      '--since',
      fileOf(forgedBundle(rewritten, rewrittenLog, { events: 2 })),
    ],
  },
  {
    what: 'a false opening is handed over',
    bundle: genuine,
    by: 'OPENING',
    args: [
      ...['--trust', trust, '--open'],
      fileOf(sorted({ seq: 3, slot: 'counterparty', salt: '0'.repeat(32), body: null })),
    ],
  },
]

const matrix = { edits, chain, inclusion, signatures, disclosure, texts, withOthers }

for (const [group, attacks] of Object.entries(matrix)) {
  describe(`provenance 4: ${group} are refused by both verifiers, for the same reason`, () => {
    const verdicts = byBoth(
      attacks.map(({ bundle, args = ['--trust', trust] }) => [fileOf(bundle), ...args]),
    )
    for (const [i, { what, by }] of attacks.entries()) {
      test(`${what} → ${by}`, () => {
        assert.equal(verdicts[i]!.exit, 1, verdicts[i]!.said)
        assert.equal(verdicts[i]!.check, by, verdicts[i]!.said)
      })
    }
  })
}

test('provenance 4: what is genuine is accepted by both', () => {
  const genuineFile = fileOf(genuine)
  const cosigned = bent(second(signatureLines(log.checkpoint(3, [keyOf('w', 'witness.example')]))))
  const twoKeys = forgedBundle(document, log, { keys: [key, rotated] })
  const opening = (() => {
    const { open } = JSON.parse(genuineOfCounterparty).events[2]
    return sorted({ seq: 3, slot: 'counterparty', ...open.counterparty })
  })()
  const lines = [
    [genuineFile, '--trust', trust],
    [genuineFile, '--trust', key.vkey],
    [fileOf(genuineOfCounterparty), '--trust', trust],
    [genuineFile, '--trust', trust, '--digest', digest],
    [fileOf(cosigned), '--trust', trust],
    [fileOf(twoKeys), '--trust', trust],
    [fileOf(twoKeys), '--trust', windowed],
    [genuineFile, '--trust', trust, '--peer', fileOf(genuineOfCounterparty)],
    [genuineFile, '--trust', trust, '--since', fileOf(forgedBundle(document, log, { events: 2 }))],
    [genuineFile, '--trust', trust, '--open', fileOf(opening)],
  ]
  for (const { exit, said } of byBoth(lines)) assert.equal(exit, 0, said)
  // Times are texts of one form: no calendar is consulted.
  const story = anInvoiceStory()
  const odd = forgedDocument(story.with(-1, { ...story.at(-1)!, at: '2026-99-39T25:61:61.000Z' }))
  const [timed] = byBoth([[fileOf(forgedBundle(odd, new ForgedLog().add(...odd.events)))]])
  assert.equal(timed!.exit, 2, timed!.said)
  const [unpinned] = byBoth([[genuineFile]])
  assert.equal(unpinned!.exit, 2, unpinned!.said)
})

test('provenance 4: a wrong command line is refused by both, and accepts nothing', () => {
  const file = fileOf(genuine)
  const lines = [
    [],
    ['--trust', trust],
    [file, '--trust'],
    [file, '--nonsense'],
    [file, file],
    ['no such file'],
    [file, '--trust', 'no such file'],
    [file, '--trust', file],
    [file, '--trust', key.vkey.replace('+', '+0')],
  ]
  for (const { exit, said } of byBoth(lines)) assert.equal(exit, 1, said)
})

test('a trust file: both read the same of any spelling', () => {
  const { origin } = JSON.parse(readFileSync(trust, 'utf8')) as { origin: string }
  const trusting = (window: string, more = '', keys = `["${key.vkey}"]`) =>
    `{"origin":"${origin}","keys":${keys},"windows":{"${key.vkey}":${window}}${more}}`
  const from = (size: string) => trusting(`{"from_size":${size},"until_size":null}`)
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const good = [
    ...['0', '0.0', '-0', '-0.0', '1e0', '1E-0', '1e-400', `1${'0'.repeat(5)}e-5`].map(from),
    ...['{}', 'null', '{"until_size":9007199254740991.0}'].map((window) => trusting(window)),
    trusting('{}', `,"more":[1e999,1${'0'.repeat(5_000)},0.5,"\\ud800"]`),
    trusting('{}', `,"more":${nested(31)}`),
    ` ${trusting('{}')}\n`,
  ]
  const bad = [
    ...['0.5', '-1', '1e400', '9007199254740992', '"0"', 'null', 'true', '[]', 'NaN'].map(from),
    ...['0', 'false', '""', '[]', '5', '{"until_size":false}'].map((window) => trusting(window)),
    ...['NaN', 'Infinity', '-Infinity', '01', '.5', nested(32)].map((more) =>
      trusting('{}', `,"more":${more}`),
    ),
    trusting('{}', '', `[["${key.vkey}"]]`),
    ...['[0]', '[]', '{}', 'null'].map((keys) => trusting('{}', '', keys)),
    ...['['.repeat(200_000), nested(200_000), '', 'null', '[]', '0', `\ufeff${trusting('{}')}`],
    Buffer.from(trusting('{}', ',"more":"\xff"'), 'latin1'),
  ]
  const file = fileOf(genuine)
  const said = byBoth([...good, ...bad].map((content) => [file, '--trust', fileOf(content)]))
  for (const [i, one] of said.entries()) {
    assert.equal(one.exit, i < good.length ? 0 : 1, one.said)
    if (i >= good.length) assert.equal(one.check, 'TRUST', one.said)
  }
})

test('provenance 4: what was erased is left out and accepted; what was not, is withheld', () => {
  const story = anInvoiceStory()
  const { shared } = story[4]!.slots as { shared: { set: object; state: string } }
  const full = JSON.parse(genuine).document.state
  const { number: _, metadata: __, ...rest } = full
  const kept = { ...rest, notes: null }
  const erased = (seqs: number[]) => seqs.map((seq) => ({ seq, type: 'document.issued' }))
  assert.notEqual(shared, undefined)
  const at = '2026-11-21T01:00:20.000Z'
  const erasing = forgedDocument([
    ...story,
    {
      at,
      slots: {
        shared: { type: 'content.erased', set: kept, erased: erased([2, 4, 5]) },
        issuer: { set: { number: 'INV-000001' }, erased: erased([1, 2]) },
        counterparty: { set: { number: 'BILL-000001' }, erased: [] },
      },
    },
  ])
  const own = new ForgedLog().add(...erasing.events)
  const gone = ['1 issuer', '2 shared', '2 issuer', '4 shared', '5 shared']
  // What each side may leave out follows from its own slots.
  const left = (without: string[]) => fileOf(forgedBundle(erasing, own, { without }))
  const [valid, whole, withheld] = byBoth([
    [left([...gone, ...['1', '2', '3', '4', '5', '6'].map((seq) => `${seq} counterparty`)])],
    [left(['3 issuer', ...[1, 2, 3, 4, 5, 6].map((seq) => `${seq} counterparty`)])],
    [left(['6 shared', ...[1, 2, 3, 4, 5, 6].map((seq) => `${seq} counterparty`)])],
  ])
  assert.equal(valid!.exit, 2, valid!.said)
  assert.equal(whole!.check, 'WITHHELD')
  assert.equal(withheld!.check, 'WITHHELD')
})

test('provenance 4: of 2,000 bit flips none is accepted, and none crashes a verifier', () => {
  const bytes = Buffer.from(genuine)
  const flipped = (i: number): Buffer => {
    const copy = Buffer.from(bytes)
    const at = Math.floor((i * bytes.length) / 2_000)
    copy[at]! ^= 1 << (i % 8)
    return copy
  }
  const lines = Array.from({ length: 200 }, (_, i) => [fileOf(flipped(i * 10)), '--trust', trust])
  const all = Array.from({ length: 2_000 }, (_, i) => [fileOf(flipped(i)), '--trust', trust])
  const verdicts = [...byBoth(lines), ...all.map(byNode)]
  for (const { exit, check, said } of verdicts) {
    assert.equal(exit, 1, said)
    assert.notEqual(check, 'INTERNAL', said)
  }
})
