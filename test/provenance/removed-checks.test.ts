/**
 * Provenance 8: without the check of a table's seals, a test of tampering with that table fails. A
 * minute or two, so only the long suite runs it for every table.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { isTextTable, sealedTables } from '../../src/database/row-seals.ts'
import { root } from '../support/architecture/sources.ts'

/** A test runner inside of a test would run nothing. */
const { NODE_TEST_CONTEXT: _, ...environment } = process.env
const isLong = process.env['LONG'] === '1'
const tables = isLong ? sealedTables : (['keys', 'events'] as const)

for (const table of tables) {
  test(`provenance 8: a test notices that the seals of ${table} are not checked`, () => {
    const name = isTextTable(table) ? 'tampered-texts' : 'tampered-tables'
    const isPlayed = table === 'demo_loans' || table === 'demo_scripts'
    const pattern = isPlayed ? `a false row of ${table}` : `provenance 8: ${table}$`
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        '--import',
        join(root, 'test/support/provenance/without-check.ts'),
        '--test',
        '--test-force-exit',
        `--test-name-pattern=${pattern}`,
        '--test-reporter=tap',
        join(root, `test/provenance/${name}.test.ts`),
      ],
      { encoding: 'utf8', env: { ...environment, WITHOUT_CHECK: table } },
    )
    assert.equal(status, 1, stdout)
    const failed = stdout.match(/^ *not ok .*/gm) ?? []
    const noticed = failed.filter((line) => /never believed|moves nothing/.test(line))
    assert(noticed.length > 0, failed.join('\n'))
  })
}
