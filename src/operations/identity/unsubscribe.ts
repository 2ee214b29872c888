/** What the links of mails show and do that turn a kind of notice off (docs/decisions/0275). */
import {
  type LinkedNotice,
  linkedNotice,
  unsubscribe,
} from '../../changes/notices/unsubscribe-links.ts'
import type { Context } from '../../context.ts'
import type { AnonymousCaller } from '../operation.ts'
import { writeFor } from './sessions.ts'

export type { LinkedNotice }

/** Changes nothing: programs that look at mails open what is in them. */
export const show = ({ database }: Context, token: string): Promise<LinkedNotice | undefined> =>
  linkedNotice(database.read, token)

export const turnOff = async (
  context: Context,
  token: string,
  from: AnonymousCaller,
): Promise<LinkedNotice | undefined> => writeFor(context, from)((tx) => unsubscribe(tx, token))
