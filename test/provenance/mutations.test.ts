/**
 * Thousands of mutations of bundles of both forms, drawn from a seed: the two verifiers give the
 * same verdict on each. LONG=1 draws 72,000 of them instead of 1,440. Needs python3.
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/architecture/sources.ts'
import {
  type Random,
  changedText,
  crossed,
  bundleOfMutatedBase,
  bundleOfMutatedBodies,
  mutatedBytes,
  mutatedValue,
  randomOf,
} from '../support/provenance/generated-mutations.ts'
import {
  type MutableBundle,
  attackedDocument,
  attackedLog,
  counterpartyBundle,
  genuineBundle,
  otherDocument,
  sortedJson,
  trustPath,
} from '../support/provenance/mutated-bundles.ts'
import { sandboxOrigin } from '../support/provenance/mutated-signatures.ts'
import { partyKeys } from '../support/provenance/signed-history.ts'
import { naiveConsistency } from '../support/provenance/naive-tree.ts'
import {
  organizations,
  signingKeyOf,
  syntheticBundle,
} from '../support/provenance/synthetic-log.ts'
import { verify } from '../support/provenance/independent-verifier/independent-verifier.ts'
import { openWitness } from '../../verifier/witness.mjs'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type Verdict, temporaryFile, verifyWithBoth } from '../support/provenance/verifiers.ts'

const isLong = process.env['LONG'] === '1'
const factor = isLong ? 10 : 0.2

const golden = ['', 'version-2/'].flatMap((folder) =>
  ['issuer', 'counterparty'].map((role) =>
    readFileSync(join(root, `test/vectors/golden/${folder}${role}.svc-proof.json`), 'utf8'),
  ),
)

/**
 * The third verifier was written from FORMAT.md alone, by somebody who had seen neither of the
 * other two. It checks one bundle.
 */
const assertIndependentlyVerified = (
  lines: readonly (readonly string[])[],
  verdicts: readonly Verdict[],
): void => {
  for (const [i, [bundle, option, trust, ...more]] of lines.entries()) {
    if (more.length > 0 || (option !== undefined && option !== '--trust')) continue
    const text = trust === undefined ? {} : { trust: readFileSync(trust, 'utf8') }
    const { exitCode, check } = verify(readFileSync(bundle!), text)
    const { output, ...published } = verdicts[i]!
    assert.deepEqual({ exitCode, check }, published, `${lines[i]!.join(' ')}: ${output}`)
  }
}

let total = 0
after(() => assert(total >= 7_200 * factor, `only ${total} mutations`))

const verdictsOn = (
  title: string,
  count: number,
  line: (random: Random, i: number) => readonly string[],
): Verdict[] => {
  const lines = Array.from({ length: count * factor }, (_, i) => line(randomOf(`${title} ${i}`), i))
  total += lines.length
  const verdicts = verifyWithBoth(lines)
  for (const { check, output } of verdicts) assert.notEqual(check, 'INTERNAL', output)
  assertIndependentlyVerified(lines, verdicts)
  return verdicts
}

const bundleOf = (i: number): string => golden[i % golden.length]!

/** The checks that refused something, each at least once. */
const assertReached = (verdicts: readonly Verdict[], checks: readonly string[]): void => {
  const reached = new Set(verdicts.map(({ check }) => check))
  const missing = checks.filter((check) => !reached.has(check))
  assert.deepEqual(missing, [], 'checks that no mutation has reached')
}

const elsewhere = signingKeyOf('sandbox', sandboxOrigin)
const goldenTrust = join(root, 'test/vectors/golden/trust.json')

test('a mutation of a text cuts no character in half', () => {
  const text = '\u{1F600}a\u{1F600}'
  for (let i = 0; i < 200; i += 1) {
    const changed = changedText(randomOf(`emoji ${i}`), text)
    assert(changed.isWellFormed(), JSON.stringify(changed))
  }
})

describe('provenance 8: both verifiers give the same verdict on every mutation', () => {
  test('of a finished bundle', () => {
    const verdicts = verdictsOn('value', 2_400, (random, i) => [
      temporaryFile(mutatedValue(random, bundleOf(i))),
    ])
    assertReached(verdicts, [
      'SHAPE',
      'FORMAT',
      'NOTE',
      'STREAM',
      'CHAIN',
      'COMMITMENT',
      'WITHHELD',
      'REPLAY',
      'INCLUSION',
      ...(isLong ? ['ORDER'] : []),
    ])
  })

  test('that exchanges the fields of two bundles', () => {
    const others = [
      ...golden,
      genuineBundle,
      counterpartyBundle,
      syntheticBundle(otherDocument, attackedLog),
      ...[2, 4].map((eventCount) => syntheticBundle(attackedDocument, attackedLog, { eventCount })),
      syntheticBundle(attackedDocument, attackedLog, { origin: sandboxOrigin, keys: [elsewhere] }),
    ]
    const verdicts = verdictsOn('crossed', 600, (random, i) => [
      temporaryFile(crossed(random, others[i % others.length]!, others)),
    ])
    assertReached(verdicts, [
      'ORIGIN',
      'STREAM',
      'ROLE',
      'REPLAY',
      'INCLUSION',
      'HEAD',
      'NOTE',
      'SHAPE',
    ])
  })

  test('of the bodies, hashed again', () => {
    const verdicts = verdictsOn('bodies', 1_600, (random, i) => [
      temporaryFile(bundleOfMutatedBodies(random, i % 2 === 0 ? 1 : 2)),
    ])
    assertReached(verdicts, ['SHAPE', 'WITHHELD', 'REPLAY', 'ROLE', 'PARTY'])
    assert(verdicts.some(({ exitCode }) => exitCode === 2))
  })

  test('of the texts that parties sign', () => {
    const verdicts = verdictsOn('base', 600, (random) => [
      temporaryFile(bundleOfMutatedBase(random)),
    ])
    assertReached(verdicts, ['SHAPE', 'PARTY'])
    assert(verdicts.some(({ exitCode }) => exitCode === 2))
  })

  test('of its bytes', () => {
    const verdicts = verdictsOn('bytes', 600, (random, i) => [
      temporaryFile(mutatedBytes(random, bundleOf(i))),
    ])
    assertReached(verdicts, ['JSON', 'CANONICAL', 'COMMITMENT'])
  })

  test('with the trusted keys, which accept no other spelling of a bundle', () => {
    const changed = (random: Random, i: number) =>
      i % 2 === 0 ? mutatedValue(random, bundleOf(i)) : mutatedBytes(random, bundleOf(i))
    const isSame = (i: number) =>
      Buffer.from(changed(randomOf(`trusted ${i}`), i)).equals(Buffer.from(bundleOf(i)))
    const verdicts = verdictsOn('trusted', 400, (random, i) => [
      temporaryFile(changed(random, i)),
      '--trust',
      goldenTrust,
    ])
    for (const [i, { exitCode, output }] of verdicts.entries()) {
      assert.equal(exitCode, isSame(i) ? 0 : 1, output)
    }
  })

  test('of a trust file', () => {
    const trust = readFileSync(goldenTrust, 'utf8')
    const { origin, keys } = JSON.parse(trust) as { origin: string; keys: string[] }
    const windows = { [keys[0]!]: { from_size: 0, until_size: 20 } }
    const file = sortedJson({
      logs: [
        { origin, keys, windows },
        { origin: sandboxOrigin, keys: [elsewhere.vkey] },
      ],
    })
    const { keyid } = partyKeys.issuer
    const parties = { [organizations.issuer]: { keys: [keyid], required: ['document.issued'] } }
    const folder = temporaryFolder()
    const pem = signingKeyOf('witness', 'w.example').privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    })
    writeFileSync(join(folder, 'key.pem'), pem)
    const witness = openWitness('w.example', folder, []).vkey
    const rule = { witnesses: [witness], quorum: 1, witnessed_from_size: 100 }
    const whole = sortedJson({ origin, keys, windows, parties, ...rule })
    const verdicts = verdictsOn('trust', 400, (random, i) => [
      temporaryFile(bundleOf(i)),
      '--trust',
      temporaryFile(mutatedValue(random, i % 2 === 0 ? whole : file)),
    ])
    assertReached(verdicts, ['TRUST', 'ORIGIN', 'KEY_WINDOW'])
  })

  test('of an older bundle, an opening, a consistency proof', () => {
    const older = syntheticBundle(attackedDocument, attackedLog, { eventCount: 4 })
    const newer = temporaryFile(genuineBundle)
    const { open } = (JSON.parse(genuineBundle) as MutableBundle).events[1]
    const opening = sortedJson({ seq: 2, slot: 'issuer', ...open.issuer })
    const nodes = naiveConsistency(3, attackedLog.leaves.slice(0, 9))
    const proof = sortedJson({ from: 3, to: 9, proof: nodes.map((node) => node.toString('hex')) })
    const [three, nine] = [3, 9].map((size) => temporaryFile(attackedLog.checkpoint(size)))
    const lines: ((random: Random) => string[])[] = [
      (random) => [newer, '--since', temporaryFile(mutatedValue(random, older))],
      (random) => [newer, '--peer', temporaryFile(mutatedValue(random, older))],
      (random) => [temporaryFile(mutatedValue(random, genuineBundle)), '--since', newer],
      (random) => [newer, '--open', temporaryFile(mutatedValue(random, opening))],
      (random) => [temporaryFile(mutatedValue(random, proof)), '--consistency', three!, nine!],
    ]
    const verdicts = verdictsOn('other', 600, (random, i) => lines[i % lines.length]!(random))
    assertReached(verdicts, ['OPENING', 'CONSISTENCY', 'SHAPE'])
    assert.equal(verifyWithBoth([[newer, '--trust', trustPath]])[0]!.exitCode, 0)
  })
})
