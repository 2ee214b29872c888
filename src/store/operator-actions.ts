/** The record of actions that operators took. */
import { type Queryable, sql } from '../database/sql.ts'

/** Records a command and its subject. `detail` must not contain a secret. */
export const insertOperatorAction = (
  db: Queryable,
  command: string,
  subject: string,
  detail: object,
): Promise<number> =>
  db.run(sql`
    insert into operator_actions (command, subject, detail)
    values (${command}, ${subject}, ${JSON.stringify(detail)})`)
