/**
 * The role of the service in the embedded PostgreSQL: it reads and writes rows, and nothing else. A
 * statement that should never have run can therefore change no schema, disable no trigger of an
 * append-only table, empty no table, and reach no file or program of the server. Partitions come
 * and go by two functions of the owner (sql/0015-partitions.sql). Migrations and the operators'
 * commands use the owner.
 */
import { Connection } from './sql.ts'
import { inTransaction } from './transactions.ts'
import { acquireStartupLock } from './startup-lock.ts'

const owner = 'postgres'
const role = 'docex_service'
/** Two starts at once would update the same rows of the catalogue. */
const roleLockKey = 4_216_773

/** A role belongs to the server, not to the database, so it may exist already. */
const createRole = `
  do $$ begin
    create role ${role} login;
  exception when duplicate_object or unique_violation then null;
  end $$;`

const grantRows = `
  do $$ begin
    execute format('revoke all on database %I from public', current_database());
    execute format('grant connect on database %I to ${role}', current_database());
  end $$;
  revoke all on schema public from public;
  grant usage on schema public to ${role};
  grant select, insert, update, delete on all tables in schema public to ${role};
  grant usage on all sequences in schema public to ${role};
  revoke insert, update, delete on migrations from ${role};
  grant execute on function prepare_partitions(), drop_expired_partitions() to ${role};`

/** Grants the role the tables of the migrated database, and returns the role's URL. */
export const prepareServiceRole = async (ownerUrl: string): Promise<string> => {
  const connection = await Connection.open(ownerUrl, 'docex migrate')
  try {
    await inTransaction(connection, async (tx) => {
      await acquireStartupLock(tx, roleLockKey)
      await tx.script(createRole)
      await tx.script(grantRows)
    })
  } finally {
    await connection.close()
  }
  return serviceRoleUrl(ownerUrl)
}

/** The socket needs no password. Its URL has no host, which the URL class would not parse. */
export const serviceRoleUrl = (ownerUrl: string): string =>
  ownerUrl.replace(`//${owner}@`, `//${role}@`)
