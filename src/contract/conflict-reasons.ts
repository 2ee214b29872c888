/** Why the state of a record forbids a write: the reasons of `conflict`. */

/** Reasons of `conflict` (contract 11). */
export const conflictReasons = [
  'illegal_transition',
  'not_convertible',
  'not_draft',
  'not_payable',
  'request_in_progress',
  'payment_in_progress',
  'connection_not_active',
  'terms_date_past',
  'already_converted',
  'reference_not_issued',
  'not_creditable',
  'authorization_digest_mismatch',
  'already_pledged',
  'listing_not_open',
  'offer_not_open',
  'agreement_not_withdrawable',
  'account_in_use',
  'profile_incomplete',
  'not_exportable',
  'key_not_active',
  'last_owner',
  'already_member',
  'too_many_invitations',
  'endpoint_disabled',
  'too_many_endpoints',
  'integrity_hold',
  'approval_required',
  'approval_stale',
  'approval_declined',
  'approval_expired',
  'too_many_approvals',
  'too_many_approval_rules',
  'too_many_changes',
] as const

export type ConflictReason = (typeof conflictReasons)[number]

/** Further reasons of `conflict` under /auth, which is outside of the versioned contract. */
export const signInConflictReasons = [
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
  'not_claimed',
  'claimed_elsewhere',
  'already_decided',
  'already_user',
  'method_unavailable',
  'second_factor_on',
  'second_factor_off',
  'too_many_passkeys',
  'passkey_known',
] as const

export type SignInConflictReason = (typeof signInConflictReasons)[number]

/** The reasons for which a draft cannot be issued, as its `blockers` list them (contract 12). */
export const issueBlockers = [
  'connection_not_active',
  'terms_date_past',
  'reference_not_issued',
  'not_convertible',
  'already_converted',
  'not_creditable',
  'too_many_changes',
  'integrity_hold',
] as const satisfies readonly ConflictReason[]

export type IssueBlocker = (typeof issueBlockers)[number]
