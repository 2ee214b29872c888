/** What operators did, kept for those who ask later. */
import { type Queryable, sql } from '../database/sql.ts'

/** What an operator did, to what; never a secret. */
export const insertOperatorAction = (
  db: Queryable,
  command: string,
  subject: string,
  detail: object,
): Promise<number> =>
  db.run(sql`
    insert into operator_actions (command, subject, detail)
    values (${command}, ${subject}, ${JSON.stringify(detail)})`)
