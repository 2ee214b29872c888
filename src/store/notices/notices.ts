/** The outbox of e-mails. */
import {
  type DueNotice,
  type NoticeRow,
  type SentLately,
  invitationsTo,
} from '../../core/notices/notice-schedule.ts'
import { unlimitedNotice } from '../../contract/notices.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { countOf } from '../../database/counts.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows, selectList, updateRows } from '../../database/table-writes.ts'

/** Whoever is told already is left out. */
export const insertNotices = (tx: Queryable, rows: readonly NoticeRow[]): Promise<number> =>
  insertRows(tx, 'notices', rows, sql`on conflict do nothing`)

/** How many mails of the organization wait. */
export const countWaiting = (db: Queryable, organization: string): Promise<number> =>
  countOf(
    db,
    sql`
    select count(*) as count from notices
    where organization_id = ${organization} and due_at is not null`,
  )

/** One worker at a time chooses, so that the limits of the hour hold for all of them together. */
export const lockOutbox = (tx: Queryable): Promise<unknown> =>
  tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('notices', 0))`)

/** The oldest mails that are due; the caller has locked the outbox, and checks their seals. */
export const dueNotices = async (
  tx: Queryable,
  now: string,
  limit: number,
): Promise<DueNotice[]> => {
  const rows = await tx.rows<NoticeRow & { mode: 'live' | 'test' }>(sql`
    select ${selectList('notices', 't')}, o.mode
    from notices t join organizations o on o.id = t.organization_id
    where t.due_at <= ${now} order by t.due_at, t.id limit ${limit} for no key update of t`)
  return rows.map(({ mode, ...notice }) => ({ notice, mode }))
}

interface SentCount {
  key: string
  is_invitation: boolean
  count: bigint
}

/** By organization and by recipient, without those that nothing here limits. */
export const sentLatelyOf = async (
  tx: Queryable,
  due: readonly DueNotice[],
  since: string,
): Promise<SentLately> => {
  const organizations = [...new Set(due.map(({ notice }) => notice.organization_id))]
  const emails = [...new Set(due.map(({ notice }) => notice.email))]
  const rows = await tx.rows<SentCount>(sql`
    select organization_id::text as key, false as is_invitation, count(*) as count from notices
    where organization_id = any(${columnArray('uuid', organizations)})
      and attempted_at > ${since} and kind <> ${unlimitedNotice} group by organization_id
    union all
    select email, user_id is null, count(*) from notices
    where email = any(${columnArray('text', emails)}) and attempted_at > ${since}
      and kind <> ${unlimitedNotice} group by email, user_id is null`)
  return new Map(
    rows.map(({ key, is_invitation, count }) => [
      is_invitation ? invitationsTo(key) : key,
      Number(count),
    ]),
  )
}

const state = ['status', 'reason', 'attempts', 'due_at', 'attempted_at', 'token_sealed'] as const

/** The caller has locked the rows. */
export const saveNotices = (tx: Queryable, rows: readonly NoticeRow[]): Promise<number> =>
  updateRows(tx, 'notices', ['id'], state, rows)

/** Saves nothing if another worker has taken the notice over meanwhile. */
export const saveAttempt = (tx: Queryable, row: NoticeRow): Promise<number> =>
  updateRows(
    tx,
    'notices',
    ['id', 'attempts'],
    state.filter((name) => name !== 'attempts'),
    [row],
  )

export const deleteNotices = (tx: Queryable, ids: readonly string[]): Promise<number> =>
  tx.run(sql`delete from notices where id = any(${columnArray('uuid', ids)})`)

export const purgeNotices = (db: Queryable, before: string, limit: number): Promise<number> =>
  db.run(sql`
    delete from notices where id in
      (select id from notices where created_at < ${before} limit ${limit})`)
