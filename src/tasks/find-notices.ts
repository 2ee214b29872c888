/**
 * Looks for what members are to be told by e-mail, and puts it into the outbox. It reads what other
 * writes have stored anyway, so none of them does more for it.
 */
import { queueMemberNotices } from '../changes/notices/queue-notices.ts'
import { limits } from '../contract/limits.ts'
import { memberNoticeNames } from '../contract/notices.ts'
import type { Context } from '../context.ts'
import { BrokenSeal } from '../database/row-seals.ts'
import {
  type NoticeSubject,
  forgetRecoveredEndpoints,
  untoldSubjects,
} from '../store/notices/notice-subjects.ts'
import type { Task } from './runner.ts'

export const findNotices: Task = {
  name: 'find-notices',
  everyMs: limits.noticesEveryMs,
  run: async (context) => {
    if (context.mailer === undefined) return false
    const { background } = context.database
    await forgetRecoveredEndpoints(background)
    let hasMore = false
    for (const kind of memberNoticeNames) {
      const subjects = await untoldSubjects(background, kind, limits.noticeSubjectsPerRound)
      let queued = 0
      for (const subject of subjects) queued += (await queue(context, subject)) ? 1 : 0
      hasMore ||= queued === limits.noticeSubjectsPerRound
    }
    return hasMore
  },
}

/** A row that cannot be believed keeps nobody else from being told. */
const queue = async (context: Context, subject: NoticeSubject): Promise<boolean> => {
  try {
    await context.database.transaction((tx) => queueMemberNotices(tx, subject))
    return true
  } catch (error) {
    if (!(error instanceof BrokenSeal)) throw error
    await context.refuseBrokenSeal(error)
    return false
  }
}
