/** The `details` of each error code. Fields may be added: ignore those that you do not know. */
import type { Scope } from './generated/types.ts'

export interface Problem {
  /** A JSON pointer into the body, or the name of a query parameter or header. */
  param: string
  code: string
  message: string
  fix?: string
}

export type ConflictReason =
  | 'illegal_transition'
  | 'not_convertible'
  | 'not_draft'
  | 'not_payable'
  | 'request_in_progress'
  | 'payment_in_progress'
  | 'connection_not_active'
  | 'terms_date_past'
  | 'already_converted'
  | 'reference_not_issued'
  | 'not_creditable'
  | 'authorization_digest_mismatch'
  | 'already_pledged'
  | 'listing_not_open'
  | 'offer_not_open'
  | 'agreement_not_withdrawable'
  | 'account_in_use'
  | 'profile_incomplete'
  | 'not_exportable'
  | 'key_not_active'
  | 'last_owner'
  | 'already_member'
  | 'too_many_invitations'
  | 'endpoint_disabled'
  | 'too_many_endpoints'
  | 'integrity_hold'
  | 'approval_required'
  | 'approval_stale'
  | 'approval_declined'
  | 'approval_expired'
  | 'too_many_approvals'
  | 'too_many_approval_rules'
  | 'too_many_changes'

export interface AskedApproval {
  id: string | null
  digest: string | null
  summary: string
  expires_at: string | null
  url: string | null
  /** Where a person decides in the console. */
  page: string | null
}

export interface ConflictDetails {
  reason: ConflictReason
  /** The legal moves from here. */
  allowed?: string[]
  from?: string
  to?: string
  side?: string
  fields?: string[]
  /** What a person has to approve; all but the summary are null in a dry run. */
  approval?: AskedApproval
}

export interface ErrorDetails {
  unauthorized: undefined
  forbidden: { address?: string; reason?: string } | undefined
  rate_limited: {
    policy: string
    limit: number
    window_seconds: number
    retry_after_seconds: number
  }
  not_found: { resource: string; id?: string; param?: string }
  method_not_allowed: undefined
  payload_too_large: { limit_bytes: number }
  not_enabled: { family: string }
  insufficient_scope: {
    required_scopes: (Scope | 'admin_session' | 'approver_session' | 'session')[]
    key_scopes: Scope[]
  }
  capability_unavailable: { capability: string; reason: string; blockers?: string[] }
  unsupported_media_type: undefined
  idempotency_conflict: { original_request_id: string; first_seen_at: string }
  invalid_request: { errors: Problem[] }
  not_acceptable: { available: string[] }
  sandbox_isolation: undefined
  precondition_failed: { current_revision: number }
  conflict: ConflictDetails
  payment_limit_exceeded: {
    limit: 'max_per_payment' | 'daily_volume'
    max: number
    used: number | null
    attempted: number
    currency: string
    resets_at: string | null
  }
  sandbox_quota: { quota: string; limit: number; used: number; resets_at: string | null }
  processor_error: undefined
  integrity_failure: { incident_id: string } | undefined
  internal_error: undefined
  service_unavailable: { reason?: string } | undefined
}
