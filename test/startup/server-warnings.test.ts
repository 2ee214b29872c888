/** What of PostgreSQL a start says and does not mend, as docs/operating/postgresql.md has it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { testDatabase, testServer } from '../support/database/postgres.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { temporaryDirectory } from '../support/processes/cluster-processes.ts'
import { readyAddress, runProgram } from '../support/processes/program.ts'

// The server must outlive the first test that uses it.
await testServer()

/** Starts a process on the database, stops it once it is ready, and returns its output. */
const outputOfStart = async (url: string): Promise<string> => {
  const program = runProgram({
    DATABASE_URL: url,
    SERVER_KEY: 'the server key of these warnings, 32 or more',
    DATA_DIR: temporaryDirectory(),
    PRACTICE_ORGANIZATIONS: '0',
  })
  await readyAddress(program)
  await program.stop()
  return program.output()
}

test('a start says, on the output and in the log, which settings may lose commits', async () => {
  const output = await outputOfStart((await testDatabase()).url)
  assert.match(
    output,
    /may lose what it has committed \(fsync = off, full_page_writes = off\): see /,
  )
  assert.match(output, /"level":"warn",.*"settings":\["fsync = off","full_page_writes = off"\]/)
  assert.match(output, /"event":"commits_may_be_lost"/)
  assert.doesNotMatch(output, /not valid/, 'all indexes of the migrations are')
  assert.doesNotMatch(output, /as its migrations made it/, 'nobody has changed them')
})

test('a start says, on the output and in the log, which indexes PostgreSQL does not use', async () => {
  const { url } = await testDatabase()
  const connection = await openTestConnection(url)
  await connection.run(sql`drop index idempotency_of_documents`)
  const failed = connection.run(sql`
    create unique index concurrently idempotency_of_documents on migrations ((true))`)
  await assert.rejects(failed, /could not create unique index/)
  await connection.close()
  const output = await outputOfStart(url)
  assert.match(output, /does not use idempotency_of_documents: see "Indexes that are not valid"/)
  assert.match(output, /"indexes":\["idempotency_of_documents"\],"event":"indexes_not_valid"/)
})

test('a start names the indexes, constraints, triggers and functions that somebody has altered', async () => {
  const { url } = await testDatabase()
  const connection = await openTestConnection(url)
  await connection.script(`
    drop index document_views_by_due;
    create index document_views_by_due on document_views (due_date);
    drop index payments_one_sweep_per_settlement;
    alter table ledger_entry drop constraint entry_amount_is_positive;
    alter table ledger_tx disable trigger ledger_tx_is_never_deleted;
    create or replace function refuse_imbalance() returns trigger language plpgsql as
      $$ begin return null; end $$;
    create index of_an_operator on documents (total);
    create function of_an_operator() returns trigger language plpgsql as
      $$ begin return null; end $$;
    create trigger of_an_operator after insert on documents for each statement
      execute function of_an_operator()`)
  await connection.close()
  const output = await outputOfStart(url)
  const [, named] = /not as its migrations made it: (.*)\. See "Altered schemas" in /.exec(output)!
  assert.deepEqual(named!.split(', '), [
    'constraint ledger_entry.entry_amount_is_positive is missing',
    'index payments_one_sweep_per_settlement is missing',
    'function refuse_imbalance() is another one',
    'index document_views_by_due is another one',
    'trigger ledger_tx.ledger_tx_is_never_deleted is another one',
  ])
  assert.match(output, /"event":"schema_altered"/)
  assert.doesNotMatch(output, /of_an_operator/)
})
