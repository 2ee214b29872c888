/** What the service does with the answer of a witness: only a line that verifies is published. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { openWitnesses } from '../../src/notary/witnesses.ts'
import { openOutbound } from '../../src/outbound/client.ts'
import { readTrust } from '../../verifier/verify-bundle.mjs'
import { openWitness } from '../../verifier/witness.mjs'
import { attackedLog, logKey } from '../support/provenance/mutated-bundles.ts'
import { naiveConsistency } from '../support/provenance/naive-tree.ts'
import { origin } from '../support/provenance/synthetic-log.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { listen } from '../support/webhooks/receiver.ts'

/** The body of add-checkpoint. */
const asked = (old: number, proof: readonly Buffer[], of: string): string =>
  `old ${old}\n${proof.map((node) => `${node.toString('base64')}\n`).join('')}\n${of}`

const trust = [readTrust({ origin, keys: [logKey.vkey] })]
const witness = openWitness('w.example/1', temporaryFolder(), trust)
const size = 3
const note = attackedLog.checkpoint(size)
const { text: line } = witness.addCheckpoint(asked(0, [], note))
assert.match(line, /^— w\.example\/1 /)

/** What comes of asking a witness that answers so, and from which sizes it was asked to go on. */
const outcomeOf = async (status: number, answer: string) => {
  const froms: number[] = []
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(status).end(answer))
  })
  const url = `http://127.0.0.1:${await listen(server)}/w`
  const { witnessing } = readConfig({ WITNESSES: `${witness.vkey} ${url}` })
  const proofFrom = async (from: number) => {
    froms.push(from)
    return []
  }
  const { lines, failures } = await openWitnesses(witnessing, openOutbound())!.cosign(
    note,
    proofFrom,
  )
  return { lines, failures, froms }
}

test('the line of the witness is taken from its answer, whatever stands beside it', async () => {
  for (const answer of [line, `— other.example AAAAAAAA\n${line}`]) {
    assert.deepEqual(await outcomeOf(200, answer), { lines: line, failures: [], froms: [0] })
  }
})

test('a line that is wrong, or of another checkpoint, cosigns nothing', async () => {
  const proof = naiveConsistency(size, attackedLog.leaves.slice(0, size + 1))
  const { text: later } = witness.addCheckpoint(
    asked(size, proof, attackedLog.checkpoint(size + 1)),
  )
  assert.match(later, /^— w\.example\/1 /)
  for (const answer of [later, line.replace(/.{8}\n$/, 'AAAAAA==\n'), '', note]) {
    const failures = ['w.example/1 has not cosigned this checkpoint']
    assert.deepEqual(await outcomeOf(200, answer), { lines: '', failures, froms: [0] })
  }
})

test('a witness that has cosigned another size is asked once more, and never beyond the log', async () => {
  const answers409 = ['w.example/1 answers 409']
  assert.deepEqual(await outcomeOf(409, '2\n'), { lines: '', failures: answers409, froms: [0, 2] })
  assert.deepEqual(await outcomeOf(409, 'two\n'), { lines: '', failures: answers409, froms: [0] })
  const failures = ['w.example/1 has cosigned 4 leaves, and this log has 3']
  assert.deepEqual(await outcomeOf(409, '4\n'), { lines: '', failures, froms: [0] })
})
