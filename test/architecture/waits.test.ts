/** The deadlines of tests only end what is stuck, since a busy machine may take minutes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Source, sourcesOf } from '../support/architecture/sources.ts'

const tests = sourcesOf(['test', 'sdk/test', 'cli/test'])

/** What stands between the bracket that opens here and the one that closes it. */
const inBrackets = (code: string, start: number): string => {
  let depth = 0
  for (let i = start; i < code.length; i += 1) {
    if ('([{'.includes(code[i]!)) depth += 1
    if (')]}'.includes(code[i]!)) depth -= 1
    if (depth === 0) return code.slice(start + 1, i)
  }
  return ''
}

/** The line of each match whose code in brackets ends with a number of its own. */
const withNumber = ({ path, code }: Source): string[] =>
  [...code.matchAll(/\buntil\(/g)].flatMap(({ index }) =>
    /,\s*\d[\d_]*,?\s*$/.test(inBrackets(code, index + 'until'.length))
      ? [`${path}:${code.slice(0, index).split('\n').length}`]
      : [],
  )

test('no wait for a condition has a deadline of its own', () => {
  assert.deepEqual(tests.flatMap(withNumber), [])
})

test('no test has a deadline of its own', () => {
  const found = tests.filter(({ code }) => /\{ timeout: [^}\n]*\d/.test(code))
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  )
})
