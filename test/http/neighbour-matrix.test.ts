/**
 * Every attack against every request of a victim (bench/neighbours.ts): none of the victim's fails,
 * and PostgreSQL runs nothing for an attacker that has hung up. Latencies are for the bench. Runs
 * with `LONG=1`; test/http/noisy-neighbours.test.ts holds the rules in the short suite.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { attackNames } from '../../bench/neighbours.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const skip = process.env['LONG'] !== '1' && 'takes minutes: LONG=1'

test('no attack makes a request of a victim fail, or outlives its attacker', { skip }, async () => {
  const file = join(temporaryFolder(), 'rows.json')
  const only = attackNames.map((name) => `neighbour.${name}`).join(',')
  const bench = join(import.meta.dirname, '../../bench/index.ts')
  await promisify(execFile)(process.execPath, [bench, '--quick', '--only', only, '--json', file])
  const rows = JSON.parse(await readFile(file, 'utf8')) as { name: string }[]
  assert.deepEqual(rows.map(({ name }) => name).join(','), only)
})
