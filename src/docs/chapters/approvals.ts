/** How a person approves what a program pays (contract 12). */
import type { Config } from '../../config.ts'
import { limits } from '../../contract/limits.ts'
import { type Section, code, list, text } from '../blocks.ts'
import { exampleIds } from '../examples/ids.ts'
import { durationText } from './duration.ts'

export const approvals = ({ baseUrl }: Config): Section => ({
  id: 'approvals',
  title: 'Approvals',
  blocks: [
    text(
      'A key with `payments:write` can be created with `requires_approval: true`, or with `requires_approval_above`, such as `{"USD": 500}`: then a person approves everything that it pays, or what it pays beyond 500.00 USD in one UTC day, and everything in other currencies. A day counts what the key has paid across all its rotations, and a rotation keeps the rule.',
    ),
    text(
      'This covers `POST /v1/documents/{id}/pay`, every transition that executes or cancels a payment, offering a loan, accepting an offer, and repaying. Such a request runs every check, and then gets [conflict](#errors-conflict) with the reason `approval_required`. Nothing has happened but that the approval exists:',
    ),
    code(
      'json',
      JSON.stringify(
        {
          reason: 'approval_required',
          approval: {
            id: 'apr_01kbm9t6c2f8n4q0w6e2r8t4yz',
            digest: 'sha256:5f1d7a84db00d2fce00b31a7fc73224f9a3c1f0b8d7e6a5c4b3a29180f7e6d5c',
            summary: 'Pay 1080.00 USD to Oak & Sons for bill BILL-000042',
            expires_at: '2026-11-22T09:30:00.000Z',
            url: `${baseUrl}/v1/approvals/apr_01kbm9t6c2f8n4q0w6e2r8t4yz`,
            page: `${baseUrl}/app/o/${exampleIds.counterparty}/approvals?approval=apr_01kbm9t6c2f8n4q0w6e2r8t4yz`,
          },
        },
        null,
        2,
      ),
    ),
    text(
      'A person reads the approval ([GET /v1/approvals/{id}](#approvals.get)) and repeats its `digest` to approve exactly that ([POST /v1/approvals/{id}/approve](#approvals.approve)). `digest` is the SHA-256 of `statement` in the canonical form of RFC 8785: operation, path, body, version of the document, amount, payee, organization, key and expiry.',
    ),
    list(
      `It takes the session of an owner, admin or approver, never a key, and four eyes: neither the person who asked nor the one who made the key decides. A practice pair begins with one person: [invite](#invitations.create) another one, as the [guide](#guide-approve-and-pay) does. In live, that person has signed in, or shown again who it is, within the last ${durationText(limits.recentSignInMs)}: [forbidden](#errors-forbidden) with \`step_up_required\`, also for sessions of the command line, which sign in again (\`docex login\`).`,
      'Then send the same request again with the same Idempotency-Key. It runs once, and its response is kept like any other. While nobody has decided, the answer stays `approval_required`.',
      'If the document or its balance has changed, or the agreement or pledged invoice of a disbursement, or who approved it may not any more, the answer is `approval_stale`; after a refusal it is `approval_declined`, and after 24 hours, or once it was used, `approval_expired`. Ask anew with a new Idempotency-Key.',
      'The Idempotency-Key belongs to the key that asked, with all its rotations: another caller or another body with it gets [idempotency_conflict](#errors-idempotency_conflict).',
      'A dry run says that an approval would be needed, and creates none.',
      'The history of the document shows your side, and only yours, the approval, its digest and who approved.',
    ),
    text(
      'An admin makes **rules** ([POST /v1/approval_rules](#approval_rules.create)), each with what it applies to and whose consent it needs:',
    ),
    code(
      'json',
      JSON.stringify(
        {
          name: 'Large payments',
          when: { operation: 'documents.pay', amount_above: 5000, currency: 'USD' },
          approvers: 2,
          roles: ['owner', 'approver'],
        },
        null,
        2,
      ),
    ),
    list(
      'Rules bind the sessions of people, whatever their role, and the keys that have to ask: those with `requires_approval`, and those beyond their `requires_approval_above`. For such a key, the rules that match say who approves; without one, any approver does. Other keys are bound by their limits.',
      '`when` can name a document type, an amount that is exceeded, a currency and a connection; what is absent applies to all. A rule for `documents.pay` or `documents.transition` holds for whatever pays a document, so that none is a way around it.',
      'If several rules match, each has to be met; one person may count for several. Nobody counts for what they have asked for.',
      'A change holds for new requests. What waits already keeps the requirements with which it was asked, as its `requirements` show.',
      '[POST /v1/approval_rules/test](#approval_rules.test) says which rules a payment would meet, and how many members could approve: try it before a rule locks everybody out.',
    ),
  ],
})
