/** Every numbered clause of the specification is named by the title of a test. */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const testFolder = join(import.meta.dirname, '..')

const numbered = (section: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${section}.${i + 1}`)

/** Sections, and the numbered rules of those that have some. */
const clauses: readonly string[] = [
  '1',
  '2.1',
  '2.2',
  '2.3',
  '2.4',
  '2.5',
  '3',
  '4.1',
  ...numbered('4.2', 7),
  ...numbered('4.3', 5),
  ...numbered('5', 13),
  '6.1',
  '6.2',
  ...numbered('6.3', 9),
  '7',
  '8',
  ...numbered('9', 4),
]

/** The clauses at the beginnings of titles: `4.2.1 every write …`, `specification 3: …`. */
const namedClauses = (): Set<string> => {
  const named = new Set<string>()
  for (const file of readdirSync(testFolder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.test.ts')) continue
    const text = readFileSync(join(testFolder, file), 'utf8')
    for (const [, title] of text.matchAll(/\b(?:test|describe)\(\s*['`](.{1,80})/g)) {
      const isOfDesign = /^(contract|domain|provenance|engine)/.test(title!)
      const prefix = /^(?:specification )?(?:[\d.]+(?: to |, | and )?)+/.exec(title!)?.[0] ?? ''
      if (isOfDesign || prefix === '') continue
      for (const clause of clausesOf(prefix)) named.add(clause)
    }
  }
  return named
}

const clausesOf = (prefix: string): string[] => {
  const range = /([\d.]+)\.(\d+) to \1\.(\d+)/.exec(prefix)
  const between =
    range === null
      ? []
      : Array.from(
          { length: Number(range[3]) - Number(range[2]) + 1 },
          (_, i) => `${range[1]}.${Number(range[2]) + i}`,
        )
  return [...between, ...(prefix.match(/\d+(?:\.\d+)*/g) ?? [])]
}

test('every clause of the specification is named by a test', () => {
  const named = namedClauses()
  assert.deepEqual(
    clauses.filter((clause) => !named.has(clause)),
    [],
  )
})
