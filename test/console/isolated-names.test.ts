/** A name in a table may be written from right to left: what stands beside it keeps its place. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const sources = join(import.meta.dirname, '../../console/src')

/** An element whose whole text is a name: `<span>{user.name}</span>`. */
const shownName = /<(\w+)[^<>]*>\s*\{(?:\w+\.)*name\}/g

test('names in the cells of tables are isolated from the text beside them', () => {
  const tables = globSync('**/*.tsx', { cwd: sources })
    .map((file) => ({ file, text: readFileSync(join(sources, file), 'utf8') }))
    .filter(({ text }) => text.includes('Column<'))
  assert(tables.length > 10)
  const found = tables.flatMap(({ file, text }) =>
    [...text.matchAll(shownName)].flatMap(([shown, element]) =>
      element === 'bdi' ? [] : [`${file}: ${shown.replaceAll(/\s+/g, ' ')}`],
    ),
  )
  assert.deepEqual(found, [])
  const party = readFileSync(join(sources, 'design/party-name.tsx'), 'utf8')
  assert.match(party, /<bdi\b/, 'the other side of a connection, wherever it stands')
})
