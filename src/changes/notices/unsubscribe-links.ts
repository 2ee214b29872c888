/**
 * Links that turn one kind of notice off for one person, without a sign-in (docs/decisions/0275).
 * Nothing is stored of them: the MAC covers the address that a mail went to, so a link ends when
 * its person has another one.
 */
import { limits } from '../../contract/limits.ts'
import { type MemberNotice, memberNoticeNames } from '../../contract/notices.ts'
import { dayMs } from '../../core/dates.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { Queryable } from '../../database/sql.ts'
import { peopleById } from '../../store/identity/users.ts'
import { currentPreferences, updatePreferences } from '../identity/preferences.ts'
import { isSignatureOf, signatureOf } from '../identity/signed-tokens.ts'

/** Which notices of whom. */
interface Subscription {
  kind: MemberNotice
  user: string
}

const signedText = ({ kind, user }: Subscription, email: string, endsAt: string): string =>
  `no ${kind} for ${user} at ${email}, until ${endsAt}`

export const createUnsubscribeToken = async (
  db: Queryable,
  subscription: Subscription,
  email: string,
): Promise<string> => {
  const now = Date.parse(await databaseNow(db))
  const endsAt = (now + limits.unsubscribeLinkLifetimeDays * dayMs).toString(36)
  const signature = signatureOf(db.seals, signedText(subscription, email, endsAt))
  return [subscription.kind, encodeId('usr', subscription.user), endsAt, signature].join('.')
}

const subscriptionOf = async (db: Queryable, token: string): Promise<Subscription | undefined> => {
  const [name, id = '', endsAt = '', signature = '', ...more] = token.split('.')
  const kind = memberNoticeNames.find((one) => one === name)
  const user = decodeId('usr', id)
  if (kind === undefined || user === undefined || more.length > 0) return undefined
  const person = (await peopleById(db, [user])).get(user)
  if (person === undefined) return undefined
  const subscription = { kind, user }
  const isSigned = isSignatureOf(
    db.seals,
    signedText(subscription, person.email, endsAt),
    signature,
  )
  const hasEnded = Number.parseInt(endsAt, 36) <= Date.parse(await databaseNow(db))
  return isSigned && !hasEnded ? subscription : undefined
}

export interface LinkedNotice extends Subscription {
  isOn: boolean
}

/** Undefined if the link is wrong or has ended. */
export const linkedNotice = async (
  db: Queryable,
  token: string,
): Promise<LinkedNotice | undefined> => {
  const subscription = await subscriptionOf(db, token)
  if (subscription === undefined) return undefined
  const { notices } = await currentPreferences(db, subscription.user)
  return { ...subscription, isOn: notices[subscription.kind] }
}

/** Changes nothing if the link is wrong or has ended, or the notice is off. */
export const unsubscribe = async (
  tx: Queryable,
  token: string,
): Promise<LinkedNotice | undefined> => {
  const notice = await linkedNotice(tx, token)
  if (notice?.isOn !== true) return notice
  await updatePreferences(tx, notice.user, { notices: { [notice.kind]: false } })
  return { ...notice, isOn: false }
}
