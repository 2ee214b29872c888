/**
 * Looks for what members are to be told by e-mail, and puts it into the outbox. It reads what other
 * writes have stored anyway, so none of them does more for it.
 */
import type { Context } from '../context.ts'
import { queueMemberNotices } from '../changes/notices/queue-notices.ts'
import { limits } from '../contract/limits.ts'
import { memberNoticeNames } from '../contract/notices.ts'
import { BrokenSeal } from '../database/row-seals.ts'
import {
  type NoticeSubject,
  forgetRecoveredEndpoints,
  untoldSubjects,
} from '../store/notices/notice-subjects.ts'
import type { Task } from './runner.ts'
import { openDueWork } from './due-work.ts'

/** Each goes on where it was; the first round looks at all that may be told. */
const newSearches = () =>
  memberNoticeNames.map((kind) => ({
    kind,
    dueWork: openDueWork('find-notices'),
    toldUntil: '-infinity',
    failed: new Set<string>(),
  }))

/** A process may run several services, each with its own database. */
const searchesOf = new WeakMap<Context, ReturnType<typeof newSearches>>()

export const findNotices: Task = {
  name: 'find-notices',
  everyMs: limits.noticesEveryMs,
  run: async (context) => {
    if (context.mailer === undefined) return false
    const { background } = context.database
    await forgetRecoveredEndpoints(background)
    const searches = searchesOf.get(context) ?? newSearches()
    searchesOf.set(context, searches)
    let hasMore = false
    for (const search of searches) {
      const { kind, dueWork } = search
      const isBehind = await dueWork.perform<NoticeSubject>(context, {
        limit: limits.noticeSubjectsPerRound,
        find: async (limit) => {
          const { toldUntil: since, failed } = search
          const window = limits.noticeCausesPerRound
          const range = { since, limit, window, failed: [...failed] }
          const found = await untoldSubjects(background, kind, range)
          search.toldUntil = found.since
          return found.subjects
        },
        keyOf: (subject) => `${kind} ${subject.subject_id} ${subject.organization_id}`,
        run: (subject) => tell(context, subject, search.failed),
        inTurn: true,
      })
      hasMore ||= isBehind
    }
    return hasMore
  },
}

/** What could not be told in a moment, such as for a lock, holds up the search until it is. */
const tell = async (
  { database }: Context,
  subject: NoticeSubject,
  failed: Set<string>,
): Promise<void> => {
  const { subject_id: id } = subject
  try {
    await database.transaction((tx) => queueMemberNotices(tx, subject))
    failed.delete(id)
  } catch (error) {
    if (error instanceof BrokenSeal) addBounded(failed, id)
    throw error
  }
}

const addBounded = (failed: Set<string>, id: string): void => {
  failed.add(id)
  const [oldest] = failed
  if (failed.size > limits.noticeCausesPerRound) failed.delete(oldest!)
}
