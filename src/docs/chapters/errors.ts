/** One section per error code, under the id that `docs_url` links to. */
import { errorCodes } from '../../contract/error-codes.ts'
import type { ConflictReason } from '../../contract/conflict-reasons.ts'
import { type ErrorCode, errors } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { ProblemCode } from '../../contract/problem.ts'
import { exampleError } from '../examples/errors.ts'
import { type Block, type Section, json, list, codeSpan, table, text } from '../blocks.ts'

/** Each code on /v1/docs itself, where the `docs_url` of an error leads. */
export const errorAnchors: Section = {
  id: 'error-codes',
  title: 'Error codes',
  blocks: [text('[Errors](#errors) has all details with an example for each code.')],
  sections: errorCodes.map((code) => ({
    id: `errors-${code}`,
    title: code,
    blocks: [
      text(`**${errors[code].status}.** ${errors[code].meaning}`),
      text(`**What to do:** ${errors[code].fix} [Details](#errors-${code})`),
    ],
  })),
}

export const errorSections = (baseUrl: string): Section => ({
  id: 'errors',
  title: 'Errors',
  blocks: [
    text(
      'Every error has the same envelope. `code` is meant for programs, `message` explains what is wrong and what to send instead, `docs_url` links to the section of the code below, `request_id` identifies the request, and `details` contains what a program can act on.',
    ),
    list(
      '`Svc-Should-Retry: true` means that the very same request may succeed later. Wait as long as `Retry-After` says, and reuse the Idempotency-Key.',
      'A write refused with a 4xx status has changed nothing and has not used up its Idempotency-Key, unless it waits for an [approval](#approvals). After a 5xx status, send it again with the same key, unless `Svc-Should-Retry` is false.',
      'The header `Link: </v1/requests/req_…>; rel="about"` leads to the [entry of the request log](#requests.get), with code, message and problems. An admin session reads it, a second or two after the response. It is absent where no caller is known: the log is that of an organization.',
      'If several errors apply, the response has the one that is highest in this list.',
    ),
    table(
      ['Code', 'Status', 'Retry', 'Meaning'],
      errorCodes.map((code) => [
        `[${code}](#errors-${code})`,
        String(errors[code].status),
        retryText(code),
        errors[code].meaning,
      ]),
    ),
  ],
  sections: errorCodes.map((code) => ({
    id: `errors-${code}`,
    title: code,
    blocks: [
      table(['Status', 'Retry'], [[String(errors[code].status), retryText(code)]]),
      text(errors[code].meaning),
      text(`**What to do:** ${errors[code].fix}`),
      ...(extraBlocks[code] ?? []),
      json(exampleError(code, baseUrl)),
    ],
  })),
})

const retryText = (code: ErrorCode): string => {
  if (code === 'conflict') return 'only `request_in_progress`'
  return errors[code].isRetryable ? 'yes' : 'no'
}

const problemMeanings: Record<ProblemCode, string> = {
  required: 'The field is required.',
  unknown_field: 'There is no such field or query parameter; the message suggests the nearest one.',
  read_only: 'The service sets this field; leave it out.',
  wrong_type: 'The value has the wrong JSON type.',
  invalid_value: 'The value is not accepted.',
  out_of_range: 'The value, or the number of entries, is too small or too large.',
  too_precise: 'The number has too many decimals.',
  too_long: 'The text or key is too long.',
  missing_header: 'A required header is missing.',
  invalid_cursor: 'The cursor does not belong to this query of this organization.',
  tax_is_per_line: 'Tax belongs to each line: set `line_items[].tax_rate`.',
}

const reasonMeanings: Record<ConflictReason, string> = {
  illegal_transition:
    'The state machine does not allow this side to make the transition now; `allowed` lists the ones it does.',
  not_draft: 'The document is issued: it can be neither edited nor issued again.',
  request_in_progress:
    'The first request with this Idempotency-Key is still running. Retry after a second.',
  connection_not_active: 'The connection accepts no new documents.',
  terms_date_past:
    'The due date in the terms or the last day of the offer has passed: set a new one, then issue the document.',
  already_member: 'The person is a member of the organization.',
  too_many_invitations:
    'The organization has as many open invitations of members as it may have: revoke some first. Or it has invited the same organization or address too often in vain.',
  last_owner: 'The organization would have no owner: make another member an owner first.',
  key_not_active: 'The key is revoked, expired or already rotated.',
  integrity_hold:
    'The record does not match its proofs and is on hold until the operator has investigated.',
  not_convertible:
    'This side cannot convert the document to that type, or not in its current state; `allowed` lists the types it can become now.',
  reference_not_issued: 'The document refers to a draft, which the other side cannot see.',
  already_converted: 'The document has already been converted.',
  not_creditable: 'The invoice cannot be credited now, or not by this amount.',
  not_payable: 'The document has nothing to pay, or cannot be paid in its current state.',
  payment_in_progress: 'A payment of the document is in progress.',
  authorization_digest_mismatch:
    'The digest does not match the authorization that is being accepted.',
  already_pledged: 'The invoice is pledged to another agreement.',
  listing_not_open: 'The listing accepts no more offers.',
  offer_not_open: 'The offer has been answered or withdrawn, or has expired.',
  agreement_not_withdrawable: 'The agreement can no longer be withdrawn from.',
  account_in_use: 'The account is in use.',
  profile_incomplete: 'The profile lacks information that the operation requires.',
  not_exportable:
    'The document has no export in this format in its current state; `rule` names the rule that says so.',
  endpoint_disabled: 'The endpoint is disabled: set its status to ACTIVE first.',
  too_many_endpoints: 'The organization has reached its maximum number of endpoints.',
  approval_required:
    'A person has to [approve](#approvals) this first: `approval` names what, by its digest. Then send the same request again.',
  approval_stale:
    'What was to be approved has changed since, or who approved it may not any more. Ask again with a new Idempotency-Key.',
  approval_declined: 'A person has declined this.',
  approval_expired: 'The approval has expired or was used. Ask again with a new Idempotency-Key.',
  too_many_approvals: 'The organization has asked for as many approvals as it may in a day.',
  too_many_approval_rules: 'The organization has reached its maximum number of approval rules.',
  too_many_changes: `The document has changed as often as it may, or takes no further reference of this side (\`document_id\`): leave the reference out. Nothing keeps a document from being issued without it or answered, nor from being paid while its history has fewer than ${limits.eventsOfDocumentMax.toLocaleString('en-US')} events.`,
}

const rowsOf = (meanings: Record<string, string>): string[][] =>
  Object.entries(meanings).map(([name, meaning]) => [codeSpan(name), meaning])

/** Describes the `details` of a code. */
const extraBlocks: Partial<Record<ErrorCode, readonly Block[]>> = {
  invalid_request: [
    text(
      '`details.errors` lists all problems at once, each with `param` (a JSON pointer into the body, or the name of a query parameter or header), `code`, `message` and often `fix`.',
    ),
    text(
      `It lists the first ${limits.problemsListedMax} problems; beyond them, the message says how many more were found.`,
    ),
    table(['code', 'Meaning'], rowsOf(problemMeanings)),
  ],
  conflict: [
    text('`details.reason` is one of:'),
    table(['reason', 'Meaning'], rowsOf(reasonMeanings)),
  ],
}
