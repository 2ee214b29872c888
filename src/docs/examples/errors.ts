/** An example of each error code; a new code does not compile without one. */
import type { ErrorCode } from '../../contract/errors.ts'
import { exampleIds } from './ids.ts'

const exampleRefusals: Record<ErrorCode, { message: string; details?: object }> = {
  unauthorized: { message: 'Send `Authorization: Bearer <API_KEY>` with an active key.' },
  forbidden: {
    message:
      'This key may not be used from 198.51.100.7: call from an address in its allowed_cidrs, or use another key.',
    details: { address: '198.51.100.7' },
  },
  rate_limited: {
    message: 'More than 100 requests in 1 s. Send this one again in 1 s.',
    details: { policy: 'sec', limit: 100, window_seconds: 1, retry_after_seconds: 1 },
  },
  not_found: {
    message: `There is no document ${exampleIds.document} for this organization.`,
    details: { resource: 'document', id: exampleIds.document },
  },
  method_not_allowed: {
    message: 'DELETE is not a method of /v1/documents: use GET, HEAD or POST.',
  },
  payload_too_large: {
    message: 'The body is larger than 1048576 bytes: send less at once.',
    details: { limit_bytes: 1_048_576 },
  },
  not_enabled: {
    message: 'The payments family is not enabled in this deployment.',
    details: { family: 'payments' },
  },
  insufficient_scope: {
    message: 'This needs documents:write: send a key that has it, or ask an admin for one.',
    details: { required_scopes: ['documents:write'], key_scopes: ['documents:read'] },
  },
  capability_unavailable: {
    message:
      'treasury:read is for verified organizations only, and this one is not: ask the operator to verify it.',
    details: { capability: 'treasury', reason: 'organization_unverified' },
  },
  unsupported_media_type: {
    message: 'Content-Type text/plain is not accepted: send application/json.',
  },
  idempotency_conflict: {
    message: 'This Idempotency-Key was used for another request. Use a new key for a new request.',
    details: { original_request_id: exampleIds.request, first_seen_at: '2026-11-21T09:12:04.512Z' },
  },
  invalid_request: {
    message:
      '/curency: There is no such field here. Did you mean currency? See details.errors for 1 more.',
    details: {
      errors: [
        {
          param: '/curency',
          code: 'unknown_field',
          message: 'There is no such field here. Did you mean currency?',
          fix: 'send currency',
        },
        {
          param: '/line_items/0/tax_rate',
          code: 'required',
          message: 'This field is required.',
          fix: 'send a number, like 0.08. Decimal per line: 0.08 means 8 %; 0 for untaxed lines.',
        },
      ],
    },
  },
  not_acceptable: {
    message: 'A document of type contract has no format ubl: ask for one of json, csv, pdf.',
    details: { available: ['json', 'csv', 'pdf'] },
  },
  sandbox_isolation: {
    message:
      'The record lives in the other environment of the same owner: a live record takes a live credential (rk_live_…), a sandbox record one of the sandbox (rk_test_…).',
  },
  precondition_failed: {
    message:
      'The document has changed since that revision: read it again, and send its ETag as If-Match.',
    details: { current_revision: 3 },
  },
  conflict: {
    message:
      "An approved invoice cannot move to acknowledged from the issuer's side. This side can move it to disputed.",
    details: {
      reason: 'illegal_transition',
      allowed: ['disputed'],
      from: 'approved',
      to: 'acknowledged',
      side: 'issuer',
    },
  },
  payment_limit_exceeded: {
    message:
      'The payment of 3120.00 EUR exceeds max_per_payment of this key, 2500.00 EUR. A payment pays the whole balance: use a key with a higher limit, or let a person pay.',
    details: {
      limit: 'max_per_payment',
      max: 2500,
      used: null,
      attempted: 3120,
      currency: 'EUR',
      resets_at: null,
    },
  },
  sandbox_quota: {
    message: 'The quota of documents per day (5000) is used up. Wait until the next UTC day.',
    details: {
      quota: 'documents_per_day',
      limit: 5000,
      used: 5000,
      resets_at: '2026-11-22T00:00:00.000Z',
    },
  },
  processor_error: {
    message: 'The payment processor did not accept the payment. Nothing was booked.',
  },
  integrity_failure: {
    message: 'The stored record does not match its proofs. Nothing was returned.',
    details: { incident_id: 'inc_01kbm9w0a9e2trc3mzs0fd7y4q' },
  },
  internal_error: { message: 'Something failed on our side. Nothing of this request was kept.' },
  service_unavailable: {
    message:
      'The database is not reachable right now. Send the same request with the same Idempotency-Key again.',
  },
}

/** The error envelope (specification 7) as this deployment would send it. */
export const exampleError = (code: ErrorCode, baseUrl: string): object => ({
  error: {
    code,
    message: exampleRefusals[code].message,
    docs_url: `${baseUrl}/v1/docs#errors-${code}`,
    request_id: exampleIds.request,
    ...(exampleRefusals[code].details === undefined
      ? {}
      : { details: exampleRefusals[code].details }),
  },
})
