/** Generated from the operations by `npm run generate`: do not edit. */
import { type ApiPromise } from '../api-promise.ts'
import { type ClientOptions, createClient } from '../client.ts'
import { type FollowOptions, eventsFollow } from '../follow.ts'
import { type ListPromise } from '../lists.ts'
import { withClient } from '../operation.ts'
import { type Proof } from '../proof.ts'
import { type ChangeOptions, type FileInput, type ReadOptions, type WriteOptions } from '../request.ts'
import { type DocumentChange, type StreamOptions } from '../stream.ts'
import * as f from './functions.ts'
import type {
  DocumentRecord,
  DocumentCreate,
  DocumentEdit,
  RenderedDocument,
  ExportChecks,
  TransitionRequest,
  Transitions,
  DocumentConvert,
  Organization,
  OrganizationUpdate,
  Member,
  MemberUpdate,
  MemberInvitation,
  InvitationCreate,
  MintedInvitation,
  Approval,
  ApprovalConsent,
  ApprovalDecline,
  Statistics,
  SearchHit,
  DocumentComment,
  DocumentCommentCreate,
  SavedView,
  SavedViewCreate,
  SavedViewUpdate,
  Preferences,
  PreferencesUpdate,
  AuditEntry,
  ApprovalRule,
  ApprovalRuleCreate,
  ApprovalRuleUpdate,
  ApprovalRuleTest,
  ApprovalRuleTestResult,
  Attachment,
  AttachmentLink,
  Connection,
  ConnectionCreate,
  Payment,
  PayRequest,
  Account,
  Balance,
  Transaction,
  Clock,
  ClockAdvance,
  TopUp,
  Simulation,
  DemoDocument,
  DemoTransition,
  DocumentHistory,
  Lineage,
  PledgeProof,
  Receipt,
  LogKeys,
  LogCheckpoint,
  LogConsistency,
  LogEpochs,
  Key,
  KeyCreate,
  MintedKey,
  RotatedKey,
  Caller,
  IdempotencyState,
  Enablement,
  RequestLogEntry,
  RequestLogDetail,
  Sandbox,
  SandboxCreate,
  MintedSandbox,
  EventEnvelope,
  Webhook,
  WebhookCreate,
  WebhookEdit,
  WebhookWithLastDay,
  WebhookWithSecret,
  PingResult,
  Delivery,
  DeliveryWithAttempts,
  Recover,
  Recovered,
  FinanceSetup,
  FinanceSetupUpdate,
  FinanceListing,
  FinanceListingCreate,
  DemoListing,
  FinanceOffer,
  FinanceOfferCreate,
  FinanceOfferAccept,
  FinanceAcceptedOffer,
  FinanceAgreement,
  FinanceAgreementWithdrawal,
  FinanceRepayment,
  FinanceRepaymentRequest,
  FinanceAuthorization,
  Event,
  DocumentsCsvResponse,
  PaymentsCsvResponse,
  TreasuryStatementResponse,
  SpecificationGetResponse,
  DocumentsListQuery,
  DocumentsRenderQuery,
  DocumentsChecksQuery,
  DocumentsCsvQuery,
  SearchQuery,
  StatisticsGetQuery,
  AttachmentsListQuery,
  DocumentsCommentsListQuery,
  ConnectionsListQuery,
  PaymentsListQuery,
  PaymentsCsvQuery,
  ApprovalsListQuery,
  ApprovalRulesListQuery,
  TreasuryAccountsListQuery,
  TreasuryBalancesListQuery,
  TreasuryTransactionsListQuery,
  TreasuryStatementQuery,
  FinanceListingsListQuery,
  FinanceOffersListQuery,
  FinanceAgreementsListQuery,
  EventsListQuery,
  WebhooksListQuery,
  DeliveriesListQuery,
  LogConsistencyQuery,
  KeysListQuery,
  MembersListQuery,
  InvitationsListQuery,
  AuditListQuery,
  SavedViewsListQuery,
  RequestsListQuery,
  SandboxesListQuery,
} from './types.ts'

export interface DocumentsCommentsResource {
  /**
   * List the comments on a document, newest first.
   *
   * Those of your own organization; the other side has its own.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: sandbox_isolation, not_found.
   * @example
   * for await (const row of docex.documents.comments.list(id)) console.log(row)
   */
  list(id: string, query?: DocumentsCommentsListQuery, options?: ReadOptions): ListPromise<DocumentComment>
  /**
   * Comment on a document.
   *
   * Only your own organization sees it, in any state of the document. It is no part of the
   * record: the revision stays, and nobody is told.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.documents.comments.create(id, { text: 'Two shelves came with scratches: do not pay before they are replaced.' })
   */
  create(id: string, body: DocumentCommentCreate, options?: WriteOptions): ApiPromise<DocumentComment>
}

export interface DocumentsResource {
  readonly comments: DocumentsCommentsResource
  /**
   * List documents, newest first.
   *
   * Overdue: `query=is:overdue`. To catch up: `sort=updated`, `updated_since`. `query` searches:
   * every search word must be the beginning of a word in the numbers, references, counterparty
   * name, line descriptions, SKUs or notes; names tolerate a typing error, and operators narrow
   * it: `status:paid total:>1000`. Read until `next_cursor` is null.
   *
   * Access: an API key with `documents:read`, or a session.
   * @example
   * for await (const row of docex.documents.list()) console.log(row)
   */
  list(query?: DocumentsListQuery, options?: ReadOptions): ListPromise<DocumentRecord>
  /**
   * Everything that has changed since then, oldest change first: once per change seen, and once each
   * when nothing changes meanwhile. Start the next sweep with the newest `updated_at` of this one.
   * @example
   * for await (const one of docex.documents.changes({ since })) console.log(one.id)
   */
  changes(query?: Omit<DocumentsListQuery, 'sort' | 'updated_since'> & { since?: string | Date | undefined }, options?: ReadOptions): AsyncGenerator<DocumentRecord, void, undefined>
  /**
   * Create a draft.
   *
   * The calling organization becomes the issuer, and only it can see the draft. The service
   * assigns the number and derives the totals and whichever of `payment_terms` and `due_date` is
   * missing.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: not_found, conflict, sandbox_quota.
   * @example
   * await docex.documents.create({ connection_id: 'con_01kbm9s2y8f7tbn1w5q0c4x6rz', document_type: 'invoice', line_items: [ { description: 'Oak shelf, 1.8 m', quantity: 12, unit_price: 89.5, tax_rate: 0.08, sku: 'OAK-180', discount_type: 'percent', discount_value: 10 }, { description: 'Delivery', quantity: 1, unit_price: 45, tax_rate: 0 } ] })
   */
  create(body: DocumentCreate, options?: WriteOptions): ApiPromise<DocumentRecord>
  /**
   * Retrieve a document.
   *
   * Returns the record in the projection of the calling organization: an Invoice for one side, a
   * Bill for the other.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: sandbox_isolation, not_found.
   * @example
   * await docex.documents.get(id)
   */
  get(id: string, options?: ReadOptions): ApiPromise<DocumentRecord>
  /**
   * Edit a draft.
   *
   * Only drafts can be edited. Line items and maps are replaced as a whole, and all totals are
   * recalculated.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: sandbox_isolation, not_found, conflict, precondition_failed.
   * @example
   * await docex.documents.update(id, { notes: 'Delivered on 20 November.' })
   */
  update(id: string, body?: DocumentEdit, options?: ChangeOptions): ApiPromise<DocumentRecord>
  /**
   * Issue a draft to the counterparty.
   *
   * Moves the draft to the entry state of its type. From then on, the counterparty can see the
   * same record in its own projection, and its content never changes.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: sandbox_isolation, not_found, conflict, precondition_failed.
   * @example
   * await docex.documents.issue(id)
   */
  issue(id: string, options?: ChangeOptions): ApiPromise<DocumentRecord>
  /**
   * Move a document to another state.
   *
   * The state machine of the document type defines which transitions each side can make. An
   * illegal transition is refused with 409, with the legal targets in `details.allowed`. Targets
   * that execute a payment also require payments:write.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, payment_limit_exceeded, not_found,
   * conflict, precondition_failed, sandbox_quota.
   * @example
   * await docex.documents.transition(id, { to: 'approved' })
   */
  transition(id: string, body: TransitionRequest, options?: ChangeOptions): ApiPromise<DocumentRecord>
  /**
   * List the possible transitions.
   *
   * Returns the transitions that the caller can make now, with the scopes that each requires, and
   * the side that the document is waiting on.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: sandbox_isolation, not_found.
   * @example
   * await docex.documents.transitions(id)
   */
  transitions(id: string, options?: ReadOptions): ApiPromise<Transitions>
  /**
   * Convert a document.
   *
   * Creates a draft from another document: an order or invoice from a quote or contract; an
   * invoice, delivery note or goods receipt from an order; a credit note from an invoice. Lines,
   * currency and terms are copied unless you send others, and the draft refers to its source,
   * which changes only when the draft is issued. If refused, `details.allowed` lists what it can
   * become.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: sandbox_isolation, not_found, conflict, precondition_failed.
   * @example
   * await docex.documents.convert(id, { document_type: 'credit_note' })
   */
  convert(id: string, body: DocumentConvert, options?: ChangeOptions): ApiPromise<DocumentRecord>
  /**
   * Import a file as a draft.
   *
   * Takes UBL 2.1 invoices and credit notes, CII, PDFs that carry CII (Factur-X, ZUGFeRD), or CSV
   * as `format=csv` writes it. The seller in the file must be you. Amounts are never adjusted: a
   * file that does not add up is refused with the rule that it breaks. `import` says what was
   * understood and what was not; try it with `Svc-Dry-Run`.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: not_found, conflict, sandbox_quota.
   * @example
   * await docex.documents.import({ filename: 'order.pdf', content })
   */
  import(file: FileInput, options?: WriteOptions): ApiPromise<DocumentRecord>
  /**
   * Export a document.
   *
   * As it was issued, the same bytes for both sides: `ubl` is UBL 2.1 (invoices and credit notes
   * as Peppol BIS Billing 3.0, orders and delivery notes as Peppol BIS 3, quotes and goods
   * receipts), `cii` the Cross Industry Invoice (EN 16931), `peppol_cii` the same addressed to
   * receivers in the Peppol network, `pdf` a tagged PDF/A-3 that carries `cii` if the profiles
   * are complete, `facturx` one that always does. Our own tests assert PDF/A; no independent
   * validator has checked it. `invoice_response` is what the buyer has answered to an invoice or
   * credit note, by its state (Peppol BIS Invoice Response 3); a state that has no response is
   * refused with 409 `conflict` (`not_exportable`). With `proof=1`, which needs
   * `provenance:read`, the PDF also carries the caller’s proof bundle and prints its digest; the
   * published verifiers take the PDF as it is. `Accept` chooses where `format` does not; a media
   * type with parameters, such as `text/csv; charset=utf-8`, needs parameters that are true of
   * it. Drafts and sandbox documents are marked.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: sandbox_isolation, not_found, not_acceptable, conflict, integrity_failure.
   * @example
   * await docex.documents.render(id)
   */
  render(id: string, query?: DocumentsRenderQuery, options?: ReadOptions): ApiPromise<RenderedDocument>
  /**
   * Check a document before its export.
   *
   * Says which rules of EN 16931, and for `ubl`, `peppol_cii` and `invoice_response` of Peppol,
   * the export would break, also of a draft; for `pdf` and `facturx`, also the first text that
   * their font cannot show. Issuing never refuses for it.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: sandbox_isolation, not_found, not_acceptable, integrity_failure.
   * @example
   * await docex.documents.checks(id, { format: 'ubl' })
   */
  checks(id: string, query: DocumentsChecksQuery, options?: ReadOptions): ApiPromise<ExportChecks>
  /**
   * Download the document list as CSV.
   *
   * The rows and the order of documents.list with the same filters; a column is a field of its
   * rows. At most 100000 rows: more are refused.
   *
   * Access: an API key with `documents:read`, or a session.
   * @example
   * await docex.documents.csv()
   */
  csv(query?: DocumentsCsvQuery, options?: ReadOptions): ApiPromise<DocumentsCsvResponse>
  /**
   * Pay the whole balance of a document.
   *
   * Safe to repeat at any time, with the same or another Idempotency-Key. While a payment is in
   * progress, and after it has settled, the response is the document with that payment, never
   * with a second one. A scheduled payment is executed now. `payment` and the events
   * payment.settled and payment.failed show the outcome.
   *
   * Access: an API key with `documents:write` and `payments:write`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, payment_limit_exceeded, not_found,
   * conflict, precondition_failed, sandbox_quota.
   * @example
   * await docex.documents.pay(id)
   */
  pay(id: string, body?: PayRequest, options?: ChangeOptions): ApiPromise<DocumentRecord>
  /**
   * Retrieve the verified history.
   *
   * Returns every change to the document, oldest first, verified for this very response: the hash
   * chain, the commitments, a replay against the current record, and the inclusion in the signed
   * log. A step that only the other side may read is sealed: you learn that it exists. A record
   * that does not verify is not returned: the response is 500 `integrity_failure`, and the
   * document is put on hold.
   *
   * Access: an API key with `provenance:read`, or a session.
   * Errors: sandbox_isolation, not_found, integrity_failure.
   * @example
   * await docex.documents.history(id)
   */
  history(id: string, options?: ReadOptions): ApiPromise<DocumentHistory>
  /**
   * Retrieve the verified lineage.
   *
   * Returns the documents that this one was made from and those made from it, each verified like
   * a history, the payments that settled them, and the links between them. A link is recorded in
   * both histories and pins the exact version of the other document; a payment is pinned by the
   * event in which it settled. A sealed step shows only that something exists, since when, and
   * who can open it.
   *
   * Access: an API key with `provenance:read`, or a session.
   * Errors: sandbox_isolation, not_found, integrity_failure.
   * @example
   * await docex.documents.lineage(id)
   */
  lineage(id: string, options?: ReadOptions): ApiPromise<Lineage>
  /**
   * Export a proof bundle.
   *
   * Returns one canonical JSON file that anyone can verify offline with the published
   * `verify-bundle.mjs` or `verify_bundle.py`. The same head of the document and the same viewer
   * always result in the same bytes. `Svc-Bundle-Digest` is the SHA-256 of the exact bytes in
   * hex, and so is the `ETag`. If the last change is not in the log yet, the request waits for it
   * for up to 5 seconds.
   *
   * Access: an API key with `provenance:read`, or a session.
   * Errors: sandbox_isolation, not_found, integrity_failure.
   * @example
   * await docex.documents.export(id)
   */
  export(id: string, options?: ReadOptions): Promise<Proof>
  /**
   * Retrieve the signed receipt of an event.
   *
   * Returns the proof that one event of the document is in the log, in canonical JSON: its
   * header, its place and the first checkpoint that covers it. The header is what `Svc-Event` has
   * the hash of; it shows no content. Both sides get the same bytes, and they never change. If
   * the event is not in the log yet, the request waits for it for up to 5 seconds.
   *
   * Access: an API key with `provenance:read`, or a session.
   * Errors: sandbox_isolation, not_found, integrity_failure.
   * @example
   * await docex.documents.receipt(id, seq)
   */
  receipt(id: string, seq: number, options?: ReadOptions): ApiPromise<Receipt>
}

export interface StatisticsResource {
  /**
   * Add up documents, payments, loans or calls by period, status or age.
   *
   * Sums for charts, as of now, by currency. A metric without amounts answers `counts`, the
   * others `points`.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: capability_unavailable.
   * @example
   * await docex.statistics.get({ metric: 'cash_flow' })
   */
  get(query: StatisticsGetQuery, options?: ReadOptions): ApiPromise<Statistics>
}

export interface AttachmentsResource {
  /**
   * List the attachments of a document, newest first.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: sandbox_isolation, not_found.
   * @example
   * for await (const row of docex.attachments.list(id)) console.log(row)
   */
  list(id: string, query?: AttachmentsListQuery, options?: ReadOptions): ListPromise<Attachment>
  /**
   * Attach a file to a document.
   *
   * Either side can attach files to a document that it can see, in any state; attachments of a
   * draft become visible to the counterparty when it is issued. The history of the document
   * records the file, so its `revision` and `updated_at` move. A retry with the same
   * Idempotency-Key is replayed if the name, media type and bytes of the file are the same.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.attachments.create(id, { filename: 'order.pdf', content })
   */
  create(id: string, file: FileInput, options?: WriteOptions): ApiPromise<Attachment>
  /**
   * Retrieve an attachment with its download link.
   *
   * Anyone with the link can download the file without a key for five minutes. Retrieve the
   * attachment again for a new link.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: sandbox_isolation, not_found.
   * @example
   * await docex.attachments.get(id, attachmentId)
   */
  get(id: string, attachmentId: string, options?: ReadOptions): ApiPromise<AttachmentLink>
}

export interface ConnectionsResource {
  /**
   * List connections, newest first.
   *
   * Returns connections and invitations, sent or received. A session also sees the invitations to
   * the e-mail address of its user.
   *
   * Access: an API key with `documents:read`, or a session.
   * @example
   * for await (const row of docex.connections.list()) console.log(row)
   */
  list(query?: ConnectionsListQuery, options?: ReadOptions): ListPromise<Connection>
  /**
   * Send an invitation.
   *
   * Invites an organization by its id, or a person by e-mail, who sees the invitation after
   * signing in, and gets a notice where the deployment has a mail server. Documents can be
   * exchanged once the invitation is accepted.
   *
   * Access: an admin session only.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.connections.create({ email: 'orders@harbour-cafe.example' })
   */
  create(body?: ConnectionCreate, options?: WriteOptions): ApiPromise<Connection>
  /**
   * Retrieve a connection.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: sandbox_isolation, not_found.
   * @example
   * await docex.connections.get(id)
   */
  get(id: string, options?: ReadOptions): ApiPromise<Connection>
  /**
   * Accept an invitation.
   *
   * Only the invited side can accept. From then on, both sides can create documents on the
   * connection.
   *
   * Access: an admin session only.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.connections.accept(id)
   */
  accept(id: string, options?: WriteOptions): ApiPromise<Connection>
  /**
   * Decline an invitation.
   *
   * Only the invited side can decline. Declining is final: a later invitation creates a new
   * connection.
   *
   * Access: an admin session only.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.connections.decline(id)
   */
  decline(id: string, options?: WriteOptions): ApiPromise<Connection>
  /**
   * End a connection or withdraw an invitation.
   *
   * Either side can end a connection. An ended connection accepts no new documents, and its
   * drafts cannot be issued; documents that both sides have seen continue.
   *
   * Access: an admin session only.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.connections.end(id)
   */
  end(id: string, options?: WriteOptions): ApiPromise<Connection>
}

export interface PaymentsResource {
  /**
   * List payments, newest first.
   *
   * Returns the payments that the organization makes and those that it receives. `GET
   * /v1/documents?id=` reads their documents in one call. To catch up on changes, use
   * `sort=updated` with `updated_since`.
   *
   * Access: an API key with `payments:read`, or a session.
   * @example
   * for await (const row of docex.payments.list()) console.log(row)
   */
  list(query?: PaymentsListQuery, options?: ReadOptions): ListPromise<Payment>
  /**
   * Everything that has changed since then, oldest change first: once per change seen, and once each
   * when nothing changes meanwhile. Start the next sweep with the newest `updated_at` of this one.
   * @example
   * for await (const one of docex.payments.changes({ since })) console.log(one.id)
   */
  changes(query?: Omit<PaymentsListQuery, 'sort' | 'updated_since'> & { since?: string | Date | undefined }, options?: ReadOptions): AsyncGenerator<Payment, void, undefined>
  /**
   * Retrieve a payment.
   *
   * Access: an API key with `payments:read`, or a session.
   * Errors: sandbox_isolation, not_found.
   * @example
   * await docex.payments.get(id)
   */
  get(id: string, options?: ReadOptions): ApiPromise<Payment>
  /**
   * Download the payment list as CSV.
   *
   * The rows and the order of payments.list with the same filters; a column is a field of its
   * rows, and `document_number` and `counterparty.name` are those of the document that is paid.
   * At most 100000 rows: more are refused.
   *
   * Access: an API key with `payments:read`, or a session.
   * @example
   * await docex.payments.csv()
   */
  csv(query?: PaymentsCsvQuery, options?: ReadOptions): ApiPromise<PaymentsCsvResponse>
}

export interface ApprovalsResource {
  /**
   * List approvals, newest first.
   *
   * A session sees those of the organization, a key those it has asked for.
   *
   * Access: any API key or session.
   * @example
   * for await (const row of docex.approvals.list()) console.log(row)
   */
  list(query?: ApprovalsListQuery, options?: ReadOptions): ListPromise<Approval>
  /**
   * Retrieve an approval.
   *
   * Access: any API key or session.
   * Errors: sandbox_isolation, not_found.
   * @example
   * await docex.approvals.get(id)
   */
  get(id: string, options?: ReadOptions): ApiPromise<Approval>
  /**
   * Approve what waits, by its digest.
   *
   * Of another person than the one who asked, or who made the key that asked. The write runs when
   * it is sent again.
   *
   * Access: a session of an owner, admin or approver.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.approvals.approve(id, { digest: 'sha256:5f1d7a84db00d2fce00b31a7fc73224f9a3c1f0b8d7e6a5c4b3a29180f7e6d5c' })
   */
  approve(id: string, body: ApprovalConsent, options?: WriteOptions): ApiPromise<Approval>
  /**
   * Decline what waits.
   *
   * Also takes an approval back that has not been used.
   *
   * Access: a session of an owner, admin or approver.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.approvals.decline(id, { reason: 'Paid by card already' })
   */
  decline(id: string, body?: ApprovalDecline, options?: WriteOptions): ApiPromise<Approval>
}

export interface ApprovalRulesResource {
  /**
   * List approval rules, newest first.
   *
   * Access: an admin session only.
   * @example
   * for await (const row of docex.approvalRules.list()) console.log(row)
   */
  list(query?: ApprovalRulesListQuery, options?: ReadOptions): ListPromise<ApprovalRule>
  /**
   * Create an approval rule.
   *
   * Binds sessions, and keys with requires_approval or beyond requires_approval_above. Everyone
   * who asks needs others to approve.
   *
   * Access: an admin session only.
   * Errors: not_found, conflict.
   * @example
   * await docex.approvalRules.create({ name: 'Large payments', when: { operation: 'documents.pay', amount_above: 5000, currency: 'USD' } })
   */
  create(body: ApprovalRuleCreate, options?: WriteOptions): ApiPromise<ApprovalRule>
  /**
   * Change an approval rule.
   *
   * What waits already keeps the requirements with which it was asked.
   *
   * Access: an admin session only.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.approvalRules.update(id, { approvers: 3 })
   */
  update(id: string, body?: ApprovalRuleUpdate, options?: WriteOptions): ApiPromise<ApprovalRule>
  /**
   * Delete an approval rule.
   *
   * Returns the last record. What waits already still waits.
   *
   * Access: an admin session only.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.approvalRules.delete(id)
   */
  delete(id: string, options?: WriteOptions): ApiPromise<ApprovalRule>
  /**
   * Try the approval rules with a write.
   *
   * Says what a session would have to wait for. Changes nothing.
   *
   * Access: an admin session only.
   * Errors: conflict.
   * @example
   * await docex.approvalRules.test({ operation: 'documents.pay', amount: 12500, currency: 'USD' })
   */
  test(body: ApprovalRuleTest, options?: WriteOptions): ApiPromise<ApprovalRuleTestResult>
}

export interface TreasuryAccountsResource {
  /**
   * List accounts.
   *
   * Access: an API key with `treasury:read`, or a session.
   * Errors: capability_unavailable.
   * @example
   * for await (const row of docex.treasury.accounts.list()) console.log(row)
   */
  list(query?: TreasuryAccountsListQuery, options?: ReadOptions): ListPromise<Account>
  /**
   * Retrieve an account.
   *
   * Access: an API key with `treasury:read`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found.
   * @example
   * await docex.treasury.accounts.get(id)
   */
  get(id: string, options?: ReadOptions): ApiPromise<Account>
}

export interface TreasuryBalancesResource {
  /**
   * List balances, now or at a point in time.
   *
   * Access: an API key with `treasury:read`, or a session.
   * Errors: capability_unavailable.
   * @example
   * for await (const row of docex.treasury.balances.list()) console.log(row)
   */
  list(query?: TreasuryBalancesListQuery, options?: ReadOptions): ListPromise<Balance>
}

export interface TreasuryTransactionsResource {
  /**
   * List transactions, last posted first.
   *
   * Access: an API key with `treasury:read`, or a session.
   * Errors: capability_unavailable.
   * @example
   * for await (const row of docex.treasury.transactions.list()) console.log(row)
   */
  list(query?: TreasuryTransactionsListQuery, options?: ReadOptions): ListPromise<Transaction>
  /**
   * Retrieve a transaction.
   *
   * Access: an API key with `treasury:read`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found.
   * @example
   * await docex.treasury.transactions.get(id)
   */
  get(id: string, options?: ReadOptions): ApiPromise<Transaction>
}

export interface TreasuryResource {
  readonly accounts: TreasuryAccountsResource
  readonly balances: TreasuryBalancesResource
  readonly transactions: TreasuryTransactionsResource
  /**
   * Download a statement of an account.
   *
   * What was posted from one day to another, in the order of posting: the opening balance and all
   * entries add up to the closing balance. `camt053` is camt.053.001.08 of ISO 20022. Entries
   * name the number of their document and the other party. At most 100000 entries.
   *
   * Access: an API key with `treasury:read`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found.
   * @example
   * await docex.treasury.statement(id, { format: 'csv', from: '2026-11-21', to: '2026-11-21' })
   */
  statement(id: string, query: TreasuryStatementQuery, options?: ReadOptions): ApiPromise<TreasuryStatementResponse>
}

export interface FinanceSetupResource {
  /**
   * Retrieve the finance setup.
   *
   * `blockers` names what keeps the organization from borrowing or lending.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: capability_unavailable.
   * @example
   * await docex.finance.setup.get()
   */
  get(options?: ReadOptions): ApiPromise<FinanceSetup>
  /**
   * Set up borrowing and lending.
   *
   * A role that is enabled without an account takes the one of the default currency. Loans in
   * another currency use the account of the same purpose in that currency. An account that is
   * bound to an open agreement stays until that is closed.
   *
   * Access: an API key with `documents:write` and `payments:write`, or a session.
   * Errors: capability_unavailable, not_found, conflict.
   * @example
   * await docex.finance.setup.update({ borrower: { enabled: true } })
   */
  update(body?: FinanceSetupUpdate, options?: WriteOptions): ApiPromise<FinanceSetup>
}

export interface FinanceListingsResource {
  /**
   * List listings, newest first.
   *
   * Borrowers see their own listings; lenders see the open ones of the borrowers to whom they are
   * connected.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: capability_unavailable.
   * @example
   * for await (const row of docex.finance.listings.list()) console.log(row)
   */
  list(query?: FinanceListingsListQuery, options?: ReadOptions): ListPromise<FinanceListing>
  /**
   * Ask for a loan against an invoice.
   *
   * The invoice must be approved, with a due date that is not past and a balance that covers the
   * principal, and neither listed, pledged nor being paid. Lenders learn its currency, balance,
   * due date and status, and how many invoices look like it. A demo counterparty plays
   * `sandbox_scenario`, by default `offer_at_ask`.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found, conflict, sandbox_quota.
   * @example
   * await docex.finance.listings.create({ document_id: 'doc_01m85p1sxaebf92cw39gq1trw7', terms: { principal: 10000, fee: { type: 'bps', value: 250 }, grace_days: 7 } })
   */
  create(body: FinanceListingCreate, options?: WriteOptions): ApiPromise<FinanceListing>
  /**
   * Retrieve a listing.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found.
   * @example
   * await docex.finance.listings.get(id)
   */
  get(id: string, options?: ReadOptions): ApiPromise<FinanceListing>
  /**
   * Withdraw a listing.
   *
   * Its open offers lapse.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found, conflict.
   * @example
   * await docex.finance.listings.withdraw(id)
   */
  withdraw(id: string, options?: WriteOptions): ApiPromise<FinanceListing>
}

export interface FinanceOffersResource {
  /**
   * Offer a loan for a listing.
   *
   * At the ask of the listing, or at other terms. A later offer for the same listing supersedes
   * it. What the borrower would authorize is frozen with the offer, its cost included.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found, conflict.
   * @example
   * await docex.finance.offers.create(id, { kind: 'at_ask' })
   */
  create(id: string, body: FinanceOfferCreate, options?: WriteOptions): ApiPromise<FinanceOffer>
  /**
   * List offers, newest first.
   *
   * Returns the offers that the organization has made and those that it has received.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: capability_unavailable.
   * @example
   * for await (const row of docex.finance.offers.list()) console.log(row)
   */
  list(query?: FinanceOffersListQuery, options?: ReadOptions): ListPromise<FinanceOffer>
  /**
   * Retrieve an offer.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found.
   * @example
   * await docex.finance.offers.get(id)
   */
  get(id: string, options?: ReadOptions): ApiPromise<FinanceOffer>
  /**
   * Retrieve what accepting an offer authorizes.
   *
   * The exact bytes of the standing authorization, in the canonical form of RFC 8785. Their
   * SHA-256 is the digest that the borrower repeats to accept.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found.
   * @example
   * await docex.finance.offers.authorization(id)
   */
  authorization(id: string, options?: ReadOptions): ApiPromise<FinanceAuthorization>
  /**
   * Accept an offer, as the borrower.
   *
   * Repeats the digest of the standing authorization, and so authorizes what it says. In one step
   * the invoice is pledged, the other offers lapse, and the agreement begins with its three
   * documents.
   *
   * Access: an API key with `documents:write` and `payments:write`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found, conflict.
   * @example
   * await docex.finance.offers.accept(id, { authorization_digest: 'sha256:5ff50b766baf676683eb3c4b8a642face2639f38b24bc7fbbde5432d143d7dbb' })
   */
  accept(id: string, body: FinanceOfferAccept, options?: WriteOptions): ApiPromise<FinanceAcceptedOffer>
  /**
   * Decline an offer, as the borrower.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found, conflict.
   * @example
   * await docex.finance.offers.decline(id)
   */
  decline(id: string, options?: WriteOptions): ApiPromise<FinanceOffer>
  /**
   * Withdraw an offer, as the lender.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found, conflict.
   * @example
   * await docex.finance.offers.withdraw(id)
   */
  withdraw(id: string, options?: WriteOptions): ApiPromise<FinanceOffer>
}

export interface FinanceAgreementsResource {
  /**
   * List agreements, newest first.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: capability_unavailable.
   * @example
   * for await (const row of docex.finance.agreements.list()) console.log(row)
   */
  list(query?: FinanceAgreementsListQuery, options?: ReadOptions): ListPromise<FinanceAgreement>
  /**
   * Retrieve an agreement.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found.
   * @example
   * await docex.finance.agreements.get(id)
   */
  get(id: string, options?: ReadOptions): ApiPromise<FinanceAgreement>
  /**
   * Retrieve how far a loan is repaid.
   *
   * The latest payments and sweeps, oldest first.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found.
   * @example
   * await docex.finance.agreements.repayment(id)
   */
  repayment(id: string, options?: ReadOptions): ApiPromise<FinanceRepayment>
  /**
   * Repay what is owed now, as the borrower.
   *
   * The same as documents.pay on the repayment document: safe to repeat, and within the key's
   * payment_limits. Nothing is owed any more once it settles.
   *
   * Access: an API key with `documents:write` and `payments:write`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, payment_limit_exceeded, not_found,
   * conflict, sandbox_quota.
   * @example
   * await docex.finance.agreements.repay(id, { source_account_id: 'acct_test_async' })
   */
  repay(id: string, body?: FinanceRepaymentRequest, options?: WriteOptions): ApiPromise<FinanceRepayment>
  /**
   * Withdraw from an agreement that is not funded.
   *
   * Either party can, unless a payment of the disbursement is under way; also once the
   * disbursement was returned, if nothing was repaid. The disbursement and the repayment are
   * cancelled, and the pledge is released.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found, conflict.
   * @example
   * await docex.finance.agreements.withdraw(id, { reason: 'The order was cancelled.' })
   */
  withdraw(id: string, body?: FinanceAgreementWithdrawal, options?: WriteOptions): ApiPromise<FinanceAgreement>
  /**
   * Export the proof of a pledge.
   *
   * Returns one canonical JSON file that proves offline, with the published verifiers, that the
   * pledged invoice was approved, its balance and due date then, and that this pledge is the only
   * one. Of the invoice it opens nothing else. The same state of both documents always results in
   * the same bytes. If a last change is not in the log yet, the request waits for it for up to 5
   * seconds.
   *
   * Access: an API key with `provenance:read`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found, integrity_failure.
   * @example
   * await docex.finance.agreements.export(id)
   */
  export(id: string, options?: ReadOptions): Promise<Proof<PledgeProof>>
}

export interface FinanceResource {
  readonly setup: FinanceSetupResource
  readonly listings: FinanceListingsResource
  readonly offers: FinanceOffersResource
  readonly agreements: FinanceAgreementsResource
}

export interface EventsResource {
  /**
   * List the events of the feed.
   *
   * With `after`, the id of the last event that you have, returns the events committed since, in
   * commit order and without gaps. Without it, returns the newest events first.
   *
   * Access: an API key with `documents:read`, or a session.
   * @example
   * for await (const row of docex.events.list()) console.log(row)
   */
  list(query?: EventsListQuery, options?: ReadOptions): ListPromise<EventEnvelope>
  /**
   * Retrieve an event.
   *
   * Access: an API key with `documents:read`, or a session.
   * Errors: sandbox_isolation, not_found.
   * @example
   * await docex.events.get(id)
   */
  get(id: string, options?: ReadOptions): ApiPromise<EventEnvelope>
  /**
   * Follows the feed in commit order, without gaps, through outages, until the signal aborts.
   * @example
   * for await (const event of docex.events.follow({ after, signal })) console.log(event.type)
   */
  follow(options?: FollowOptions): AsyncGenerator<Event, void, undefined>
}

export interface WebhooksResource {
  /**
   * List webhook endpoints, newest first.
   *
   * Access: an admin session, or an API key with `webhooks:manage`.
   * @example
   * for await (const row of docex.webhooks.list()) console.log(row)
   */
  list(query?: WebhooksListQuery, options?: ReadOptions): ListPromise<Webhook>
  /**
   * Register a webhook endpoint.
   *
   * The endpoint receives every event that is committed from now on; deliveries.recover delivers
   * earlier events. The signing secret is shown once, in this response.
   *
   * Access: an admin session, or an API key with `webhooks:manage`.
   * Errors: conflict, sandbox_quota.
   * @example
   * await docex.webhooks.create({ url: 'https://example.com/webhooks' })
   */
  create(body: WebhookCreate, options?: WriteOptions): ApiPromise<WebhookWithSecret>
  /**
   * Retrieve a webhook endpoint.
   *
   * Access: an admin session, or an API key with `webhooks:manage`.
   * Errors: sandbox_isolation, not_found.
   * @example
   * await docex.webhooks.get(id)
   */
  get(id: string, options?: ReadOptions): ApiPromise<WebhookWithLastDay>
  /**
   * Update or re-enable a webhook endpoint.
   *
   * `status: ACTIVE` enables the endpoint again and resets its failure count. Deliveries that
   * were skipped in the meantime can be redelivered.
   *
   * Access: an admin session, or an API key with `webhooks:manage`.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.webhooks.update(id, { status: 'ACTIVE' })
   */
  update(id: string, body?: WebhookEdit, options?: WriteOptions): ApiPromise<Webhook>
  /**
   * Delete a webhook endpoint.
   *
   * Stops all deliveries to the endpoint and returns its last record.
   *
   * Access: an admin session, or an API key with `webhooks:manage`.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.webhooks.delete(id)
   */
  delete(id: string, options?: WriteOptions): ApiPromise<Webhook>
  /**
   * Rotate the signing secret.
   *
   * For 24 hours both secrets sign every delivery, the new one first. At most two secrets sign: a
   * second rotation within that time stops the oldest secret immediately. The new secret is shown
   * once, in this response.
   *
   * Access: an admin session, or an API key with `webhooks:manage`.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.webhooks.rotateSecret(id)
   */
  rotateSecret(id: string, options?: WriteOptions): ApiPromise<WebhookWithSecret>
  /**
   * Send a test event.
   *
   * Makes one real attempt, signed like every delivery, even to a DISABLED endpoint, and returns
   * its outcome. A success resets the failure count like any other; a failure never counts. At
   * most two pings of an endpoint run at once.
   *
   * Access: an admin session, or an API key with `webhooks:manage`.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.webhooks.ping(id)
   */
  ping(id: string, options?: WriteOptions): ApiPromise<PingResult>
}

export interface DeliveriesResource {
  /**
   * List the deliveries of an endpoint, newest first.
   *
   * Returns the deliveries of the last 30 days, including pings. Retrieve a single delivery to
   * see its attempts.
   *
   * Access: an admin session, or an API key with `webhooks:manage`.
   * Errors: sandbox_isolation, not_found.
   * @example
   * for await (const row of docex.deliveries.list(id)) console.log(row)
   */
  list(id: string, query?: DeliveriesListQuery, options?: ReadOptions): ListPromise<Delivery>
  /**
   * Retrieve a delivery with its attempts.
   *
   * Access: an admin session, or an API key with `webhooks:manage`.
   * Errors: sandbox_isolation, not_found.
   * @example
   * await docex.deliveries.get(id, deliveryId)
   */
  get(id: string, deliveryId: string, options?: ReadOptions): ApiPromise<DeliveryWithAttempts>
  /**
   * Redeliver an event.
   *
   * Sets the delivery to pending again: it sends the same bytes with the same `Svc-Webhook-Id`,
   * on a new retry schedule. Document texts that have been erased since are not sent again.
   *
   * Access: an admin session, or an API key with `webhooks:manage`.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.deliveries.redeliver(id, deliveryId)
   */
  redeliver(id: string, deliveryId: string, options?: WriteOptions): ApiPromise<Delivery>
  /**
   * Redeliver a range of events.
   *
   * Schedules every event of the range that was not successfully delivered to this endpoint:
   * events that failed, were skipped, were not subscribed to at the time or are older than the
   * endpoint. If `next_since` is not null, repeat the request from there.
   *
   * Access: an admin session, or an API key with `webhooks:manage`.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.deliveries.recover(id, { since: '2026-11-20T00:00:00Z' })
   */
  recover(id: string, body: Recover, options?: WriteOptions): ApiPromise<Recovered>
}

export interface LogResource {
  /**
   * Retrieve the log keys.
   *
   * Returns the public keys that sign the log of your environment. Save the response once, from a
   * network that you trust, as the `trust.json` of the verifier.
   *
   * Access: an API key with `provenance:read`, or a session.
   * @example
   * await docex.log.keys()
   */
  keys(options?: ReadOptions): ApiPromise<LogKeys>
  /**
   * Retrieve the newest checkpoint.
   *
   * Returns a C2SP checkpoint: the signed origin, size and root of the log. Keep the last
   * checkpoint that you have seen; with log.consistency you can prove that the log has only grown
   * since.
   *
   * Access: an API key with `provenance:read`, or a session.
   * Errors: integrity_failure.
   * @example
   * await docex.log.checkpoint()
   */
  checkpoint(options?: ReadOptions): ApiPromise<LogCheckpoint>
  /**
   * Prove that the log has only grown.
   *
   * Access: an API key with `provenance:read`, or a session.
   * Errors: integrity_failure.
   * @example
   * await docex.log.consistency({ from: 0, to: 0 })
   */
  consistency(query: LogConsistencyQuery, options?: ReadOptions): ApiPromise<LogConsistency>
  /**
   * Prove that the log continues its earlier epochs.
   *
   * A log whose database was restored from a backup begins a new epoch under another name. Its
   * first leaf holds the last checkpoint of the epoch before. `--epochs` of the verifier takes
   * this response, so that `--since` can compare bundles of two epochs.
   *
   * Access: an API key with `provenance:read`, or a session.
   * Errors: integrity_failure.
   * @example
   * await docex.log.epochs()
   */
  epochs(options?: ReadOptions): ApiPromise<LogEpochs>
}

export interface KeysResource {
  /**
   * List keys, newest first.
   *
   * Access: an admin session, or an API key with `keys:manage`.
   * @example
   * for await (const row of docex.keys.list()) console.log(row)
   */
  list(query?: KeysListQuery, options?: ReadOptions): ListPromise<Key>
  /**
   * Create a key.
   *
   * The secret is shown once, in this response; only its hash is stored. Scopes that the
   * organization does not have are stored, and take effect once it has them.
   *
   * Access: an admin session only.
   * Errors: conflict, sandbox_quota.
   * @example
   * await docex.keys.create({ name: 'Accounting export', scopes: [ 'documents:read', 'documents:write', 'payments:write' ] })
   */
  create(body: KeyCreate, options?: WriteOptions): ApiPromise<MintedKey>
  /**
   * Retrieve a key.
   *
   * Access: an admin session, or an API key with `keys:manage`.
   * Errors: not_found.
   * @example
   * await docex.keys.get(id)
   */
  get(id: string, options?: ReadOptions): ApiPromise<Key>
  /**
   * Rotate a key.
   *
   * Creates a replacement with the same name, scopes, limits, approval rule and signing key. The
   * old key keeps working until `previous.expires_at`, 24 hours later unless the deployment is
   * configured differently.
   *
   * Access: an admin session only.
   * Errors: not_found, conflict.
   * @example
   * await docex.keys.rotate(id)
   */
  rotate(id: string, options?: WriteOptions): ApiPromise<RotatedKey>
  /**
   * Revoke a key.
   *
   * Takes effect immediately and permanently. Revoking a revoked key returns the same record.
   *
   * Access: an admin session only.
   * Errors: not_found, conflict.
   * @example
   * await docex.keys.revoke(id)
   */
  revoke(id: string, options?: WriteOptions): ApiPromise<Key>
}

export interface OrganizationResource {
  /**
   * Retrieve the organization.
   *
   * With the profile that exports of its documents show.
   *
   * Access: an API key with `documents:read`, or a session.
   * @example
   * await docex.organization.get()
   */
  get(options?: ReadOptions): ApiPromise<Organization>
  /**
   * Change the profile.
   *
   * Documents issued from now on show it; those issued before keep what they were issued with.
   * What an export of theirs lacks is filled once, from the first change that has it.
   *
   * Access: an admin session only.
   * Errors: not_found, conflict, integrity_failure.
   * @example
   * await docex.organization.update({ profile: { vat_id: 'BE 0202.239.951', bank: { iban: 'BE68 5390 0754 7034', bic: 'GKCCBEBB' } } })
   */
  update(body: OrganizationUpdate, options?: WriteOptions): ApiPromise<Organization>
}

export interface MembersResource {
  /**
   * List members, newest first.
   *
   * Access: an admin session only.
   * @example
   * for await (const row of docex.members.list()) console.log(row)
   */
  list(query?: MembersListQuery, options?: ReadOptions): ListPromise<Member>
  /**
   * Change the role of a member.
   *
   * Takes effect on the next request of every session of the member. Only owners make, change or
   * remove owners, and the last owner stays.
   *
   * Access: an admin session only.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.members.update(userId, { role: 'approver' })
   */
  update(userId: string, body: MemberUpdate, options?: WriteOptions): ApiPromise<Member>
  /**
   * Remove a member.
   *
   * Ends all sessions of the member for this organization and the open invitations to the address
   * immediately, and returns the last record. Keys that the member created stay: revoke those
   * that should not.
   *
   * Access: an admin session only.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.members.remove(userId)
   */
  remove(userId: string, options?: WriteOptions): ApiPromise<Member>
}

export interface InvitationsResource {
  /**
   * List invitations of members, newest first.
   *
   * Returns invitations until a month after they expire.
   *
   * Access: an admin session only.
   * @example
   * for await (const row of docex.invitations.list()) console.log(row)
   */
  list(query?: InvitationsListQuery, options?: ReadOptions): ListPromise<MemberInvitation>
  /**
   * Invite a person to be a member.
   *
   * Replaces an open invitation of the same person. The token is shown once, in this response:
   * pass it on, and the person accepts at `POST /auth/invitations/accept` within 7 days. Where
   * the deployment has a mail server, the person also gets it by e-mail. Connection invitations
   * to an address are shown only to users for whose address the operator vouches.
   *
   * Access: an admin session only.
   * Errors: conflict.
   * @example
   * await docex.invitations.create({ email: 'grace@corner-shop.example', role: 'developer' })
   */
  create(body: InvitationCreate, options?: WriteOptions): ApiPromise<MintedInvitation>
  /**
   * Revoke an invitation.
   *
   * Immediate. Revoking again returns the same record.
   *
   * Access: an admin session only.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.invitations.revoke(id)
   */
  revoke(id: string, options?: WriteOptions): ApiPromise<MemberInvitation>
}

export interface AuditResource {
  /**
   * List what people did, newest first.
   *
   * Every sign-in, accepted invitation and write of a session, stored in the transaction that did
   * it. The entries are numbered without a gap, so that one that was changed or deleted is
   * noticed. A page may be short although there is a next one.
   *
   * Access: an admin session only.
   * @example
   * for await (const row of docex.audit.list()) console.log(row)
   */
  list(query?: AuditListQuery, options?: ReadOptions): ListPromise<AuditEntry>
}

export interface SavedViewsResource {
  /**
   * List your saved views, newest first.
   *
   * Access: a session only.
   * @example
   * for await (const row of docex.savedViews.list()) console.log(row)
   */
  list(query?: SavedViewsListQuery, options?: ReadOptions): ListPromise<SavedView>
  /**
   * Save a view.
   *
   * Only you see it, and only for this organization.
   *
   * Access: a session only.
   * Errors: conflict.
   * @example
   * await docex.savedViews.create({ name: 'To pay this week', list: 'documents', query: 'direction=received&status=approved' })
   */
  create(body: SavedViewCreate, options?: WriteOptions): ApiPromise<SavedView>
  /**
   * Change a saved view.
   *
   * Access: a session only.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.savedViews.update(id, { name: 'To pay' })
   */
  update(id: string, body?: SavedViewUpdate, options?: WriteOptions): ApiPromise<SavedView>
  /**
   * Delete a saved view.
   *
   * Returns the last record.
   *
   * Access: a session only.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.savedViews.delete(id)
   */
  delete(id: string, options?: WriteOptions): ApiPromise<SavedView>
}

export interface PreferencesResource {
  /**
   * Retrieve your preferences.
   *
   * Access: a session only.
   * @example
   * await docex.preferences.get()
   */
  get(options?: ReadOptions): ApiPromise<Preferences>
  /**
   * Change your preferences.
   *
   * They hold for you in every organization and on every device. Notices go out by e-mail where
   * the deployment has a mail server; invitations always do.
   *
   * Access: a session only.
   * Errors: conflict.
   * @example
   * await docex.preferences.update({ theme: 'dark' })
   */
  update(body?: PreferencesUpdate, options?: WriteOptions): ApiPromise<Preferences>
}

export interface RequestsResource {
  /**
   * List requests, newest first.
   *
   * Returns the requests of the organization in the last 30 days, without bodies, to help you
   * find mistakes. A request appears a second or two after its response. Under very high load,
   * some may be missing.
   *
   * Access: an admin session only.
   * @example
   * for await (const row of docex.requests.list()) console.log(row)
   */
  list(query?: RequestsListQuery, options?: ReadOptions): ListPromise<RequestLogEntry>
  /**
   * Retrieve a request.
   *
   * Returns what was answered to a request, by the `request_id` of its error or the `Request-Id`
   * of its response. A request appears a second or two after its response, and is kept for 30
   * days.
   *
   * Access: an admin session only.
   * Errors: not_found.
   * @example
   * await docex.requests.get(requestId)
   */
  get(requestId: string, options?: ReadOptions): ApiPromise<RequestLogDetail>
}

export interface SandboxesResource {
  /**
   * List practice pairs, newest first.
   *
   * Returns the practice pairs of the calling organization, or of the live organization that it
   * belongs to.
   *
   * Access: an admin session only.
   * @example
   * for await (const row of docex.sandboxes.list()) console.log(row)
   */
  list(query?: SandboxesListQuery, options?: ReadOptions): ListPromise<Sandbox>
  /**
   * Create a practice pair.
   *
   * Creates a sandbox organization, a demo counterparty, an active connection between them and
   * the first documents from the counterparty, like the pair of the first start. The calling user
   * owns both organizations. The owner of the pairs has a quota of them.
   *
   * Access: an admin session only.
   * Errors: conflict, sandbox_quota.
   * @example
   * await docex.sandboxes.create({ name: 'Trial' })
   */
  create(body?: SandboxCreate, options?: WriteOptions): ApiPromise<MintedSandbox>
}

export interface MeResource {
  /**
   * Retrieve the caller.
   *
   * Access: any API key or session.
   * @example
   * await docex.me.get()
   */
  get(options?: ReadOptions): ApiPromise<Caller>
}

export interface IdempotencyResource {
  /**
   * Retrieve the outcome of a write.
   *
   * Access: any API key or session.
   * Errors: not_found.
   * @example
   * await docex.idempotency.get(key)
   */
  get(key: string, options?: ReadOptions): ApiPromise<IdempotencyState>
}

export interface EnablementResource {
  /**
   * Retrieve the enabled families.
   *
   * Access: public, no credentials required.
   * @example
   * await docex.enablement.get()
   */
  get(options?: ReadOptions): ApiPromise<Enablement>
}

export interface SandboxClockResource {
  /**
   * Retrieve the sandbox clock.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: sandbox_isolation.
   * @example
   * await docex.sandbox.clock.get()
   */
  get(options?: ReadOptions): ApiPromise<Clock>
  /**
   * Move the sandbox clock forward.
   *
   * Moves both sides of the practice pair, and nobody else. Affects dates, due times, the delays
   * of the payment simulator and the demo counterparty, the day of daily_volume and expiries.
   * Everything that is due by the new time is processed before the response, each item as of its
   * due time: up to 500 items, beyond which the response is 503 and the same request continues. A
   * payment follows the clock of its payer, an offer lasts by the clock of its issuer, and
   * `overdue` follows the clock of whoever reads. Recorded times (`*_at`), events, keys and
   * idempotency keep the real time.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: sandbox_isolation, conflict.
   * @example
   * await docex.sandbox.clock.advance({ advance_by: 'P6D' })
   */
  advance(body?: ClockAdvance, options?: WriteOptions): ApiPromise<Clock>
}

export interface SandboxPaymentsResource {
  /**
   * Decide the outcome of a payment.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.sandbox.payments.simulate(id, { outcome: 'fail' })
   */
  simulate(id: string, body: Simulation, options?: WriteOptions): ApiPromise<Payment>
}

export interface SandboxDemoResource {
  /**
   * Receive a document from the demo counterparty.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: sandbox_isolation, conflict.
   * @example
   * await docex.sandbox.demo.createDocument({ document_type: 'invoice' })
   */
  createDocument(body: DemoDocument, options?: WriteOptions): ApiPromise<DocumentRecord>
  /**
   * Let the demo counterparty move a document.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.sandbox.demo.transition({ document_id: 'doc_01kbm9s346q3d25vt4f5v37e3s', to: 'approved' })
   */
  transition(body: DemoTransition, options?: WriteOptions): ApiPromise<DocumentRecord>
  /**
   * Let the demo counterparty ask for a loan.
   *
   * Lists a bill that you have approved, so that you can lend to the demo counterparty: make an
   * offer, and the scenario answers it.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: capability_unavailable, sandbox_isolation, not_found, conflict.
   * @example
   * await docex.sandbox.demo.createListing({ scenario: 'accept' })
   */
  createListing(body?: DemoListing, options?: WriteOptions): ApiPromise<FinanceListing>
}

export interface SandboxResource {
  readonly clock: SandboxClockResource
  readonly payments: SandboxPaymentsResource
  readonly demo: SandboxDemoResource
  /**
   * Add test money to an account.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: sandbox_isolation, not_found, conflict.
   * @example
   * await docex.sandbox.topup({ currency: 'EUR', amount: 2500 })
   */
  topup(body: TopUp, options?: WriteOptions): ApiPromise<Balance>
  /**
   * Reset the sandbox.
   *
   * Puts both sides of the practice pair back into the state of a new pair: the first documents,
   * full accounts, numbers from the beginning and the real time. Earlier records return 404. Keys
   * with their limits, sessions, webhook endpoints and the counts of daily quotas are kept.
   * Payments in progress are cancelled or fail first. Connections to other organizations end; the
   * others can still read the documents exchanged on them, but can no longer change them. Their
   * listings of what the pair owes are invalidated, and invoices that secure loans of the pair
   * are released.
   *
   * Access: an API key with `documents:write`, or a session.
   * Errors: sandbox_isolation, conflict.
   * @example
   * await docex.sandbox.reset()
   */
  reset(options?: WriteOptions): ApiPromise<Clock>
}

export interface SpecificationResource {
  /**
   * Retrieve this specification.
   *
   * Returns the OpenAPI 3.1 document of exactly what this deployment serves. `/v1/openapi.yaml`
   * is the same document as YAML, and `/auth/openapi.json` describes sign-in.
   *
   * Access: public, no credentials required.
   * @example
   * await docex.specification.get()
   */
  get(options?: ReadOptions): ApiPromise<SpecificationGetResponse>
}

export interface Docex {
  readonly documents: DocumentsResource
  readonly statistics: StatisticsResource
  readonly attachments: AttachmentsResource
  readonly connections: ConnectionsResource
  readonly payments: PaymentsResource
  readonly approvals: ApprovalsResource
  readonly approvalRules: ApprovalRulesResource
  readonly treasury: TreasuryResource
  readonly finance: FinanceResource
  readonly events: EventsResource
  readonly webhooks: WebhooksResource
  readonly deliveries: DeliveriesResource
  readonly log: LogResource
  readonly keys: KeysResource
  readonly organization: OrganizationResource
  readonly members: MembersResource
  readonly invitations: InvitationsResource
  readonly audit: AuditResource
  readonly savedViews: SavedViewsResource
  readonly preferences: PreferencesResource
  readonly requests: RequestsResource
  readonly sandboxes: SandboxesResource
  readonly me: MeResource
  readonly idempotency: IdempotencyResource
  readonly enablement: EnablementResource
  readonly sandbox: SandboxResource
  readonly specification: SpecificationResource
  /**
   * Search documents, connections, payments, keys, endpoints and requests.
   *
   * Returns the best results first: whole numbers and references, then amounts, beginnings,
   * parties, and texts. It finds what your scopes may read, and no more. Documents are found by
   * their total too, to the cent: `1,234.50`, `1.234,50`, `EUR 1234.50`. Payments are found by
   * their amount or id, requests by their id. Operators, such as `status:paid`, restrict it to
   * documents. If `has_more` is true, use `query` of the document list to find the others.
   *
   * Access: any API key or session.
   * @example
   * for await (const row of docex.search({ q: 'inv 42' })) console.log(row)
   */
  search(query: SearchQuery, options?: ReadOptions): ListPromise<SearchHit>
  /**
   * Follow the changes of documents and connections.
   *
   * Sends server-sent events, for as long as the credential lasts; a tool call returns what has
   * changed until now. The `data` of each is `{type, object, id, updated_at}`, the name of a
   * change without its content: load what it names as usual. Without `Last-Event-ID` it starts
   * now. `resync` means that changes may be missing: load everything again. Changes of
   * connections are sent once, without a replay.
   *
   * Access: an API key with `documents:read`, or a session.
   * @example
   * for await (const { type, id } of docex.stream()) console.log(type, id)
   */
  stream(options?: StreamOptions): AsyncGenerator<DocumentChange, void, undefined>
}

const methods = {
  search: f.search,
  stream: f.stream,
  documents: { list: f.documentsList, changes: f.documentsChanges, create: f.documentsCreate, get: f.documentsGet, update: f.documentsUpdate, issue: f.documentsIssue, transition: f.documentsTransition, transitions: f.documentsTransitions, convert: f.documentsConvert, import: f.documentsImport, render: f.documentsRender, checks: f.documentsChecks, csv: f.documentsCsv, pay: f.documentsPay, history: f.documentsHistory, lineage: f.documentsLineage, export: f.documentsExport, receipt: f.documentsReceipt, comments: { list: f.documentsCommentsList, create: f.documentsCommentsCreate } },
  statistics: { get: f.statisticsGet },
  attachments: { list: f.attachmentsList, create: f.attachmentsCreate, get: f.attachmentsGet },
  connections: { list: f.connectionsList, create: f.connectionsCreate, get: f.connectionsGet, accept: f.connectionsAccept, decline: f.connectionsDecline, end: f.connectionsEnd },
  payments: { list: f.paymentsList, changes: f.paymentsChanges, get: f.paymentsGet, csv: f.paymentsCsv },
  approvals: { list: f.approvalsList, get: f.approvalsGet, approve: f.approvalsApprove, decline: f.approvalsDecline },
  approvalRules: { list: f.approvalRulesList, create: f.approvalRulesCreate, update: f.approvalRulesUpdate, delete: f.approvalRulesDelete, test: f.approvalRulesTest },
  treasury: { statement: f.treasuryStatement, accounts: { list: f.treasuryAccountsList, get: f.treasuryAccountsGet }, balances: { list: f.treasuryBalancesList }, transactions: { list: f.treasuryTransactionsList, get: f.treasuryTransactionsGet } },
  finance: { setup: { get: f.financeSetupGet, update: f.financeSetupUpdate }, listings: { list: f.financeListingsList, create: f.financeListingsCreate, get: f.financeListingsGet, withdraw: f.financeListingsWithdraw }, offers: { create: f.financeOffersCreate, list: f.financeOffersList, get: f.financeOffersGet, authorization: f.financeOffersAuthorization, accept: f.financeOffersAccept, decline: f.financeOffersDecline, withdraw: f.financeOffersWithdraw }, agreements: { list: f.financeAgreementsList, get: f.financeAgreementsGet, repayment: f.financeAgreementsRepayment, repay: f.financeAgreementsRepay, withdraw: f.financeAgreementsWithdraw, export: f.financeAgreementsExport } },
  events: { list: f.eventsList, get: f.eventsGet, follow: eventsFollow },
  webhooks: { list: f.webhooksList, create: f.webhooksCreate, get: f.webhooksGet, update: f.webhooksUpdate, delete: f.webhooksDelete, rotateSecret: f.webhooksRotateSecret, ping: f.webhooksPing },
  deliveries: { list: f.deliveriesList, get: f.deliveriesGet, redeliver: f.deliveriesRedeliver, recover: f.deliveriesRecover },
  log: { keys: f.logKeys, checkpoint: f.logCheckpoint, consistency: f.logConsistency, epochs: f.logEpochs },
  keys: { list: f.keysList, create: f.keysCreate, get: f.keysGet, rotate: f.keysRotate, revoke: f.keysRevoke },
  organization: { get: f.organizationGet, update: f.organizationUpdate },
  members: { list: f.membersList, update: f.membersUpdate, remove: f.membersRemove },
  invitations: { list: f.invitationsList, create: f.invitationsCreate, revoke: f.invitationsRevoke },
  audit: { list: f.auditList },
  savedViews: { list: f.savedViewsList, create: f.savedViewsCreate, update: f.savedViewsUpdate, delete: f.savedViewsDelete },
  preferences: { get: f.preferencesGet, update: f.preferencesUpdate },
  requests: { list: f.requestsList, get: f.requestsGet },
  sandboxes: { list: f.sandboxesList, create: f.sandboxesCreate },
  me: { get: f.meGet },
  idempotency: { get: f.idempotencyGet },
  enablement: { get: f.enablementGet },
  sandbox: { topup: f.sandboxTopup, reset: f.sandboxReset, clock: { get: f.sandboxClockGet, advance: f.sandboxClockAdvance }, payments: { simulate: f.sandboxPaymentsSimulate }, demo: { createDocument: f.sandboxDemoCreateDocument, transition: f.sandboxDemoTransition, createListing: f.sandboxDemoCreateListing } },
  specification: { get: f.specificationGet },
}

/**
 * Every operation of the service, by resource. A method names the errors that are its own; every
 * call can also fail with invalid_request, unauthorized, forbidden, not_enabled, insufficient_scope, rate_limited, internal_error, service_unavailable; every
 * write with idempotency_conflict, payload_too_large, unsupported_media_type.
 */
export class Docex {
  constructor(options: ClientOptions = {}) {
    Object.assign(this, withClient(createClient(options), methods))
  }
}
