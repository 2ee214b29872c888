/** Generated files are current. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import {
  authOpenApiFile,
  authOpenApiText,
  cliSource,
  cliTexts,
  openApiFile,
  openApiText,
  pythonSource,
  pythonTexts,
  sdkSource,
  sdkTexts,
} from '../../scripts/generate.ts'
import { columnsModule } from '../../scripts/generate-columns.ts'
import { schemaObjectsText } from '../../scripts/generate-schema-objects.ts'
import { schemaObjectsFile } from '../../src/database/schema-differences.ts'
import { testDatabase, testServer } from '../support/database/postgres.ts'

// The server must outlive the first test that uses it.
const server = await testServer()

const generated: readonly [file: URL, text: () => string][] = [
  [openApiFile, openApiText],
  [authOpenApiFile, authOpenApiText],
]

test('the OpenAPI documents equal those generated from the operations', async () => {
  for (const [file, text] of generated) {
    const written = await readFile(file, 'utf8').catch(() => '')
    const name = file.pathname.split('/').at(-1)
    assert(written === text(), `${name} is stale: run \`npm run generate\` and commit it.`)
  }
})

test('the methods and types of the SDK equal those generated from the operations', async () => {
  const texts = Object.entries(sdkTexts())
  assert(texts.length >= 4)
  for (const [path, text] of texts) {
    const isCurrent = (await readFile(new URL(path, sdkSource), 'utf8')) === text
    assert(isCurrent, `sdk/src/${path} is stale: run \`npm run generate\` and commit it.`)
  }
})

test('the methods of the SDK for Python equal those generated from the operations', async () => {
  for (const [path, text] of Object.entries(pythonTexts())) {
    const isCurrent = (await readFile(new URL(path, pythonSource), 'utf8')) === text
    assert(isCurrent, `sdk-python/docex/${path} is stale: run \`npm run generate\` and commit it.`)
  }
})

test('the commands of the command line equal those generated from the operations', async () => {
  for (const [path, text] of Object.entries(cliTexts())) {
    const isCurrent = (await readFile(new URL(path, cliSource), 'utf8')) === text
    assert(isCurrent, `cli/src/${path} is stale: run \`npm run generate\` and commit it.`)
  }
})

test('src/database/columns.ts equals the module generated from the migrations', async () => {
  const written = await readFile(new URL('../../src/database/columns.ts', import.meta.url), 'utf8')
  const isCurrent = written === (await columnsModule((await testDatabase()).url))
  assert(isCurrent, 'columns.ts is stale: run `npm run generate -- <url of a migrated database>`.')
})

test('sql/objects.json equals the one generated from the migrations', async () => {
  const written = await readFile(schemaObjectsFile, 'utf8')
  const isCurrent = written === (await schemaObjectsText((await testDatabase()).url))
  assert(
    isCurrent,
    'objects.json is stale: run `npm run generate -- <url of a migrated database>`.',
  )
})

test('columns.ts is not generated from a database that lacks a migration', async () => {
  const refused = /has not applied 0001-organizations\.sql: start the service on it once/
  await assert.rejects(columnsModule(server.url), refused)
})
