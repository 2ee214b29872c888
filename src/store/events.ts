/** The feed of each organization. */
import { type Session, sql } from '../sql.ts'

export const purgeEvents = (session: Session, before: string, most: number): Promise<number> =>
  session.run(sql`
    delete from events where (organization_id, feed) in
      (select organization_id, feed from events where created_at < ${before} limit ${most})`)
