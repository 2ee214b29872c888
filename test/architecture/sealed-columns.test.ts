/** Decision 0052: what is sealed is written with its seal; no statement of its own assigns it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rows } from '../../src/database/rows.ts'
import { isSealed } from '../../src/database/row-seals.ts'
import { columns } from '../../src/database/columns.ts'
import { unsealedColumns } from '../../src/database/unsealed-columns.ts'
import { sourcesOf } from '../support/architecture/sources.ts'

const sources = [...sourcesOf(['src', 'scripts']), ...sourcesOf(['sql'], ['.sql'])]

interface Statement {
  path: string
  table: keyof Rows
  /** What follows the name of the table. */
  rest: string
}

/** The statements with these words before the name of a sealed table. */
const statementsOn = (words: RegExp): Statement[] =>
  sources.flatMap(({ path, text }) =>
    [...text.matchAll(words)].flatMap((match) => {
      const table = match[1] as keyof Rows
      if (!(table in columns) || !isSealed(table)) return []
      const rest = text.slice(match.index + match[0].length)
      return [{ path, table, rest }]
    }),
  )

const updates = statementsOn(/\bupdate (\w+)(?: [a-z])?(?=\s+set\s)/g)
const assigned = ({ rest }: Statement): string[] => {
  const list = /^\s+set\s([^]*?)(?:\bfrom\b|\bwhere\b|`)/.exec(rest)![1]!
  return [...list.matchAll(/(?:^|,)\s*(\w+) =/g)].map(([, name]) => name!)
}

test('an update names only columns that no seal covers, or sets the seal', () => {
  assert(updates.length > 5, 'there are updates of sealed tables')
  for (const update of updates) {
    const { path, table } = update
    const names = assigned(update)
    assert(names.length > 0, `${path} assigns columns of ${table}`)
    if (names.includes('seal')) continue
    const unsealed: object = (unsealedColumns as Partial<Record<keyof Rows, object>>)[table] ?? {}
    const sealed = names.filter((name) => !(name in unsealed))
    assert.deepEqual(sealed, [], `${path} assigns sealed columns of ${table}`)
  }
})

test('no statement but those of table-writes.ts inserts into a sealed table', () => {
  // The accounts of the system, which a migration inserts, have no seal: they decide nothing.
  const inserts = statementsOn(/\binsert into (\w+)/g).filter(({ path }) => path.endsWith('.ts'))
  assert.deepEqual(
    inserts.map(({ path, table }) => `${path}: ${table}`),
    [],
  )
})

test('the assigned columns of a statement are found', () => {
  const texts = [
    'update documents d set total = 1, status = $1 where true',
    'update keys set last_used_at = now()`',
  ]
  assert.deepEqual(
    texts.map((text) =>
      assigned({ path: '', table: 'documents', rest: text.replace(/^update \w+(?: d)?/, '') }),
    ),
    [['total', 'status'], ['last_used_at']],
  )
})
