/** Settings of a database itself, which its later sessions inherit. */
import { type Connection, raw, sql } from '../../../src/database/sql.ts'

/** The change is the end of `alter database`, such as `set timezone = 'UTC'`. */
export const alterDatabase = async (owner: Connection, change: string): Promise<void> => {
  const { name } = (await owner.row<{ name: string }>(sql`select current_database() as name`))!
  await owner.run(sql`alter database ${raw(name)} ${raw(change)}`)
}
