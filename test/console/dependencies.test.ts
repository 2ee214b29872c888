/** What the console is built from: exact, from one registry (console 3.2, decision 0166). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

interface Locked {
  version: string
  resolved?: string
  integrity?: string
  /** Inside of another package, whose integrity covers it. */
  inBundle?: boolean
  link?: boolean
}

const read = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../console', name), 'utf8'))
const manifest = read('package.json') as Record<string, Record<string, string>>
const { packages } = read('package-lock.json') as { packages: Record<string, Locked> }
const direct = { ...manifest['dependencies'], ...manifest['devDependencies'] }
const { '': _, ...locked } = packages

test('console 3.2: every direct dependency is one exact version, and the one that is locked', () => {
  for (const [name, version] of Object.entries(direct)) {
    assert.match(version, /^\d+\.\d+\.\d+$/, name)
    assert.equal(locked[`node_modules/${name}`]!.version, version)
  }
})

test('decision 0166: the console has ten direct dependencies, and another one is a decision', () => {
  assert(Object.keys(manifest['dependencies']!).length <= 10)
})

test('console 3.2: the lockfile names no other host than the registry, and each file by its hash', () => {
  for (const [path, { resolved, integrity, inBundle, link }] of Object.entries(locked)) {
    const host = new URL(resolved ?? 'https://registry.npmjs.org').origin
    assert.equal(host, 'https://registry.npmjs.org', path)
    assert(link === undefined, `${path} is a link`)
    if (inBundle !== true) assert.match(integrity ?? '', /^sha512-[\w+/]{86}==$/, path)
  }
})
