/**
 * Writes the generated files: openapi.json, openapi-auth.json, the methods of sdk/ and sdk-python/
 * and the commands of cli/ from the operations and, given the URL of a migrated database,
 * src/database/columns.ts from its tables and sql/objects.json from what else it has.
 *
 *   npm run generate [-- <database url>]
 */
import { writeFile } from 'node:fs/promises'
import { authOpenApiDocument, openApiDocument } from '../src/docs/openapi/openapi-document.ts'
import { operations } from '../src/operations/index.ts'
import { cliFiles } from './cli/cli-files.ts'
import { pythonFiles, pythonMethodOf } from './python/python-files.ts'
import { sdkOperations } from './sdk/names.ts'
import { sdkFiles } from './sdk/sdk-files.ts'

/** The default base_url; each deployment serves the document with its own. */
const baseUrl = 'http://localhost:8080'

export const openApiFile = new URL('../openapi.json', import.meta.url)

export const authOpenApiFile = new URL('../openapi-auth.json', import.meta.url)

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

export const openApiText = (): string => jsonText(openApiDocument(operations, baseUrl))

export const authOpenApiText = (): string => jsonText(authOpenApiDocument(operations, baseUrl))

export const sdkSource = new URL('../sdk/src/', import.meta.url)

export const sdkTexts = () => sdkFiles(openApiDocument(operations, baseUrl))

export const pythonSource = new URL('../sdk-python/docex/', import.meta.url)

export const pythonTexts = () => pythonFiles(openApiDocument(operations, baseUrl))

/** Such as `documents.create`, one for each operation. */
export const pythonMethods = (): string[] =>
  sdkOperations(openApiDocument(operations, baseUrl)).map(pythonMethodOf)

export const cliSource = new URL('../cli/src/', import.meta.url)

export const cliTexts = () => cliFiles(openApiDocument(operations, baseUrl), operations)

if (import.meta.main) {
  await writeFile(openApiFile, openApiText())
  await writeFile(authOpenApiFile, authOpenApiText())
  for (const [path, text] of Object.entries(sdkTexts())) {
    await writeFile(new URL(path, sdkSource), text)
  }
  for (const [path, text] of Object.entries(pythonTexts())) {
    await writeFile(new URL(path, pythonSource), text)
  }
  for (const [path, text] of Object.entries(cliTexts())) {
    await writeFile(new URL(path, cliSource), text)
  }
  const databaseUrl = process.argv[2]
  if (databaseUrl !== undefined) {
    const { writeColumnsModule } = await import('./generate-columns.ts')
    const { writeSchemaObjects } = await import('./generate-schema-objects.ts')
    try {
      await writeColumnsModule(databaseUrl)
      await writeSchemaObjects(databaseUrl)
    } catch (error) {
      process.stderr.write(`${(error as Error).message}\n`)
      process.exitCode = 1
    }
  }
}
