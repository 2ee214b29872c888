/** 9.5 the changelog of the docs is dated, complete, and lists only what exists. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changelog, version } from '../../src/contract/version.ts'
import { operations } from '../../src/operations/index.ts'

const pathsIn = (text: string): string[] => text.match(/\/v1\/[\w./{}]*\w\}?/g) ?? []

const isWithin = (path: string, named: string): boolean =>
  path === named || path.startsWith(`${named}/`)

test('every path that it names is served', () => {
  const named = changelog.flatMap(({ change }) => pathsIn(change))
  assert(named.length > 20)
  for (const one of named)
    assert(
      operations.some(({ path }) => isWithin(path, one)),
      one,
    )
})

test('every operation of the current version is in its entry', () => {
  const [newest] = changelog
  assert.equal(newest?.version, version)
  const named = pathsIn(newest.change)
  const added = operations.filter(({ since, isUnversioned }) => since === version && !isUnversioned)
  assert(added.length > 0)
  for (const { path } of added)
    assert(
      named.some((one) => isWithin(path, one)),
      path,
    )
})

test('each version is older than the one above it, and those with a date come first', () => {
  const numbers = changelog.map((entry) => entry.version.split('.').map(Number))
  const newestFirst = numbers.toSorted((a, b) => b[0]! - a[0]! || b[1]! - a[1]! || b[2]! - a[2]!)
  assert.deepEqual(numbers, newestFirst)
  const days = changelog.map(({ since = '' }) => since)
  assert.deepEqual(days, days.toSorted().toReversed())
  for (const day of days) assert.match(day, /^(20\d\d-\d\d-\d\d)?$/)
  assert.notEqual(days[0], '')
})
