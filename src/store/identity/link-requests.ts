/** Who has asked for a sign-in link. What is stored is the same for addresses of nobody. */
import { databaseNow } from '../../database/database-clock.ts'
import type { Rows } from '../../database/rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'

export type LinkRequest = Rows['link_requests']

export const insertLinkRequest = (tx: Queryable, request: LinkRequest): Promise<number> =>
  insertRows(tx, 'link_requests', [request])

export interface LinkRequestCounts {
  /** Since the given time. */
  ofNetwork: number
  ofEmail: number
  ofEmailOnNetwork: number
  /** How many of all requests wait for an answer. */
  waiting: number
}

export const countLinkRequests = async (
  db: Queryable,
  { email, network }: Pick<LinkRequest, 'email' | 'network'>,
  since: string,
): Promise<LinkRequestCounts> => {
  type Counted = 'of_network' | 'of_email' | 'of_email_on_network' | 'waiting'
  const counted = await db.row<Record<Counted, number>>(sql`
    select
      (select count(*)::int from link_requests
        where network = ${network} and created_at > ${since}) as of_network,
      (select count(*)::int from link_requests
        where email = ${email} and created_at > ${since}) as of_email,
      (select count(*)::int from link_requests
        where email = ${email} and network = ${network} and created_at > ${since})
        as of_email_on_network,
      (select count(*)::int from link_requests where answered_at is null) as waiting`)
  const { of_network, of_email, of_email_on_network, waiting } = counted!
  return {
    ofNetwork: of_network,
    ofEmail: of_email,
    ofEmailOnNetwork: of_email_on_network,
    waiting,
  }
}

/** Takes the oldest request that nobody else is answering. */
export const takeLinkRequest = async (tx: Queryable): Promise<LinkRequest | undefined> => {
  const now = await databaseNow(tx)
  return tx.row<LinkRequest>(sql`
    update link_requests set answered_at = ${now} where id = (
      select id from link_requests where answered_at is null
      order by id limit 1 for update skip locked)
    returning id, email, network, browser_hash, created_at, answered_at`)
}

export const setAnswered = (db: Queryable, id: string): Promise<number> =>
  db.run(sql`update link_requests set answered_at = pg_catalog.clock_timestamp() where id = ${id}`)

export const purgeLinkRequests = (db: Queryable, before: string, limit: number): Promise<number> =>
  db.run(sql`
    delete from link_requests where id in
      (select id from link_requests where created_at < ${before} limit ${limit})`)
