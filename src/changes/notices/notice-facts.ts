/**
 * What a notice says when it is sent. Everything is read anew: a notice that is no longer true, or
 * that its recipient may not read or does not want any more, is not sent.
 */
import { limits } from '../../contract/limits.ts'
import { type DocumentTypeName, documentTypes } from '../../contract/document-types.ts'
import {
  type AddressNotice,
  type MemberNotice,
  type NoticeKind,
  isMemberNotice,
  memberNotices,
} from '../../contract/notices.ts'
import { type Role, isAdminRole } from '../../contract/roles.ts'
import { decisionsOf, statusOf } from '../../core/approvals/approval-decisions.ts'
import { sentPart } from '../../core/identity/sign-in-links.ts'
import { encodeId } from '../../core/ids.ts'
import type { ServerKeys } from '../../core/server-keys.ts'
import { minorText } from '../../core/money.ts'
import type { NoticeFacts } from '../../core/notices/notice-mail.ts'
import type { NoticeRow } from '../../core/notices/notice-schedule.ts'
import { projectPayment } from '../../core/payments/payment-record.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { Queryable } from '../../database/sql.ts'
import { approvalById } from '../../store/approvals/approvals.ts'
import { documentsById, hasBrokenSeal } from '../../store/documents/documents.ts'
import { invitationOf } from '../../store/identity/connection-invitations.ts'
import { keyById } from '../../store/identity/keys.ts'
import { invitationById } from '../../store/identity/member-invitations.ts'
import { type MemberRow, memberById } from '../../store/identity/members.ts'
import { type OrganizationRow, organizationById } from '../../store/identity/organizations.ts'
import { openSignInLink } from '../../store/identity/sign-in-links.ts'
import { peopleById } from '../../store/identity/users.ts'
import { paymentById } from '../../store/payments/payments.ts'
import { endpointById } from '../../store/webhooks/endpoints.ts'
import { statusOfInvitation } from '../identity/member-invitations.ts'
import { currentPreferences } from '../identity/preferences.ts'
import { approversAmong, openToken } from './queue-notices.ts'

export interface CurrentNotice {
  organization: OrganizationRow
  facts: NoticeFacts
}

/** A text says why the notice is not sent. */
export const currentNotice = async (
  db: Queryable,
  keys: ServerKeys,
  notice: NoticeRow,
): Promise<CurrentNotice | string> => {
  const organization = await organizationById(db, notice.organization_id)
  if (organization === undefined || organization.suspended_at !== null) return 'suspended'
  const kind = notice.kind as NoticeKind
  const facts = isMemberNotice(kind)
    ? await forMember(db, kind, notice)
    : await addressFacts[kind](db, keys, notice)
  return typeof facts === 'string' ? facts : { organization, facts }
}

const notTrue = 'no longer so'
const noToken = 'the token cannot be decrypted'

type AddressFacts = (
  db: Queryable,
  keys: ServerKeys,
  notice: NoticeRow,
) => Promise<NoticeFacts | string>

const connectionInvitation: AddressFacts = async (
  db,
  _,
  { organization_id, subject_id, email },
) => {
  const invitation = await invitationOf(db, organization_id, subject_id)
  const isOpen = invitation?.status === 'invited' && invitation.email === email
  return isOpen ? { kind: 'connection_invitation' } : notTrue
}

const memberInvitation: AddressFacts = async (db, keys, notice) => {
  const invitation = await invitationById(db, notice.organization_id, notice.subject_id)
  if (invitation === undefined || invitation.email !== notice.email) return notTrue
  if (statusOfInvitation(invitation) !== 'pending') return notTrue
  const token = openToken(keys, notice)
  if (token === undefined) return noToken
  const { invited_by, role, expires_at } = invitation
  const inviter = (await peopleById(db, [invited_by])).get(invited_by)!
  return { kind: 'member_invitation', invited_by: inviter.name, role, token, expires_at }
}

const signInLink: AddressFacts = async (db, keys, notice) => {
  const token = openToken(keys, notice)
  if (token === undefined) return noToken
  const link = await openSignInLink(db, db.seals.credentialMacs(token))
  const user = link && (await peopleById(db, [link.user_id])).get(link.user_id)
  if (link === undefined || user?.email !== notice.email) return notTrue
  return { kind: 'sign_in_link', token: sentPart(token), expires_at: link.expires_at }
}

const addressFacts: Readonly<Record<AddressNotice, AddressFacts>> = {
  connection_invitation: connectionInvitation,
  member_invitation: memberInvitation,
  sign_in_link: signInLink,
}

const forMember = async (
  db: Queryable,
  kind: MemberNotice,
  notice: NoticeRow,
): Promise<NoticeFacts | string> => {
  const { organization_id, user_id, email } = notice
  const member = await memberById(db, organization_id, user_id!)
  const roles: readonly Role[] = memberNotices[kind].roles
  if (member?.email !== email || !roles.includes(member.role as Role)) return 'not for this person'
  const { notices } = await currentPreferences(db, user_id!)
  if (!notices[kind]) return 'not wanted'
  return (await memberFacts[kind](db, notice, member)) ?? notTrue
}

type FactsOf = (
  db: Queryable,
  notice: NoticeRow,
  member: MemberRow,
) => Promise<NoticeFacts | undefined>

const memberFacts: Readonly<Record<MemberNotice, FactsOf>> = {
  approval_wanted: async (db, { organization_id, subject_id }, member) => {
    const approval = await approvalById(db, organization_id, subject_id)
    if (approval === undefined) return undefined
    const { summary, expires_at } = approval
    const isPending = statusOf(approval, await databaseNow(db)) === 'pending'
    const hasDecided = decisionsOf(approval).some(({ user_id }) => user_id === member.user_id)
    const mayDecide = (await approversAmong(db, approval, [member])).length === 1
    if (!isPending || hasDecided || !mayDecide) return undefined
    const id = encodeId('apr', subject_id)
    return { kind: 'approval_wanted', approval: id, summary, expires_at }
  },
  payment_failed: async (db, { organization_id, subject_id }) => {
    const payment = await paymentById(db, organization_id, subject_id)
    if (payment === undefined || payment.failure_code === null) return undefined
    const [document] = await documentsById(db, [payment.document_id])
    if (document === undefined || hasBrokenSeal(document)) throw document ?? missing(payment.id)
    const isPayer = payment.payer_id === organization_id
    const partner = await organizationById(db, isPayer ? payment.payee_id : payment.payer_id)
    const side = document.issuer_id === organization_id ? 'issuer' : 'counterparty'
    const { label } = documentTypes[document.type as DocumentTypeName][side]
    return {
      kind: 'payment_failed',
      isPayer,
      amount: `${minorText(payment.amount)} ${payment.currency}`,
      partner: partner!.name,
      document: `${label} ${document[`${side}_number`] ?? ''}`,
      document_id: encodeId('doc', document.id),
      message: projectPayment(payment, organization_id).failure!.message,
    }
  },
  endpoint_failing: async (db, { organization_id, subject_id }, member) => {
    const endpoint = await endpointById(db, organization_id, subject_id)
    if (endpoint === undefined) return undefined
    const { consecutive_failures: failures, url } = endpoint
    const isDisabled = endpoint.status === 'DISABLED'
    const toldFrom = isDisabled ? limits.webhookFailuresMax : limits.endpointFailuresTold
    if (failures < toldFrom) return undefined
    // The rest of an address may be a secret of the receiver's.
    const shown = { id: encodeId('whk', endpoint.id), host: new URL(url).host }
    const named = isAdmin(member) ? shown : null
    return { kind: 'endpoint_failing', endpoint: named, failures, isDisabled }
  },
  key_expiring: async (db, { organization_id, subject_id }, member) => {
    const key = await keyById(db, organization_id, subject_id)
    if (key === undefined || key.revoked_at !== null || key.rotated_to_id !== null) return undefined
    const { name, prefix, expires_at, now } = key
    if (expires_at === null || expires_at <= now) return undefined
    return { kind: 'key_expiring', key: isAdmin(member) ? { name, prefix } : null, expires_at }
  },
}

const isAdmin = ({ role }: MemberRow): boolean => isAdminRole(role as Role)

const missing = (payment: string): Error => new Error(`the document of payment ${payment} is gone`)
