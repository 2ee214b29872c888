/** Runs commands of `npm run admin` on the database of a running service. */
import assert from 'node:assert/strict'
import { sql } from '../../../src/database/sql.ts'
import { type TestService, serverKey } from '../test-service.ts'
import { type CommandResult, runAdmin } from './program.ts'

export const adminClient = ({ baseUrl, database, databaseUrl }: TestService) => {
  const admin = (
    args: readonly string[],
    {
      input,
      env = { DATABASE_URL: databaseUrl, SERVER_KEY: serverKey },
    }: { input?: string; env?: Record<string, string> } = {},
  ): Promise<CommandResult> => runAdmin(args, { BASE_URL: baseUrl, ...env }, input)

  /** Runs a command that must succeed, and returns its output. */
  const expectSuccess = async (args: readonly string[], input?: string): Promise<string> => {
    const { exitCode, stdout, stderr } = await admin(args, input === undefined ? {} : { input })
    assert.equal(exitCode, 0, stderr)
    assert.equal(stderr, '')
    return stdout
  }

  /** Runs a command that must be refused with one line, and leave no trace. */
  const expectRefused = async (
    args: readonly string[],
    pattern: RegExp,
    input?: string,
  ): Promise<void> => {
    const before = await operatorActions()
    const { exitCode, stdout, stderr } = await admin(args, input === undefined ? {} : { input })
    assert.deepEqual([exitCode, stdout], [1, ''], stderr)
    assert.match(stderr, pattern)
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
    assert.deepEqual(await operatorActions(), before)
  }

  const operatorActions = () =>
    database.rows<{ command: string; subject: string; detail: string }>(
      sql`select command, subject, detail from operator_actions order by id`,
    )
  return { admin, expectSuccess, expectRefused, operatorActions }
}

export const idIn = (output: string, prefix: string): string => {
  const id = new RegExp(`${prefix}_[0-9a-z]{26}`).exec(output)?.[0]
  assert(id, output)
  return id
}

export const tokenIn = (output: string): string => {
  const token = /^(sl|rs_live|rs_test)_[\w-]{32}$/m.exec(output)?.[0]
  assert(token, output)
  return token
}
