/** Puts notices into the outbox (docs/decisions/0115): one row for each recipient. */
import { randomBytes } from 'node:crypto'
import { approvalLimits } from '../../contract/approval-limits.ts'
import { limits } from '../../contract/limits.ts'
import {
  type AddressNotice,
  type NoticeKind,
  memberNotices,
  othersNotice,
  unlimitedNotice,
} from '../../contract/notices.ts'
import type { Role } from '../../contract/roles.ts'
import { type ApprovalRow, whyNotToDecide } from '../../core/approvals/approval-decisions.ts'
import type { ServerKeys } from '../../core/server-keys.ts'
import type { NoticeRow } from '../../core/notices/notice-schedule.ts'
import { decryptSecret, encryptSecret, nonceBytes } from '../../core/secret-encryption.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { approvalById, keyMakersOf } from '../../store/approvals/approvals.ts'
import { type MemberRow, membersOf } from '../../store/identity/members.ts'
import { organizationById } from '../../store/identity/organizations.ts'
import type { NoticeSubject } from '../../store/notices/notice-subjects.ts'
import { countWaiting, insertNotices } from '../../store/notices/notices.ts'

interface Told {
  kind: NoticeKind
  organization_id: string
  subject_id: string
}

const noticeOf = (told: Told, now: string, state: Partial<NoticeRow>): NoticeRow => ({
  id: newId(Date.parse(now)),
  ...told,
  user_id: null,
  email: null,
  token_sealed: null,
  status: 'waiting',
  reason: null,
  attempts: 0,
  created_at: now,
  due_at: now,
  attempted_at: null,
  ...state,
})

/** Whether the outbox has no room for mails of this organization. */
const isFull = async (
  tx: Queryable,
  { kind, organization_id: organization }: Pick<Told, 'kind' | 'organization_id'>,
): Promise<boolean> => {
  const { noticesWaitingMax: max, othersNoticesShare: share } = limits
  if ((await countWaiting(tx, organization)) >= max) return true
  return kind === othersNotice && (await countWaiting(tx, organization, kind)) >= max * share
}

export const queueMemberNotices = async (
  tx: Queryable,
  { kind, subject_id, organization_id }: NoticeSubject,
): Promise<void> => {
  const told = { kind, subject_id, organization_id }
  const now = await databaseNow(tx)
  const hasRoom = !(await isFull(tx, told))
  const recipients = hasRoom ? await recipientsOf(tx, told) : []
  const rows = recipients.map(({ user_id, email }) => noticeOf(told, now, { user_id, email }))
  // So that the subject is not looked at again.
  const reason = hasRoom ? 'nobody to tell' : 'too many wait'
  const nobody = () => noticeOf(told, now, { status: 'skipped', reason, due_at: null })
  await insertNotices(tx, rows.length > 0 ? rows : [nobody()])
}

/** The members who are told, before their preferences, which count when the mail is sent. */
const recipientsOf = async (tx: Queryable, subject: NoticeSubject): Promise<MemberRow[]> => {
  const { kind, subject_id, organization_id } = subject
  const organization = await organizationById(tx, organization_id)
  // The service plays the side of a demo counterparty.
  if (organization === undefined || organization.is_demo) return []
  const { noticeRecipientsMax: most } = limits
  const isApproval = kind === 'approval_wanted'
  const members = await membersOf(tx, organization_id, {
    roles: memberNotices[kind].roles,
    before: undefined,
    // A rule may want somebody who is a member for longer than the others.
    limit: isApproval ? approvalLimits.eligibleMembersCountedMax : most,
  })
  if (!isApproval) return members
  const approval = await approvalById(tx, organization_id, subject_id)
  if (approval === undefined) return []
  return (await approversAmong(tx, approval, members)).slice(0, most)
}

export const approversAmong = async <M extends Pick<MemberRow, 'user_id' | 'role'>>(
  db: Queryable,
  approval: ApprovalRow,
  members: readonly M[],
): Promise<M[]> => {
  const keyMakers = (await keyMakersOf(db, approval.organization_id, [approval]))(approval)
  return members.filter(({ user_id, role }) => {
    const person = { user_id, role: role as Role }
    return whyNotToDecide(approval, keyMakers, person) === undefined
  })
}

export interface AddressedNotice {
  kind: AddressNotice
  organization: string
  /** The invitation; a link has no id. */
  id?: string
  email: string
  /** The secret that accepts an invitation, or signs somebody in. */
  token?: string
}

/** In the transaction that invites, or makes the link. */
export const queueForAddress = async (
  tx: Queryable,
  keys: ServerKeys,
  { kind, organization, id, email, token }: AddressedNotice,
): Promise<void> => {
  const told = { kind, organization_id: organization, subject_id: id ?? newId() }
  if (kind !== unlimitedNotice && (await isFull(tx, told))) return
  const now = await databaseNow(tx)
  const row = noticeOf(told, now, { email })
  await insertNotices(tx, [{ ...row, token_sealed: token ? sealToken(keys, row, token) : null }])
}

/** Binds a token to its notice: it cannot be decrypted for another one. */
const tokenLabelOf = ({ id, organization_id }: NoticeRow): string =>
  `token of a notice\n${organization_id}\n${id}`

const sealToken = (keys: ServerKeys, notice: NoticeRow, token: string): Buffer =>
  encryptSecret(keys.newest, tokenLabelOf(notice), token, randomBytes(nonceBytes))

/** Undefined if there is none, or it cannot be decrypted. */
export const openToken = (keys: ServerKeys, notice: NoticeRow): string | undefined => {
  const { token_sealed: sealed } = notice
  if (sealed === null) return undefined
  return keys.first((key) => decryptSecret(key, tokenLabelOf(notice), sealed))
}

/** The same token under the newest key; without one, nothing changes. */
export const reencryptedToken = (
  keys: ServerKeys,
  notice: NoticeRow,
): Pick<NoticeRow, 'token_sealed'> => {
  const token = openToken(keys, notice)
  return { token_sealed: token === undefined ? null : sealToken(keys, notice, token) }
}
