/** When a notice is sent, and what becomes of it (docs/decisions/0115). */
import { limits } from '../../contract/limits.ts'
import { othersNotice, unlimitedNotice } from '../../contract/notices.ts'
import type { Rows } from '../../database/rows.ts'
import { hourMs, later } from '../dates.ts'

export type NoticeRow = Rows['notices']

/** What may change in a row. */
export type NoticeState = Pick<
  NoticeRow,
  'status' | 'reason' | 'attempts' | 'due_at' | 'attempted_at' | 'token_sealed'
>

export const endedNotice = (
  notice: NoticeRow,
  status: 'sent' | 'skipped' | 'failed',
  reason: string | null,
): NoticeRow => ({ ...notice, status, reason, due_at: null, token_sealed: null })

/** Claimed for an attempt: if its worker dies, it is due again when the lease ends. */
const claimed = (notice: NoticeRow, now: string): NoticeRow => ({
  ...notice,
  attempts: notice.attempts + 1,
  attempted_at: now,
  due_at: later(now, limits.noticeLeaseMs),
})

/** After an attempt that may succeed later: waits for the next one, if there is any. */
export const afterFailure = (notice: NoticeRow, reason: string, now: string): NoticeRow => {
  const minutes = limits.noticeRetryMinutes[notice.attempts - 1]
  if (minutes === undefined) return endedNotice(notice, 'failed', reason)
  return { ...notice, reason, due_at: later(now, minutes * 60_000) }
}

/**
 * How many mails an organization or a recipient got within the last hour, or is getting now: by the
 * id, by the address, and by `invitationsTo` the address; and by `ofOthersTo` the first two.
 */
export type SentLately = Map<string, number>

/** Invitations are counted apart: strangers who send many keep nobody's own notices waiting. */
export const invitationsTo = (email: string): string => `invitations to ${email}`

/** What others can cause is counted in all, and also by itself: it gets a part of the whole. */
export const ofOthersTo = (key: string): string => `of others to ${key}`

export interface DueNotice {
  notice: NoticeRow
  /** The mode of its organization. */
  mode: 'live' | 'test'
}

/** Chooses what is sent now: the oldest, as far as the limits of the hour admit. */
export const planRound = (
  due: readonly DueNotice[],
  sentLately: SentLately,
  now: string,
): { claims: NoticeRow[]; others: NoticeRow[] } => {
  const claims: NoticeRow[] = []
  const others: NoticeRow[] = []
  const tooOld = later(now, -limits.noticeLifetimeMs)
  for (const { notice, mode } of due) {
    const counts = countsOf(notice, mode)
    const isCounted =
      notice.kind === unlimitedNotice ||
      (notice.attempted_at !== null && notice.attempted_at > later(now, -hourMs))
    const isBeyond = counts.some(([key, max]) => (sentLately.get(key) ?? 0) >= max)
    if (notice.created_at < tooOld) {
      others.push(endedNotice(notice, 'failed', notice.reason ?? 'too late'))
    } else if (isBeyond && !isCounted) {
      others.push({ ...notice, due_at: later(now, limits.noticeWaitsForLimitMs) })
    } else if (claims.length < limits.noticesSentPerRound) {
      claims.push(claimed(notice, now))
      if (isCounted) continue
      for (const [key] of counts) sentLately.set(key, (sentLately.get(key) ?? 0) + 1)
    }
  }
  return { claims, others }
}

/** Where a mail is counted, and how many an hour admits there. */
const countsOf = (
  { kind, organization_id, user_id, email }: NoticeRow,
  mode: DueNotice['mode'],
): [key: string, max: number][] => {
  const counts: [string, number][] = [
    [organization_id, limits.noticesPerHourMax[mode]],
    user_id === null
      ? [invitationsTo(email!), limits.invitationsPerRecipientPerHourMax]
      : [email!, limits.noticesPerRecipientPerHourMax],
  ]
  if (kind !== othersNotice) return counts
  const shares = counts.map(([key, max]): [string, number] => [
    ofOthersTo(key),
    max * limits.othersNoticesShare,
  ])
  return [...counts, ...shares]
}
