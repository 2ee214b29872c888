/** Modules of the console as a reader in another language or zone has them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/**
 * What a script prints as JSON, in a process that has its language and zone from its environment.
 * The script imports from the root of the repository.
 */
export const printedFor = (environment: Record<string, string>, script: string): unknown => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    env: { ...process.env, ...environment },
    encoding: 'utf8',
  })
  assert.notEqual(stdout, '', stderr)
  return JSON.parse(stdout)
}
