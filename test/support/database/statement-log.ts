/** What PostgreSQL is asked, read from the log of the server that the tests of a file share. */
import assert from 'node:assert/strict'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from '../../../src/database/sql.ts'
import { testServer } from './postgres.ts'

/** A backend takes a new setting when its next statement begins. */
const setLogging = async (database: Connection, statements: 'all' | 'none'): Promise<void> => {
  await database.script(`alter system set log_statement = '${statements}'`)
  await database.script('select pg_reload_conf()')
}

/** The statements of all connections while the work runs, as one text. */
const statementsDuring = async (path: string, work: () => Promise<unknown>): Promise<string> => {
  const file = openSync(path, 'r')
  try {
    const start = fstatSync(file).size
    await work()
    const text = Buffer.alloc(fstatSync(file).size - start)
    readSync(file, text, 0, text.length, start)
    return text.toString('utf8')
  } finally {
    closeSync(file)
  }
}

/** The names of the works, each with the statements that PostgreSQL was sent during it. */
export const statementsOfEach = async (
  database: Connection,
  works: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<ReadonlyMap<string, string>> => {
  const path = join((await testServer()).dataDir, 'postgres.log')
  const statements = new Map<string, string>()
  await setLogging(database, 'all')
  for (const [name, work] of Object.entries(works)) {
    const text = await statementsDuring(path, work)
    assert.notEqual(text, '', `no statement of this is in the log: ${name}`)
    statements.set(name, text)
  }
  await setLogging(database, 'none')
  return statements
}
