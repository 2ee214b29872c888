/** Generated files are current. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { openApiFile, openApiText } from '../../scripts/generate.ts'
import { rowsModule } from '../../scripts/generate-rows.ts'
import { testDatabase } from '../support/database/postgres.ts'

test('openapi.json equals the document generated from the operations', async () => {
  const written = await readFile(openApiFile, 'utf8').catch(() => '')
  const isCurrent = written === openApiText()
  assert(isCurrent, 'openapi.json is stale: run `npm run generate` and commit it with the change.')
})

test('src/database/rows.ts equals the module generated from the migrations', async () => {
  const written = await readFile(new URL('../../src/database/rows.ts', import.meta.url), 'utf8')
  const isCurrent = written === (await rowsModule((await testDatabase()).url))
  assert(isCurrent, 'rows.ts is stale: run `npm run generate -- <url of a migrated database>`.')
})
