/** Notices by e-mail: of what the members of an organization are told, and which links are sent. */
import { type Role, approvingRoles, rolesWithScope } from './roles.ts'

interface MemberNoticeRule {
  /** Who is told. Details go only to those who can read them in the app. */
  roles: readonly Role[]
  about: string
}

export const memberNotices = {
  approval_wanted: {
    roles: approvingRoles,
    about: 'Somebody asks for an approval that you can give.',
  },
  payment_failed: {
    roles: rolesWithScope('payments:write'),
    about: 'A payment of your organization, or to it, has failed or was returned.',
  },
  endpoint_failing: {
    roles: ['owner', 'admin', 'developer', 'member'],
    about: 'A webhook endpoint is half way to being disabled.',
  },
  key_expiring: {
    roles: ['owner', 'admin', 'developer', 'member'],
    about: 'An API key expires within seven days.',
  },
} as const satisfies Record<string, MemberNoticeRule>

/** What a person can switch off. */
export type MemberNotice = keyof typeof memberNotices

export const memberNoticeNames = Object.keys(memberNotices) as readonly MemberNotice[]

/** These go to one address, whose owner cannot switch them off. */
export type AddressNotice = 'connection_invitation' | 'member_invitation' | 'sign_in_link'

/**
 * Anybody may ask for one, and it lasts a quarter of an hour: it is limited where it is asked for
 * (docs/decisions/0128), waits for no other mail, and uses none up.
 */
export const unlimitedNotice = 'sign_in_link' satisfies AddressNotice

/** The other side of a document can cause as many of these as it likes. */
export const othersNotice = 'payment_failed' satisfies MemberNotice

export type NoticeKind = MemberNotice | AddressNotice

export const isMemberNotice = (kind: NoticeKind): kind is MemberNotice => kind in memberNotices
