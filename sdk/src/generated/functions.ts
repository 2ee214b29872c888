/** Generated from the operations by `npm run generate`: do not edit. */
import { type Standalone, exporting, following, listing, operation, sweep } from '../operation.ts'
import type {
  DocumentsResource,
  Docex,
  StatisticsResource,
  AttachmentsResource,
  DocumentsCommentsResource,
  ConnectionsResource,
  PaymentsResource,
  ApprovalsResource,
  ApprovalRulesResource,
  TreasuryAccountsResource,
  TreasuryBalancesResource,
  TreasuryTransactionsResource,
  TreasuryResource,
  FinanceSetupResource,
  FinanceListingsResource,
  FinanceOffersResource,
  FinanceAgreementsResource,
  EventsResource,
  WebhooksResource,
  DeliveriesResource,
  LogResource,
  KeysResource,
  OrganizationResource,
  MembersResource,
  InvitationsResource,
  AuditResource,
  SavedViewsResource,
  PreferencesResource,
  RequestsResource,
  SandboxesResource,
  MeResource,
  IdempotencyResource,
  EnablementResource,
  SandboxClockResource,
  SandboxResource,
  SandboxPaymentsResource,
  SandboxDemoResource,
  SpecificationResource,
} from './resources.ts'

/** List documents, newest first. */
export const documentsList: Standalone<DocumentsResource['list']> =
  /* @__PURE__ */ listing('/v1/documents', 'query')

/** Everything that has changed, oldest change first. */
export const documentsChanges: Standalone<DocumentsResource['changes']> =
  /* @__PURE__ */ sweep('/v1/documents')

/** Create a draft. */
export const documentsCreate: Standalone<DocumentsResource['create']> =
  /* @__PURE__ */ operation('POST', '/v1/documents', 'body')

/** Retrieve a document. */
export const documentsGet: Standalone<DocumentsResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/documents/{id}')

/** Edit a draft. */
export const documentsUpdate: Standalone<DocumentsResource['update']> =
  /* @__PURE__ */ operation('PATCH', '/v1/documents/{id}', 'body')

/** Issue a draft to the counterparty. */
export const documentsIssue: Standalone<DocumentsResource['issue']> =
  /* @__PURE__ */ operation('POST', '/v1/documents/{id}/issue')

/** Move a document to another state. */
export const documentsTransition: Standalone<DocumentsResource['transition']> =
  /* @__PURE__ */ operation('POST', '/v1/documents/{id}/transition', 'body')

/** List the possible transitions. */
export const documentsTransitions: Standalone<DocumentsResource['transitions']> =
  /* @__PURE__ */ operation('GET', '/v1/documents/{id}/transitions')

/** Convert a document. */
export const documentsConvert: Standalone<DocumentsResource['convert']> =
  /* @__PURE__ */ operation('POST', '/v1/documents/{id}/convert', 'body')

/** Import a file as a draft. */
export const documentsImport: Standalone<DocumentsResource['import']> =
  /* @__PURE__ */ operation('POST', '/v1/documents/import', 'file')

/** Export a document. */
export const documentsRender: Standalone<DocumentsResource['render']> =
  /* @__PURE__ */ operation('GET', '/v1/documents/{id}/render', 'query')

/** Check a document before its export. */
export const documentsChecks: Standalone<DocumentsResource['checks']> =
  /* @__PURE__ */ operation('GET', '/v1/documents/{id}/checks', 'query')

/** Download the document list as CSV. */
export const documentsCsv: Standalone<DocumentsResource['csv']> =
  /* @__PURE__ */ operation('GET', '/v1/documents.csv', 'query')

/** Search documents, connections, payments, keys, endpoints and requests. */
export const search: Standalone<Docex['search']> =
  /* @__PURE__ */ listing('/v1/search', 'query')

/** Add up documents, payments, loans or calls by period, status or age. */
export const statisticsGet: Standalone<StatisticsResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/statistics', 'query')

/** Follow the changes of documents and connections. */
export const stream: Standalone<Docex['stream']> =
  /* @__PURE__ */ following('/v1/stream')

/** List the attachments of a document, newest first. */
export const attachmentsList: Standalone<AttachmentsResource['list']> =
  /* @__PURE__ */ listing('/v1/documents/{id}/attachments', 'query')

/** Attach a file to a document. */
export const attachmentsCreate: Standalone<AttachmentsResource['create']> =
  /* @__PURE__ */ operation('POST', '/v1/documents/{id}/attachments', 'file')

/** Retrieve an attachment with its download link. */
export const attachmentsGet: Standalone<AttachmentsResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/documents/{id}/attachments/{attachment_id}')

/** List the comments on a document, newest first. */
export const documentsCommentsList: Standalone<DocumentsCommentsResource['list']> =
  /* @__PURE__ */ listing('/v1/documents/{id}/comments', 'query')

/** Comment on a document. */
export const documentsCommentsCreate: Standalone<DocumentsCommentsResource['create']> =
  /* @__PURE__ */ operation('POST', '/v1/documents/{id}/comments', 'body')

/** List connections, newest first. */
export const connectionsList: Standalone<ConnectionsResource['list']> =
  /* @__PURE__ */ listing('/v1/connections', 'query')

/** Send an invitation. */
export const connectionsCreate: Standalone<ConnectionsResource['create']> =
  /* @__PURE__ */ operation('POST', '/v1/connections', 'body')

/** Retrieve a connection. */
export const connectionsGet: Standalone<ConnectionsResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/connections/{id}')

/** Accept an invitation. */
export const connectionsAccept: Standalone<ConnectionsResource['accept']> =
  /* @__PURE__ */ operation('POST', '/v1/connections/{id}/accept')

/** Decline an invitation. */
export const connectionsDecline: Standalone<ConnectionsResource['decline']> =
  /* @__PURE__ */ operation('POST', '/v1/connections/{id}/decline')

/** End a connection or withdraw an invitation. */
export const connectionsEnd: Standalone<ConnectionsResource['end']> =
  /* @__PURE__ */ operation('POST', '/v1/connections/{id}/end')

/** Pay the whole balance of a document. */
export const documentsPay: Standalone<DocumentsResource['pay']> =
  /* @__PURE__ */ operation('POST', '/v1/documents/{id}/pay', 'body')

/** List payments, newest first. */
export const paymentsList: Standalone<PaymentsResource['list']> =
  /* @__PURE__ */ listing('/v1/payments', 'query')

/** Everything that has changed, oldest change first. */
export const paymentsChanges: Standalone<PaymentsResource['changes']> =
  /* @__PURE__ */ sweep('/v1/payments')

/** Retrieve a payment. */
export const paymentsGet: Standalone<PaymentsResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/payments/{id}')

/** Download the payment list as CSV. */
export const paymentsCsv: Standalone<PaymentsResource['csv']> =
  /* @__PURE__ */ operation('GET', '/v1/payments.csv', 'query')

/** List approvals, newest first. */
export const approvalsList: Standalone<ApprovalsResource['list']> =
  /* @__PURE__ */ listing('/v1/approvals', 'query')

/** Retrieve an approval. */
export const approvalsGet: Standalone<ApprovalsResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/approvals/{id}')

/** Approve what waits, by its digest. */
export const approvalsApprove: Standalone<ApprovalsResource['approve']> =
  /* @__PURE__ */ operation('POST', '/v1/approvals/{id}/approve', 'body')

/** Decline what waits. */
export const approvalsDecline: Standalone<ApprovalsResource['decline']> =
  /* @__PURE__ */ operation('POST', '/v1/approvals/{id}/decline', 'body')

/** List approval rules, newest first. */
export const approvalRulesList: Standalone<ApprovalRulesResource['list']> =
  /* @__PURE__ */ listing('/v1/approval_rules', 'query')

/** Create an approval rule. */
export const approvalRulesCreate: Standalone<ApprovalRulesResource['create']> =
  /* @__PURE__ */ operation('POST', '/v1/approval_rules', 'body')

/** Change an approval rule. */
export const approvalRulesUpdate: Standalone<ApprovalRulesResource['update']> =
  /* @__PURE__ */ operation('PATCH', '/v1/approval_rules/{id}', 'body')

/** Delete an approval rule. */
export const approvalRulesDelete: Standalone<ApprovalRulesResource['delete']> =
  /* @__PURE__ */ operation('DELETE', '/v1/approval_rules/{id}')

/** Try the approval rules with a write. */
export const approvalRulesTest: Standalone<ApprovalRulesResource['test']> =
  /* @__PURE__ */ operation('POST', '/v1/approval_rules/test', 'body')

/** List accounts. */
export const treasuryAccountsList: Standalone<TreasuryAccountsResource['list']> =
  /* @__PURE__ */ listing('/v1/treasury/accounts', 'query')

/** Retrieve an account. */
export const treasuryAccountsGet: Standalone<TreasuryAccountsResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/treasury/accounts/{id}')

/** List balances, now or at a point in time. */
export const treasuryBalancesList: Standalone<TreasuryBalancesResource['list']> =
  /* @__PURE__ */ listing('/v1/treasury/balances', 'query')

/** List transactions, last posted first. */
export const treasuryTransactionsList: Standalone<TreasuryTransactionsResource['list']> =
  /* @__PURE__ */ listing('/v1/treasury/transactions', 'query')

/** Retrieve a transaction. */
export const treasuryTransactionsGet: Standalone<TreasuryTransactionsResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/treasury/transactions/{id}')

/** Download a statement of an account. */
export const treasuryStatement: Standalone<TreasuryResource['statement']> =
  /* @__PURE__ */ operation('GET', '/v1/treasury/accounts/{id}/statement', 'query')

/** Retrieve the finance setup. */
export const financeSetupGet: Standalone<FinanceSetupResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/finance/setup')

/** Set up borrowing and lending. */
export const financeSetupUpdate: Standalone<FinanceSetupResource['update']> =
  /* @__PURE__ */ operation('PUT', '/v1/finance/setup', 'body')

/** List listings, newest first. */
export const financeListingsList: Standalone<FinanceListingsResource['list']> =
  /* @__PURE__ */ listing('/v1/finance/listings', 'query')

/** Ask for a loan against an invoice. */
export const financeListingsCreate: Standalone<FinanceListingsResource['create']> =
  /* @__PURE__ */ operation('POST', '/v1/finance/listings', 'body')

/** Retrieve a listing. */
export const financeListingsGet: Standalone<FinanceListingsResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/finance/listings/{id}')

/** Withdraw a listing. */
export const financeListingsWithdraw: Standalone<FinanceListingsResource['withdraw']> =
  /* @__PURE__ */ operation('POST', '/v1/finance/listings/{id}/withdraw')

/** Offer a loan for a listing. */
export const financeOffersCreate: Standalone<FinanceOffersResource['create']> =
  /* @__PURE__ */ operation('POST', '/v1/finance/listings/{id}/offers', 'body')

/** List offers, newest first. */
export const financeOffersList: Standalone<FinanceOffersResource['list']> =
  /* @__PURE__ */ listing('/v1/finance/offers', 'query')

/** Retrieve an offer. */
export const financeOffersGet: Standalone<FinanceOffersResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/finance/offers/{id}')

/** Retrieve what accepting an offer authorizes. */
export const financeOffersAuthorization: Standalone<FinanceOffersResource['authorization']> =
  /* @__PURE__ */ operation('GET', '/v1/finance/offers/{id}/authorization')

/** Accept an offer, as the borrower. */
export const financeOffersAccept: Standalone<FinanceOffersResource['accept']> =
  /* @__PURE__ */ operation('POST', '/v1/finance/offers/{id}/accept', 'body')

/** Decline an offer, as the borrower. */
export const financeOffersDecline: Standalone<FinanceOffersResource['decline']> =
  /* @__PURE__ */ operation('POST', '/v1/finance/offers/{id}/decline')

/** Withdraw an offer, as the lender. */
export const financeOffersWithdraw: Standalone<FinanceOffersResource['withdraw']> =
  /* @__PURE__ */ operation('POST', '/v1/finance/offers/{id}/withdraw')

/** List agreements, newest first. */
export const financeAgreementsList: Standalone<FinanceAgreementsResource['list']> =
  /* @__PURE__ */ listing('/v1/finance/agreements', 'query')

/** Retrieve an agreement. */
export const financeAgreementsGet: Standalone<FinanceAgreementsResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/finance/agreements/{id}')

/** Retrieve how far a loan is repaid. */
export const financeAgreementsRepayment: Standalone<FinanceAgreementsResource['repayment']> =
  /* @__PURE__ */ operation('GET', '/v1/finance/agreements/{id}/repayment')

/** Repay what is owed now, as the borrower. */
export const financeAgreementsRepay: Standalone<FinanceAgreementsResource['repay']> =
  /* @__PURE__ */ operation('POST', '/v1/finance/agreements/{id}/repayment', 'body')

/** Withdraw from an agreement that is not funded. */
export const financeAgreementsWithdraw: Standalone<FinanceAgreementsResource['withdraw']> =
  /* @__PURE__ */ operation('POST', '/v1/finance/agreements/{id}/withdraw', 'body')

/** Export the proof of a pledge. */
export const financeAgreementsExport: Standalone<FinanceAgreementsResource['export']> =
  /* @__PURE__ */ exporting('/v1/finance/agreements/{id}/export')

/** List the events of the feed. */
export const eventsList: Standalone<EventsResource['list']> =
  /* @__PURE__ */ listing('/v1/events', 'query')

/** Retrieve an event. */
export const eventsGet: Standalone<EventsResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/events/{id}')

/** List webhook endpoints, newest first. */
export const webhooksList: Standalone<WebhooksResource['list']> =
  /* @__PURE__ */ listing('/v1/webhooks', 'query')

/** Register a webhook endpoint. */
export const webhooksCreate: Standalone<WebhooksResource['create']> =
  /* @__PURE__ */ operation('POST', '/v1/webhooks', 'body')

/** Retrieve a webhook endpoint. */
export const webhooksGet: Standalone<WebhooksResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/webhooks/{id}')

/** Update or re-enable a webhook endpoint. */
export const webhooksUpdate: Standalone<WebhooksResource['update']> =
  /* @__PURE__ */ operation('PATCH', '/v1/webhooks/{id}', 'body')

/** Delete a webhook endpoint. */
export const webhooksDelete: Standalone<WebhooksResource['delete']> =
  /* @__PURE__ */ operation('DELETE', '/v1/webhooks/{id}')

/** Rotate the signing secret. */
export const webhooksRotateSecret: Standalone<WebhooksResource['rotateSecret']> =
  /* @__PURE__ */ operation('POST', '/v1/webhooks/{id}/rotate_secret')

/** Send a test event. */
export const webhooksPing: Standalone<WebhooksResource['ping']> =
  /* @__PURE__ */ operation('POST', '/v1/webhooks/{id}/ping')

/** List the deliveries of an endpoint, newest first. */
export const deliveriesList: Standalone<DeliveriesResource['list']> =
  /* @__PURE__ */ listing('/v1/webhooks/{id}/deliveries', 'query')

/** Retrieve a delivery with its attempts. */
export const deliveriesGet: Standalone<DeliveriesResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/webhooks/{id}/deliveries/{delivery_id}')

/** Redeliver an event. */
export const deliveriesRedeliver: Standalone<DeliveriesResource['redeliver']> =
  /* @__PURE__ */ operation('POST', '/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver')

/** Redeliver a range of events. */
export const deliveriesRecover: Standalone<DeliveriesResource['recover']> =
  /* @__PURE__ */ operation('POST', '/v1/webhooks/{id}/redeliver', 'body')

/** Retrieve the verified history. */
export const documentsHistory: Standalone<DocumentsResource['history']> =
  /* @__PURE__ */ operation('GET', '/v1/documents/{id}/history')

/** Retrieve the verified lineage. */
export const documentsLineage: Standalone<DocumentsResource['lineage']> =
  /* @__PURE__ */ operation('GET', '/v1/documents/{id}/lineage')

/** Export a proof bundle. */
export const documentsExport: Standalone<DocumentsResource['export']> =
  /* @__PURE__ */ exporting('/v1/documents/{id}/export')

/** Retrieve the signed receipt of an event. */
export const documentsReceipt: Standalone<DocumentsResource['receipt']> =
  /* @__PURE__ */ operation('GET', '/v1/documents/{id}/receipts/{seq}')

/** Retrieve the log keys. */
export const logKeys: Standalone<LogResource['keys']> =
  /* @__PURE__ */ operation('GET', '/v1/log/keys')

/** Retrieve the newest checkpoint. */
export const logCheckpoint: Standalone<LogResource['checkpoint']> =
  /* @__PURE__ */ operation('GET', '/v1/log/checkpoint')

/** Prove that the log has only grown. */
export const logConsistency: Standalone<LogResource['consistency']> =
  /* @__PURE__ */ operation('GET', '/v1/log/consistency', 'query')

/** Prove that the log continues its earlier epochs. */
export const logEpochs: Standalone<LogResource['epochs']> =
  /* @__PURE__ */ operation('GET', '/v1/log/epochs')

/** List keys, newest first. */
export const keysList: Standalone<KeysResource['list']> =
  /* @__PURE__ */ listing('/v1/keys', 'query')

/** Create a key. */
export const keysCreate: Standalone<KeysResource['create']> =
  /* @__PURE__ */ operation('POST', '/v1/keys', 'body')

/** Retrieve a key. */
export const keysGet: Standalone<KeysResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/keys/{id}')

/** Rotate a key. */
export const keysRotate: Standalone<KeysResource['rotate']> =
  /* @__PURE__ */ operation('POST', '/v1/keys/{id}/rotate')

/** Revoke a key. */
export const keysRevoke: Standalone<KeysResource['revoke']> =
  /* @__PURE__ */ operation('POST', '/v1/keys/{id}/revoke')

/** Retrieve the organization. */
export const organizationGet: Standalone<OrganizationResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/organization')

/** Change the profile. */
export const organizationUpdate: Standalone<OrganizationResource['update']> =
  /* @__PURE__ */ operation('PATCH', '/v1/organization', 'body')

/** List members, newest first. */
export const membersList: Standalone<MembersResource['list']> =
  /* @__PURE__ */ listing('/v1/members', 'query')

/** Change the role of a member. */
export const membersUpdate: Standalone<MembersResource['update']> =
  /* @__PURE__ */ operation('PATCH', '/v1/members/{user_id}', 'body')

/** Remove a member. */
export const membersRemove: Standalone<MembersResource['remove']> =
  /* @__PURE__ */ operation('DELETE', '/v1/members/{user_id}')

/** List invitations of members, newest first. */
export const invitationsList: Standalone<InvitationsResource['list']> =
  /* @__PURE__ */ listing('/v1/invitations', 'query')

/** Invite a person to be a member. */
export const invitationsCreate: Standalone<InvitationsResource['create']> =
  /* @__PURE__ */ operation('POST', '/v1/invitations', 'body')

/** Revoke an invitation. */
export const invitationsRevoke: Standalone<InvitationsResource['revoke']> =
  /* @__PURE__ */ operation('DELETE', '/v1/invitations/{id}')

/** List what people did, newest first. */
export const auditList: Standalone<AuditResource['list']> =
  /* @__PURE__ */ listing('/v1/audit', 'query')

/** List your saved views, newest first. */
export const savedViewsList: Standalone<SavedViewsResource['list']> =
  /* @__PURE__ */ listing('/v1/saved_views', 'query')

/** Save a view. */
export const savedViewsCreate: Standalone<SavedViewsResource['create']> =
  /* @__PURE__ */ operation('POST', '/v1/saved_views', 'body')

/** Change a saved view. */
export const savedViewsUpdate: Standalone<SavedViewsResource['update']> =
  /* @__PURE__ */ operation('PATCH', '/v1/saved_views/{id}', 'body')

/** Delete a saved view. */
export const savedViewsDelete: Standalone<SavedViewsResource['delete']> =
  /* @__PURE__ */ operation('DELETE', '/v1/saved_views/{id}')

/** Retrieve your preferences. */
export const preferencesGet: Standalone<PreferencesResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/preferences')

/** Change your preferences. */
export const preferencesUpdate: Standalone<PreferencesResource['update']> =
  /* @__PURE__ */ operation('PATCH', '/v1/preferences', 'body')

/** List requests, newest first. */
export const requestsList: Standalone<RequestsResource['list']> =
  /* @__PURE__ */ listing('/v1/requests', 'query')

/** Retrieve a request. */
export const requestsGet: Standalone<RequestsResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/requests/{request_id}')

/** List practice pairs, newest first. */
export const sandboxesList: Standalone<SandboxesResource['list']> =
  /* @__PURE__ */ listing('/v1/sandboxes', 'query')

/** Create a practice pair. */
export const sandboxesCreate: Standalone<SandboxesResource['create']> =
  /* @__PURE__ */ operation('POST', '/v1/sandboxes', 'body')

/** Retrieve the caller. */
export const meGet: Standalone<MeResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/me')

/** Retrieve the outcome of a write. */
export const idempotencyGet: Standalone<IdempotencyResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/idempotency/{key}')

/** Retrieve the enabled families. */
export const enablementGet: Standalone<EnablementResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/enablement')

/** Retrieve the sandbox clock. */
export const sandboxClockGet: Standalone<SandboxClockResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/sandbox/clock')

/** Move the sandbox clock forward. */
export const sandboxClockAdvance: Standalone<SandboxClockResource['advance']> =
  /* @__PURE__ */ operation('POST', '/v1/sandbox/clock', 'body')

/** Add test money to an account. */
export const sandboxTopup: Standalone<SandboxResource['topup']> =
  /* @__PURE__ */ operation('POST', '/v1/sandbox/topup', 'body')

/** Reset the sandbox. */
export const sandboxReset: Standalone<SandboxResource['reset']> =
  /* @__PURE__ */ operation('POST', '/v1/sandbox/reset')

/** Decide the outcome of a payment. */
export const sandboxPaymentsSimulate: Standalone<SandboxPaymentsResource['simulate']> =
  /* @__PURE__ */ operation('POST', '/v1/sandbox/payments/{id}/simulate', 'body')

/** Receive a document from the demo counterparty. */
export const sandboxDemoCreateDocument: Standalone<SandboxDemoResource['createDocument']> =
  /* @__PURE__ */ operation('POST', '/v1/sandbox/demo/documents', 'body')

/** Let the demo counterparty move a document. */
export const sandboxDemoTransition: Standalone<SandboxDemoResource['transition']> =
  /* @__PURE__ */ operation('POST', '/v1/sandbox/demo/transitions', 'body')

/** Let the demo counterparty ask for a loan. */
export const sandboxDemoCreateListing: Standalone<SandboxDemoResource['createListing']> =
  /* @__PURE__ */ operation('POST', '/v1/sandbox/demo/listings', 'body')

/** Retrieve this specification. */
export const specificationGet: Standalone<SpecificationResource['get']> =
  /* @__PURE__ */ operation('GET', '/v1/openapi.json')
