/** One section per error code, under the id that `docs_url` names. */
import { type ConflictReason, type ErrorCode, errorCodes, errors } from '../../contract/errors.ts'
import type { ProblemCode } from '../../contract/problem.ts'
import { exampleError } from '../examples/errors.ts'
import { type Block, type Section, json, list, codeSpan, table, text } from '../blocks.ts'

export const errorSections = (baseUrl: string): Section => ({
  id: 'errors',
  title: 'Errors',
  blocks: [
    text(
      'Every error has the same envelope. `code` is for programs, `message` says what is wrong and what to send instead, `docs_url` leads to its section below, `request_id` names the call, and `details` holds what a program can act on.',
    ),
    list(
      '`Svc-Should-Retry: true` means: the very same request may succeed later. Wait as long as `Retry-After` says, and keep the Idempotency-Key.',
      'A write refused with 4xx has changed nothing and has not used up its Idempotency-Key. After a 5xx, send it again with the same key.',
      'Where several things are wrong, the one that is higher in this list is answered first.',
    ),
    table(
      ['Code', 'Status', 'Retry', 'Meaning'],
      errorCodes.map((code) => [
        `[${code}](#errors-${code})`,
        String(errors[code].status),
        retries(code),
        errors[code].meaning,
      ]),
    ),
  ],
  sections: errorCodes.map((code) => ({
    id: `errors-${code}`,
    title: code,
    blocks: [
      table(['Status', 'Retry'], [[String(errors[code].status), retries(code)]]),
      text(errors[code].meaning),
      text(`**What to do:** ${errors[code].fix}`),
      ...(extraBlocks[code] ?? []),
      json(exampleError(code, baseUrl)),
    ],
  })),
})

const retries = (code: ErrorCode): string => {
  if (code === 'conflict') return 'only `request_in_progress`'
  return errors[code].isRetryable ? 'yes' : 'no'
}

const problemMeanings: Record<ProblemCode, string> = {
  required: 'The field must be there.',
  unknown_field: 'There is no such field or query parameter; the nearest one is named.',
  read_only: 'The service sets the field; leave it out.',
  wrong_type: 'The value has another JSON type.',
  invalid_value: 'The value is not one of those that are taken.',
  out_of_range: 'The value, or the number of entries, is too small or too large.',
  too_precise: 'The number has too many decimals.',
  too_long: 'The text or key is too long.',
  missing_header: 'A header that must be there is not.',
  invalid_cursor: 'The cursor does not belong to this query of this organization.',
  tax_is_per_line: 'Tax is a matter of each line: set `line_items[].tax_rate`.',
}

const reasonMeanings: Record<ConflictReason, string> = {
  illegal_transition:
    'The state machine has no such move for this side now; `allowed` has those it has.',
  not_draft: 'The document is issued: it can be neither edited nor issued again.',
  request_in_progress: 'The first call with this Idempotency-Key still runs. Retry after a second.',
  connection_not_active: 'The connection takes no new documents.',
  terms_date_past:
    'The due date in the terms, or the last day of the offer, is past: send a new one, then issue.',
  key_not_active: 'The key is revoked, expired or already rotated.',
  integrity_hold: 'The record does not match its proofs and is held until the operator has looked.',
  not_convertible:
    'The document cannot become that type for this side, or not in its state; `allowed` has what it can become now.',
  reference_not_issued:
    'A document that this one refers to is a draft, which the other side cannot see.',
  already_converted: 'The document was converted before.',
  not_creditable: 'The invoice cannot be credited now, or not by that much.',
  not_payable: 'The document has nothing to pay, or not in its state.',
  payment_in_progress: 'A payment of the document is under way.',
  authorization_digest_mismatch: 'The digest is not the one of the authorization that is accepted.',
  already_pledged: 'The invoice is pledged to another agreement.',
  listing_not_open: 'The listing takes no more offers.',
  offer_not_open: 'The offer was answered, withdrawn or has lapsed.',
  agreement_not_withdrawable: 'The agreement can no longer be withdrawn from.',
  account_in_use: 'The account is in use.',
  profile_incomplete: 'The profile lacks something that the operation needs.',
  endpoint_disabled: 'The endpoint is disabled: set it to ACTIVE first.',
  too_many_endpoints: 'The organization has as many endpoints as it can have.',
}

const rowsOf = (meanings: Record<string, string>): string[][] =>
  Object.entries(meanings).map(([name, meaning]) => [codeSpan(name), meaning])

/** What a code can say in `details`, beyond its meaning. */
const extraBlocks: Partial<Record<ErrorCode, readonly Block[]>> = {
  invalid_request: [
    text(
      '`details.errors` lists every problem at once, with `param` (a JSON pointer into the body, or the name of a query parameter or header), `code`, `message` and often `fix`.',
    ),
    table(['code', 'Meaning'], rowsOf(problemMeanings)),
  ],
  conflict: [
    text('`details.reason` says why:'),
    table(['reason', 'Meaning'], rowsOf(reasonMeanings)),
  ],
}
