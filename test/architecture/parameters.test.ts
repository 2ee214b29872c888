/** Style 15: a call with many arguments says less than one with an object. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parametersOf, sourceOf, sourcesOf } from '../support/architecture/sources.ts'

const programs = ['src', 'scripts', 'bench', 'console/src', 'sdk/src', 'cli/src'].flatMap(
  (folder) => sourcesOf([folder], ['.ts', '.tsx']),
)

test('style 15: a function has at most four parameters', () => {
  const long = programs.flatMap((source) =>
    parametersOf(source)
      .filter(({ count }) => count > 4)
      .map(({ line, count }) => `${source.path}:${line} has ${count} parameters`),
  )
  assert.deepEqual(long, [])
})

test('parameters are counted of arrows, functions, methods and types', () => {
  const counts = {
    'const f = (a: Map<string, number>, { b, c }: { b: string; c: X }) => 1': 2,
    'const f = async <T>(a: (x: number, y: number) => T): Promise<T> => {': 2,
    'function f(a, b, c) {': 3,
    'class A {\n  #f(a: string, [b, c]: Pair): void {': 2,
    'class A {\n  f() {\n    if (a(b, c), d) {': 0,
  }
  for (const [code, most] of Object.entries(counts)) {
    const found = parametersOf(sourceOf('example.ts', code)).map(({ count }) => count)
    assert.equal(Math.max(...found), most, code)
  }
})
