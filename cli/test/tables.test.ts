/** What tables show of amounts, and how wide their cells are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aDraft, anInvoice } from '../../test/support/fixtures.ts'
import { startSandbox } from './support/sandbox.ts'

const { running, cli, pair } = await startSandbox()

test('amounts in tables have the decimals of the currency, and other numbers do not', async () => {
  const { id } = await anInvoice(running, pair)
  const document = JSON.parse((await cli(['documents', 'get', id, '--json'])).stdout)
  const shown = (await cli(['documents', 'get', id])).stdout
  assert(shown.includes(`${document.total.toFixed(2)}\n`), shown)
  assert.match(shown, /^revision +\d+$/m)
  const [line] = document.line_items
  assert.match(shown, new RegExp(` ${line.unit_price.toFixed(2)} `))
  const { stdout } = await cli(['documents', 'list', '--fields', 'total,revision'])
  for (const row of stdout.trimEnd().split('\n').slice(1)) assert.match(row, /^ *\d+\.\d\d +\d+$/)
})

test('a table counts the columns of a terminal, and cuts between characters', async () => {
  const line = { quantity: 1, unit_price: 1, tax_rate: 0 }
  const words = ['漢字漢字', 'e\u0301tage\u0300re', `${'a'.repeat(38)}😀😀`, '棚'.repeat(30)]
  const line_items = words.map((description) => ({ ...line, description }))
  const { id } = await aDraft(running, pair, { line_items })
  const { stdout } = await cli(['documents', 'get', id], { isTTY: true, env: { NO_COLOR: '1' } })
  // The widest cell has 39 columns.
  for (const cell of [
    `漢字漢字${' '.repeat(31)}`,
    `e\u0301tage\u0300re${' '.repeat(32)}`,
    `${'a'.repeat(38)}…`,
    `${'棚'.repeat(19)}…`,
  ])
    assert(stdout.includes(`  ${cell}  ${'1'.padStart('QUANTITY'.length)}`), stdout)
})
