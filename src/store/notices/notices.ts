/** The outbox of e-mails. */
import {
  type DueNotice,
  type NoticeRow,
  type SentLately,
  invitationsTo,
  ofOthersTo,
} from '../../core/notices/notice-schedule.ts'
import { type NoticeKind, othersNotice, unlimitedNotice } from '../../contract/notices.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { ifGiven } from '../../database/conditions.ts'
import { countOf } from '../../database/counts.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { selectList, sendNewRows, sendUpdates, updateRows } from '../../database/table-writes.ts'

/** Whoever is told already is left out. */
export const insertNotices = (tx: Queryable, rows: readonly NoticeRow[]): Promise<number> =>
  sendNewRows(tx, 'notices', rows, sql`on conflict do nothing`)

/** How many mails of the organization wait; of one kind, or of all. */
export const countWaiting = (
  db: Queryable,
  organization: string,
  kind?: NoticeKind,
): Promise<number> => {
  const isOfKind = ifGiven(kind, (one) => sql`kind = ${one}`)
  return countOf(
    db,
    sql`
    select count(*) as count from notices
    where organization_id = ${organization} and due_at is not null and ${isOfKind}`,
  )
}

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
  is_of_others: boolean
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
    select organization_id::text as key, false as is_invitation, ${isOfOthers} as is_of_others,
      count(*) as count
    from notices
    where organization_id = any(${columnArray('uuid', organizations)})
      and attempted_at > ${since} and kind <> ${unlimitedNotice} group by 1, 2, 3
    union all
    select email, user_id is null, ${isOfOthers}, count(*) from notices
    where email = any(${columnArray('text', emails)}) and attempted_at > ${since}
      and kind <> ${unlimitedNotice} group by 1, 2, 3`)
  const sent: SentLately = new Map()
  const add = (key: string, count: bigint) => sent.set(key, (sent.get(key) ?? 0) + Number(count))
  for (const { key, is_invitation, is_of_others, count } of rows) {
    add(is_invitation ? invitationsTo(key) : key, count)
    if (is_of_others) add(ofOthersTo(key), count)
  }
  return sent
}

const isOfOthers = sql`kind = ${othersNotice}`

const state = ['status', 'reason', 'attempts', 'due_at', 'attempted_at', 'token_sealed'] as const

/** The caller has locked the rows. */
export const saveNotices = (tx: Queryable, rows: readonly NoticeRow[]): Promise<number> =>
  updateRows(tx, 'notices', { key: ['id'], set: state, rows })

/** Saves nothing if another worker has taken the notice over meanwhile. */
export const saveAttempt = (tx: Queryable, row: NoticeRow): Promise<number> =>
  sendUpdates(tx, 'notices', {
    key: ['id', 'attempts'],
    set: state.filter((name) => name !== 'attempts'),
    rows: [row],
  })

export const deleteNotices = (tx: Queryable, ids: readonly string[]): Promise<number> =>
  tx.run(sql`delete from notices where id = any(${columnArray('uuid', ids)})`)

export const purgeNotices = (db: Queryable, before: string, limit: number): Promise<number> =>
  db.run(sql`
    delete from notices where id in
      (select id from notices where created_at < ${before} limit ${limit})`)
