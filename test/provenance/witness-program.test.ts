/** What the published witness refuses: to start with, and to cosign. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { readTrust } from '../../verifier/verify-bundle.mjs'
import { openWitness } from '../../verifier/witness.mjs'
import { root } from '../support/architecture/sources.ts'
import { attackedLog, genuineBundle, trustPath } from '../support/provenance/mutated-bundles.ts'
import { naiveConsistency } from '../support/provenance/naive-tree.ts'
import { origin, signingKeyOf } from '../support/provenance/synthetic-log.ts'
import { temporaryFile } from '../support/provenance/verifiers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const program = join(root, 'verifier/witness.mjs')
/** A port that nobody has, so that a witness that starts all the same ends with another message. */
const noPort = '65536'

const refusal = (...words: string[]): string => {
  const { status, stderr } = spawnSync(process.execPath, [program, ...words], { encoding: 'utf8' })
  assert.equal(status, 1)
  return stderr
}

test('FORMAT 6: a witness has a name that verifiers take', () => {
  for (const name of ['a b', 'a+b', 'é', '']) {
    const text = refusal(name, temporaryFolder(), trustPath, noPort)
    assert.equal(text, 'TRUST: not a verifier key of type Ed25519\n', name)
  }
})

test('a wrong command line and a trust file that cannot be read are named in one line', () => {
  const usage = 'USAGE: witness NAME FOLDER VKEY|trust.json [PORT [HOST]]\n'
  assert.equal(refusal(), usage)
  assert.equal(refusal('w.example/1', temporaryFolder()), usage)
  const start = (trust: string) => refusal('w.example/1', temporaryFolder(), trust, noPort)
  assert.equal(start('/nowhere'), 'FILE: cannot read /nowhere\n')
  assert.equal(start(temporaryFile(genuineBundle)), 'TRUST: origin and keys are missing\n')
})

test('FORMAT 8: a key signs for the log only at the sizes at which it is in force', () => {
  const [retired, current] = [signingKeyOf('retired', origin), signingKeyOf('current', origin)]
  const windows = { [retired.vkey]: { until_size: 4 }, [current.vkey]: { from_size: 3 } }
  const trust = readTrust({ origin, keys: [retired.vkey, current.vkey], windows })
  const witness = openWitness('w.example/1', temporaryFolder(), [trust])
  const statusOf = (from: number, size: number, key: typeof current) => {
    const proof = naiveConsistency(from, attackedLog.leaves.slice(0, size))
    const lines = proof.map((node) => `${node.toString('base64')}\n`).join('')
    const note = attackedLog.checkpoint(size, [key])
    return witness.addCheckpoint(`old ${from}\n${lines}\n${note}`).status
  }
  assert.equal(statusOf(0, 2, current), 403)
  assert.equal(statusOf(0, 3, retired), 200)
  assert.equal(statusOf(3, 4, retired), 403)
  assert.equal(statusOf(3, 4, current), 200)
})
