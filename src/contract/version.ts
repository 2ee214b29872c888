/** The served contract version, and what each version added (specification 9). */
export const version = '1.16.0'

export interface ChangelogEntry {
  version: string
  /** The first day on which this program served it; older versions have none. */
  since?: string
  change: string
}

/** What 1.16.0 adds to 1.15.0. */
const newOperations = [
  '`GET /v1/requests/{request_id}`',
  '`/v1/organization`, the profile that an issued document keeps',
  '`/v1/members`, with roles',
  '`/v1/invitations`',
  'scope `webhooks:manage`',
  '`GET /v1/finance/agreements/{id}/export`',
  '`GET /v1/documents/{id}/render` and `GET /v1/documents/{id}/checks`',
  '`POST /v1/documents/import`',
  '`GET /v1/search`',
  '`GET /v1/stream`',
  '`sort=updated` on the document and payment lists; `fields` on every list',
  '`GET /v1/statistics`',
  '`currency`, `due_from`, `due_to` and `owed` on the document list; `currency`, `settled_from` and `settled_to` on the payment list',
  '`GET /v1/documents.csv` and `GET /v1/payments.csv`',
  '`GET /v1/treasury/accounts/{id}/statement`',
  '`/v1/documents/{id}/comments`',
  '`/v1/saved_views` and `/v1/preferences`, for sessions',
  '`GET /v1/audit`',
  '`/v1/approval_rules`; reason `too_many_approval_rules` of `conflict`',
  '`/v1/approvals`; `requires_approval` and `requires_approval_above` of keys; reasons `approval_required`, `approval_stale`, `approval_declined`, `approval_expired` and `too_many_approvals` of `conflict`; `approval` in history entries',
  'reason `too_many_changes` of `conflict`, for a document that has changed 1,000 times, or that 1,000 references of one side name',
]

export const changelog: readonly ChangelogEntry[] = [
  { version: '1.16.0', since: '2026-11-24', change: `${newOperations.join('; ')}.` },
  {
    version: '1.15.0',
    since: '2026-11-21',
    change:
      'Additions to 1.14.0: `metadata`, `document_date`, `due_date`, `valid_until` and `references` on documents; `issuer_number`, `phase`, `overdue`, `payable` and `allowed_transitions` in responses; `issuable` and `blockers` on drafts, `warnings` in dry runs; attachment upload and list; connections over HTTP; `GET /v1/requests`; `/v1/sandboxes`; key list, read and revoke; `GET /v1/me`; `GET /v1/idempotency/{key}`; `Svc-Dry-Run`; `ETag`, `If-Match` and `If-None-Match`; rate limit headers; `GET /v1/events`; webhook list, read, update, delete and ping, secret rotation, deliveries with attempts, redelivery of one and of a range; the Standard Webhooks headers; `/v1/log/keys`, `/v1/log/checkpoint`, `/v1/log/consistency` and `/v1/log/epochs`; code `integrity_failure`; `direction` filter and comma lists; `query` on the document list; `GET /v1/documents/{id}/transitions`; `POST /v1/documents/{id}/convert`; `Svc-Event` and `GET /v1/documents/{id}/receipts/{seq}`.',
  },
  {
    version: '1.14.0',
    change:
      'Finance loan lifecycle: setup, listings, offers, agreements; finance events; document types agreement, disbursement, repayment.',
  },
  {
    version: '1.5.0',
    change:
      'Provenance family; POST /v1/documents/{id}/pay; per-key payment_limits with payment_limit_exceeded; events payment.settled and payment.failed; sandbox: true on sandbox deliveries.',
  },
  {
    version: '1.4.0',
    change:
      'Fiat payment rail: payment states execute payments, scope payments:write; transition body gains payment_method, source_account_id, scheduled_for.',
  },
  {
    version: '1.3.0',
    change: 'Webhooks; updated_since and phase filters; signed-download attachments; MCP server.',
  },
  {
    version: '1.2.0',
    change:
      'Document writes, Idempotency-Key, per-line tax, legal-set conflicts; sandbox; key prefixes rk_test_ and rk_live_; error codes conflict, idempotency_conflict, sandbox_isolation, sandbox_quota.',
  },
  { version: '1.1.0', change: 'GET /v1/enablement.' },
  {
    version: '1.0.0',
    change:
      'Read-only documents and payments, org-scoped keys with scopes, cursor pagination, one error envelope, per-key rate limits.',
  },
]
