/** What the published witness refuses to start with. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../support/architecture/sources.ts'
import { genuineBundle, trustPath } from '../support/provenance/mutated-bundles.ts'
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
