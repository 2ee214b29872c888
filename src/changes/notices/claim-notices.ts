/**
 * Claims due notices for a worker. It moves on when they are due before it sends them, so that a
 * notice whose worker dies is sent by another one: a second mail is allowed, a lost one is not.
 */
import { limits } from '../../contract/limits.ts'
import { type NoticeRow, planRound } from '../../core/notices/notice-schedule.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { Queryable } from '../../database/sql.ts'
import * as store from '../../store/notices/notices.ts'
import { hourMs, later } from '../../core/dates.ts'

export interface ClaimedNotices {
  claims: NoticeRow[]
  /** The ids of notices that were not as they were sealed; they are deleted. */
  broken: string[]
  /** There may be more that are due. */
  hasMore: boolean
}

export const claimNotices = async (tx: Queryable): Promise<ClaimedNotices> => {
  await store.lockOutbox(tx)
  const now = await databaseNow(tx)
  const found = await store.dueNotices(tx, now, limits.noticesConsideredPerRound)
  const due = found.filter(({ notice }) => tx.seals.holds('notices', notice))
  const broken = found.filter((one) => !due.includes(one)).map(({ notice }) => notice.id)
  if (broken.length > 0) await store.deleteNotices(tx, broken)
  if (due.length === 0) return { claims: [], broken, hasMore: false }
  const anHourAgo = later(now, -hourMs)
  const sentLately = await store.sentLatelyOf(tx, due, anHourAgo)
  const { claims, others } = planRound(due, sentLately, now)
  const changed = [...claims, ...others]
  if (changed.length > 0) await store.saveNotices(tx, changed)
  return { claims, broken, hasMore: changed.length > 0 }
}
