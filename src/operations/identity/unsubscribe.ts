/** What the links of mails show and do that turn a kind of notice off (docs/decisions/0275). */
import { turns } from '../../contract/work-classes.ts'
import {
  type LinkedNotice,
  linkedNotice,
  unsubscribe,
} from '../../changes/notices/unsubscribe-links.ts'
import type { Context } from '../../context.ts'
import { FairQueue } from '../../database/fair-queue.ts'
import type { AnonymousCaller } from '../operation.ts'
import { writeFor } from './sessions.ts'

export type { LinkedNotice }

/** Changes nothing: programs that look at mails open what is in them. */
export const show = ({ database }: Context, token: string): Promise<LinkedNotice | undefined> =>
  linkedNotice(database.read, token)

const unsubscribing = new FairQueue(turns.unsubscribing)

/** However many are turned off at once, whoever signs in from the same network has its turn. */
export const turnOff = async (
  context: Context,
  token: string,
  { requester, dryRun }: AnonymousCaller,
): Promise<LinkedNotice | undefined> => {
  const notice = await show(context, token)
  // Whoever has no link takes no turn.
  if (notice?.isOn !== true) return notice
  const own = { requester: { ...requester, organization: 'unsubscribing' }, dryRun }
  return unsubscribing.run(requester, () => writeFor(context, own)((tx) => unsubscribe(tx, token)))
}
