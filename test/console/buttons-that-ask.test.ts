/** What is done to a record is asked about first, and its button says so: Revoke… (console 1.3). */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const sources = join(import.meta.dirname, '../../console/src')

/** Named by its record, as in “Revoke ERP”, while a reader sees the verb alone. */
const namedVerb = /aria-label=\{`(?:Rotate|Revoke|Remove|Delete|End|Test)\b/

test('a button that asks before it acts on a record ends in an ellipsis', () => {
  const buttons = globSync('**/*.tsx', { cwd: sources }).flatMap((file) =>
    readFileSync(join(sources, file), 'utf8')
      .split('<Button\n')
      .slice(1)
      .map((rest) => ({ file, tag: rest.slice(0, rest.indexOf('</Button>')) }))
      .filter(({ tag }) => namedVerb.test(tag)),
  )
  assert(buttons.length >= 9, `${buttons.length} buttons`)
  const silent = buttons.filter(({ tag }) => !tag.trimEnd().endsWith('…'))
  assert.deepEqual(
    silent.map(({ file, tag }) => `${file}: ${tag.trim().split('\n').at(-1)!.trim()}`),
    [],
  )
})
