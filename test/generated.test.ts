/** Generated files say what the code says. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { openApiFile, openApiText } from '../scripts/generate.ts'

test('openapi.json is what the operations generate', async () => {
  const written = await readFile(openApiFile, 'utf8').catch(() => '')
  const isCurrent = written === openApiText()
  assert(isCurrent, 'openapi.json is stale: run `npm run generate` and commit it with the change.')
})
