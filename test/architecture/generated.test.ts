/** Generated files are current. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { openApiFile, openApiText } from '../../scripts/generate.ts'
import { columnsModule } from '../../scripts/generate-columns.ts'
import { testDatabase } from '../support/database/postgres.ts'

test('openapi.json equals the document generated from the operations', async () => {
  const written = await readFile(openApiFile, 'utf8').catch(() => '')
  const isCurrent = written === openApiText()
  assert(isCurrent, 'openapi.json is stale: run `npm run generate` and commit it with the change.')
})

test('src/database/columns.ts equals the module generated from the migrations', async () => {
  const written = await readFile(new URL('../../src/database/columns.ts', import.meta.url), 'utf8')
  const isCurrent = written === (await columnsModule((await testDatabase()).url))
  assert(isCurrent, 'columns.ts is stale: run `npm run generate -- <url of a migrated database>`.')
})
