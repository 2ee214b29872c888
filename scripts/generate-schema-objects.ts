/** Generates sql/objects.json: what the migrations make beside tables and columns. */
import { writeFile } from 'node:fs/promises'
import { Connection } from '../src/database/sql.ts'
import { schemaObjectsFile, schemaObjectsOf } from '../src/database/schema-differences.ts'
import { checkMigrated } from './generate-columns.ts'

export const schemaObjectsText = async (url: string): Promise<string> => {
  const connection = await Connection.open(url, 'docex generate')
  try {
    await checkMigrated(connection)
    return `${JSON.stringify(await schemaObjectsOf(connection), null, 2)}\n`
  } finally {
    await connection.close()
  }
}

export const writeSchemaObjects = async (url: string): Promise<void> =>
  writeFile(schemaObjectsFile, await schemaObjectsText(url))
