/**
 * Sends the notices that are due, one after the other, each outside of a transaction. A server that
 * is away costs one attempt of what was claimed, and nothing else.
 */
import { claimNotices } from '../changes/notices/claim-notices.ts'
import { currentNotice } from '../changes/notices/notice-facts.ts'
import { createUnsubscribeToken } from '../changes/notices/unsubscribe-links.ts'
import { limits } from '../contract/limits.ts'
import { type NoticeKind, isMemberNotice } from '../contract/notices.ts'
import type { Context } from '../context.ts'
import { encodeId } from '../core/ids.ts'
import { isMailAddress, noticeMail } from '../core/notices/notice-mail.ts'
import { type NoticeRow, afterFailure, endedNotice } from '../core/notices/notice-schedule.ts'
import { databaseNow } from '../database/database-clock.ts'
import { BrokenSeal } from '../database/row-seals.ts'
import type { Mailer, SendResult } from '../mail/mailer.ts'
import { saveAttempt } from '../store/notices/notices.ts'
import type { Task } from './runner.ts'

export const sendNotices: Task = {
  name: 'send-notices',
  everyMs: limits.noticesEveryMs,
  run: async (context) => {
    const { mailer, database } = context
    if (mailer === undefined) return false
    const { claims, broken, hasMore } = await database.transaction(claimNotices)
    for (const id of broken) await context.refuseBrokenSeal(new BrokenSeal('notices', id))
    let away: SendResult | undefined
    for (const notice of claims) {
      const result = away ?? (await attempt(context, mailer, notice))
      await record(context, notice, result)
      if (away !== undefined || result.outcome !== 'failed' || !result.isAway) continue
      const { late, ...failure } = result
      away = failure
      if (late !== undefined) void recordLate(context, notice, late)
    }
    return hasMore && away === undefined
  },
}

type AttemptResult = SendResult | { outcome: 'skipped'; reason: string }

const stopping: SendResult = { outcome: 'failed', reason: 'the service stops', isAway: true }

const attempt = async (
  context: Context,
  mailer: Mailer,
  notice: NoticeRow,
): Promise<AttemptResult> => {
  if (context.lifecycle() === 'draining') return stopping
  const { config, database, keyring } = context
  try {
    if (!isMailAddress(notice.email!)) return { outcome: 'skipped', reason: 'not an address' }
    const current = await currentNotice(database.background, keyring.notices, notice)
    if (typeof current === 'string') return { outcome: 'skipped', reason: current }
    const { id, name, mode } = current.organization
    const organization = { id: encodeId('org', id), name, mode }
    const mail = noticeMail(current.facts, { organization, appUrl: `${config.baseUrl}/app` })
    const unsubscribeUrl = await unsubscribeUrlOf(context, notice)
    const messageId = `notice-${notice.id}`
    return await mailer.send({ to: notice.email!, messageId, unsubscribeUrl, ...mail })
  } catch (error) {
    if (!(error instanceof BrokenSeal)) throw error
    await context.refuseBrokenSeal(error)
    return { outcome: 'failed', reason: 'a row is not as it was sealed', isAway: false }
  }
}

/** Only for notices that a person can turn off, and over HTTPS, as RFC 8058 requires. */
const unsubscribeUrlOf = async (
  { config: { baseUrl }, database }: Context,
  { kind, user_id: user, email }: NoticeRow,
): Promise<string | undefined> => {
  const name = kind as NoticeKind
  if (user === null || !isMemberNotice(name) || !baseUrl.startsWith('https:')) return undefined
  const token = await createUnsubscribeToken(database.background, { kind: name, user }, email!)
  return `${baseUrl}/unsubscribe/${token}`
}

/** A mail that the server took after all is not sent again, unless that has begun meanwhile. */
const recordLate = async (
  context: Context,
  notice: NoticeRow,
  late: Promise<SendResult>,
): Promise<void> => {
  const result = await late
  if (result.outcome !== 'sent') return
  await record(context, notice, result).catch((error: unknown) =>
    context.log.error({ error, notice: notice.id }, 'late_answer_not_recorded'),
  )
}

const statusOf = { sent: 'sent', skipped: 'skipped', refused: 'failed' } as const

const record = async (
  context: Context,
  notice: NoticeRow,
  result: AttemptResult,
): Promise<void> => {
  const { database, log, metrics } = context
  const reason = 'reason' in result ? result.reason : null
  const now = await databaseNow(database.background)
  const after =
    result.outcome === 'failed'
      ? afterFailure(notice, result.reason, now)
      : endedNotice(notice, statusOf[result.outcome], reason)
  await database.transaction((tx) => saveAttempt(tx, after))
  const { id, kind, status } = after
  metrics.count('docex_notices_total', `kind="${kind}",status="${status}"`)
  if (result.outcome === 'failed' || result.outcome === 'refused') {
    log.warn({ notice: id, kind, status, reason }, 'notice_not_sent')
  }
}
