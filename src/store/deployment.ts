/** What a database knows of the deployment that writes to it: its server key, its practice. */
import { type Session, sql } from '../database/sql.ts'
import type { Rows } from '../database/rows.ts'

type ServerKeyMark = Pick<Rows['server_key'], 'salt' | 'mac'>

export const serverKeyMark = async (session: Session): Promise<ServerKeyMark | undefined> =>
  (await session.rows<ServerKeyMark>(sql`select salt, mac from server_key`))[0]

/** 0 rows: another process was first. */
export const insertServerKeyMark = (
  session: Session,
  { salt, mac }: ServerKeyMark,
): Promise<number> =>
  session.run(
    sql`insert into server_key (salt, mac) values (${salt}, ${mac}) on conflict do nothing`,
  )

export const deleteServerKeyMark = (session: Session): Promise<number> =>
  session.run(sql`delete from server_key`)

export type Practice = Omit<Rows['practice'], 'is_only' | 'at'>

export const practiceOf = async (session: Session): Promise<Practice | undefined> =>
  (await session.rows<Practice>(sql`select * from practice`))[0]

export const insertPractice = (session: Session, made: Practice): Promise<number> =>
  session.run(sql`
    insert into practice (organization_id, demo_id, connection_id, live_id, live_counterparty_id,
      live_connection_id, kept_in)
    values (${made.organization_id}, ${made.demo_id}, ${made.connection_id}, ${made.live_id},
      ${made.live_counterparty_id}, ${made.live_connection_id}, ${made.kept_in})`)

export const setPracticeKeptIn = (session: Session, keptIn: string): Promise<number> =>
  session.run(sql`update practice set kept_in = ${keptIn}`)
