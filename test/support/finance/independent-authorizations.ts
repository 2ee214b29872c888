/** Runs the independent program that builds standing authorizations. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../architecture/sources.ts'

const program = join(root, 'test/support/finance/standing_authorization.py')

/** The text and the digest for each of the facts. */
export const independentAuthorizations = (facts: readonly object[]): [string, string][] => {
  const input = facts.map((one) => `${JSON.stringify(one)}\n`).join('')
  const { status, stdout, stderr, error } = spawnSync('python3', [program], {
    encoding: 'utf8',
    input,
  })
  assert.equal(error, undefined, 'this test needs python3 (Debian: apt install python3)')
  assert.equal(status, 0, stderr)
  const lines = stdout.trim().split('\n')
  assert.equal(lines.length, facts.length)
  return lines.map((line) => JSON.parse(line) as [string, string])
}
