/** Generated from the operations by `npm run generate`: do not edit. */
import { type ApiPromise } from '../api-promise.ts'
import { changes } from '../changes.ts'
import { type Client } from '../client.ts'
import { type ListPromise, list } from '../lists.ts'
import { type Proof, proof } from '../proof.ts'
import { type ChangeOptions, type FileInput, type ReadOptions, type WriteOptions, segment } from '../request.ts'
import type {
  DocumentRecord,
  DocumentCreate,
  DocumentEdit,
  TransitionRequest,
  Transitions,
  DocumentConvert,
  Member,
  MemberUpdate,
  MemberInvitation,
  InvitationCreate,
  MintedInvitation,
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
  SpecificationGetResponse,
  DocumentsListQuery,
  AttachmentsListQuery,
  ConnectionsListQuery,
  PaymentsListQuery,
  TreasuryAccountsListQuery,
  TreasuryBalancesListQuery,
  TreasuryTransactionsListQuery,
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
  RequestsListQuery,
  SandboxesListQuery,
} from './types.ts'

/** List documents, newest first. */
export const documentsList = (
  client: Client,
  query?: DocumentsListQuery,
  options?: ReadOptions,
): ListPromise<DocumentRecord> =>
  list(client, '/v1/documents', query, options)

/**
 * Everything that has changed since then, oldest change first: once per change seen, and once each
 * when nothing changes meanwhile. Start the next sweep with the newest `updated_at` of this one.
 */
export const documentsChanges = (
  client: Client,
  query?: Omit<DocumentsListQuery, 'sort' | 'updated_since'> & { since?: string | Date | undefined },
  options?: ReadOptions,
): AsyncGenerator<DocumentRecord, void, undefined> =>
  changes(client, '/v1/documents', query, options)

/** Create a draft. */
export const documentsCreate = (
  client: Client,
  body: DocumentCreate,
  options?: WriteOptions,
): ApiPromise<DocumentRecord> =>
  client.json<DocumentRecord>({ method: 'POST', path: '/v1/documents', body }, options)

/** Retrieve a document. */
export const documentsGet = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<DocumentRecord> =>
  client.json<DocumentRecord>({ method: 'GET', path: `/v1/documents/${segment(id)}` }, options)

/** Edit a draft. */
export const documentsUpdate = (
  client: Client,
  id: string,
  body?: DocumentEdit,
  options?: ChangeOptions,
): ApiPromise<DocumentRecord> =>
  client.json<DocumentRecord>({ method: 'PATCH', path: `/v1/documents/${segment(id)}`, body }, options)

/** Issue a draft to the counterparty. */
export const documentsIssue = (
  client: Client,
  id: string,
  options?: ChangeOptions,
): ApiPromise<DocumentRecord> =>
  client.json<DocumentRecord>({ method: 'POST', path: `/v1/documents/${segment(id)}/issue` }, options)

/** Move a document to another state. */
export const documentsTransition = (
  client: Client,
  id: string,
  body: TransitionRequest,
  options?: ChangeOptions,
): ApiPromise<DocumentRecord> =>
  client.json<DocumentRecord>({ method: 'POST', path: `/v1/documents/${segment(id)}/transition`, body }, options)

/** List the possible transitions. */
export const documentsTransitions = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<Transitions> =>
  client.json<Transitions>({ method: 'GET', path: `/v1/documents/${segment(id)}/transitions` }, options)

/** Convert a document. */
export const documentsConvert = (
  client: Client,
  id: string,
  body: DocumentConvert,
  options?: ChangeOptions,
): ApiPromise<DocumentRecord> =>
  client.json<DocumentRecord>({ method: 'POST', path: `/v1/documents/${segment(id)}/convert`, body }, options)

/** List the attachments of a document, newest first. */
export const attachmentsList = (
  client: Client,
  id: string,
  query?: AttachmentsListQuery,
  options?: ReadOptions,
): ListPromise<Attachment> =>
  list(client, `/v1/documents/${segment(id)}/attachments`, query, options)

/** Attach a file to a document. */
export const attachmentsCreate = (
  client: Client,
  id: string,
  file: FileInput,
  options?: WriteOptions,
): ApiPromise<Attachment> =>
  client.json<Attachment>({ method: 'POST', path: `/v1/documents/${segment(id)}/attachments`, file }, options)

/** Retrieve an attachment with its download link. */
export const attachmentsGet = (
  client: Client,
  id: string,
  attachmentId: string,
  options?: ReadOptions,
): ApiPromise<AttachmentLink> =>
  client.json<AttachmentLink>({ method: 'GET', path: `/v1/documents/${segment(id)}/attachments/${segment(attachmentId)}` }, options)

/** List connections, newest first. */
export const connectionsList = (
  client: Client,
  query?: ConnectionsListQuery,
  options?: ReadOptions,
): ListPromise<Connection> =>
  list(client, '/v1/connections', query, options)

/** Send an invitation. */
export const connectionsCreate = (
  client: Client,
  body?: ConnectionCreate,
  options?: WriteOptions,
): ApiPromise<Connection> =>
  client.json<Connection>({ method: 'POST', path: '/v1/connections', body }, options)

/** Retrieve a connection. */
export const connectionsGet = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<Connection> =>
  client.json<Connection>({ method: 'GET', path: `/v1/connections/${segment(id)}` }, options)

/** Accept an invitation. */
export const connectionsAccept = (
  client: Client,
  id: string,
  options?: WriteOptions,
): ApiPromise<Connection> =>
  client.json<Connection>({ method: 'POST', path: `/v1/connections/${segment(id)}/accept` }, options)

/** Decline an invitation. */
export const connectionsDecline = (
  client: Client,
  id: string,
  options?: WriteOptions,
): ApiPromise<Connection> =>
  client.json<Connection>({ method: 'POST', path: `/v1/connections/${segment(id)}/decline` }, options)

/** End a connection or withdraw an invitation. */
export const connectionsEnd = (
  client: Client,
  id: string,
  options?: WriteOptions,
): ApiPromise<Connection> =>
  client.json<Connection>({ method: 'POST', path: `/v1/connections/${segment(id)}/end` }, options)

/** Pay the whole balance of a document. */
export const documentsPay = (
  client: Client,
  id: string,
  body?: PayRequest,
  options?: ChangeOptions,
): ApiPromise<DocumentRecord> =>
  client.json<DocumentRecord>({ method: 'POST', path: `/v1/documents/${segment(id)}/pay`, body }, options)

/** List payments, newest first. */
export const paymentsList = (
  client: Client,
  query?: PaymentsListQuery,
  options?: ReadOptions,
): ListPromise<Payment> =>
  list(client, '/v1/payments', query, options)

/**
 * Everything that has changed since then, oldest change first: once per change seen, and once each
 * when nothing changes meanwhile. Start the next sweep with the newest `updated_at` of this one.
 */
export const paymentsChanges = (
  client: Client,
  query?: Omit<PaymentsListQuery, 'sort' | 'updated_since'> & { since?: string | Date | undefined },
  options?: ReadOptions,
): AsyncGenerator<Payment, void, undefined> =>
  changes(client, '/v1/payments', query, options)

/** Retrieve a payment. */
export const paymentsGet = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<Payment> =>
  client.json<Payment>({ method: 'GET', path: `/v1/payments/${segment(id)}` }, options)

/** List accounts. */
export const treasuryAccountsList = (
  client: Client,
  query?: TreasuryAccountsListQuery,
  options?: ReadOptions,
): ListPromise<Account> =>
  list(client, '/v1/treasury/accounts', query, options)

/** Retrieve an account. */
export const treasuryAccountsGet = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<Account> =>
  client.json<Account>({ method: 'GET', path: `/v1/treasury/accounts/${segment(id)}` }, options)

/** List balances, now or at a point in time. */
export const treasuryBalancesList = (
  client: Client,
  query?: TreasuryBalancesListQuery,
  options?: ReadOptions,
): ListPromise<Balance> =>
  list(client, '/v1/treasury/balances', query, options)

/** List transactions, last posted first. */
export const treasuryTransactionsList = (
  client: Client,
  query?: TreasuryTransactionsListQuery,
  options?: ReadOptions,
): ListPromise<Transaction> =>
  list(client, '/v1/treasury/transactions', query, options)

/** Retrieve a transaction. */
export const treasuryTransactionsGet = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<Transaction> =>
  client.json<Transaction>({ method: 'GET', path: `/v1/treasury/transactions/${segment(id)}` }, options)

/** Retrieve the finance setup. */
export const financeSetupGet = (
  client: Client,
  options?: ReadOptions,
): ApiPromise<FinanceSetup> =>
  client.json<FinanceSetup>({ method: 'GET', path: '/v1/finance/setup' }, options)

/** Set up borrowing and lending. */
export const financeSetupUpdate = (
  client: Client,
  body?: FinanceSetupUpdate,
  options?: WriteOptions,
): ApiPromise<FinanceSetup> =>
  client.json<FinanceSetup>({ method: 'PUT', path: '/v1/finance/setup', body }, options)

/** List listings, newest first. */
export const financeListingsList = (
  client: Client,
  query?: FinanceListingsListQuery,
  options?: ReadOptions,
): ListPromise<FinanceListing> =>
  list(client, '/v1/finance/listings', query, options)

/** Ask for a loan against an invoice. */
export const financeListingsCreate = (
  client: Client,
  body: FinanceListingCreate,
  options?: WriteOptions,
): ApiPromise<FinanceListing> =>
  client.json<FinanceListing>({ method: 'POST', path: '/v1/finance/listings', body }, options)

/** Retrieve a listing. */
export const financeListingsGet = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<FinanceListing> =>
  client.json<FinanceListing>({ method: 'GET', path: `/v1/finance/listings/${segment(id)}` }, options)

/** Withdraw a listing. */
export const financeListingsWithdraw = (
  client: Client,
  id: string,
  options?: WriteOptions,
): ApiPromise<FinanceListing> =>
  client.json<FinanceListing>({ method: 'POST', path: `/v1/finance/listings/${segment(id)}/withdraw` }, options)

/** Offer a loan for a listing. */
export const financeOffersCreate = (
  client: Client,
  id: string,
  body: FinanceOfferCreate,
  options?: WriteOptions,
): ApiPromise<FinanceOffer> =>
  client.json<FinanceOffer>({ method: 'POST', path: `/v1/finance/listings/${segment(id)}/offers`, body }, options)

/** List offers, newest first. */
export const financeOffersList = (
  client: Client,
  query?: FinanceOffersListQuery,
  options?: ReadOptions,
): ListPromise<FinanceOffer> =>
  list(client, '/v1/finance/offers', query, options)

/** Retrieve an offer. */
export const financeOffersGet = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<FinanceOffer> =>
  client.json<FinanceOffer>({ method: 'GET', path: `/v1/finance/offers/${segment(id)}` }, options)

/** Retrieve what accepting an offer authorizes. */
export const financeOffersAuthorization = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<FinanceAuthorization> =>
  client.json<FinanceAuthorization>({ method: 'GET', path: `/v1/finance/offers/${segment(id)}/authorization` }, options)

/** Accept an offer, as the borrower. */
export const financeOffersAccept = (
  client: Client,
  id: string,
  body: FinanceOfferAccept,
  options?: WriteOptions,
): ApiPromise<FinanceAcceptedOffer> =>
  client.json<FinanceAcceptedOffer>({ method: 'POST', path: `/v1/finance/offers/${segment(id)}/accept`, body }, options)

/** Decline an offer, as the borrower. */
export const financeOffersDecline = (
  client: Client,
  id: string,
  options?: WriteOptions,
): ApiPromise<FinanceOffer> =>
  client.json<FinanceOffer>({ method: 'POST', path: `/v1/finance/offers/${segment(id)}/decline` }, options)

/** Withdraw an offer, as the lender. */
export const financeOffersWithdraw = (
  client: Client,
  id: string,
  options?: WriteOptions,
): ApiPromise<FinanceOffer> =>
  client.json<FinanceOffer>({ method: 'POST', path: `/v1/finance/offers/${segment(id)}/withdraw` }, options)

/** List agreements, newest first. */
export const financeAgreementsList = (
  client: Client,
  query?: FinanceAgreementsListQuery,
  options?: ReadOptions,
): ListPromise<FinanceAgreement> =>
  list(client, '/v1/finance/agreements', query, options)

/** Retrieve an agreement. */
export const financeAgreementsGet = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<FinanceAgreement> =>
  client.json<FinanceAgreement>({ method: 'GET', path: `/v1/finance/agreements/${segment(id)}` }, options)

/** Retrieve how far a loan is repaid. */
export const financeAgreementsRepayment = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<FinanceRepayment> =>
  client.json<FinanceRepayment>({ method: 'GET', path: `/v1/finance/agreements/${segment(id)}/repayment` }, options)

/** Repay what is owed now, as the borrower. */
export const financeAgreementsRepay = (
  client: Client,
  id: string,
  body?: FinanceRepaymentRequest,
  options?: WriteOptions,
): ApiPromise<FinanceRepayment> =>
  client.json<FinanceRepayment>({ method: 'POST', path: `/v1/finance/agreements/${segment(id)}/repayment`, body }, options)

/** Withdraw from an agreement that is not funded. */
export const financeAgreementsWithdraw = (
  client: Client,
  id: string,
  body?: FinanceAgreementWithdrawal,
  options?: WriteOptions,
): ApiPromise<FinanceAgreement> =>
  client.json<FinanceAgreement>({ method: 'POST', path: `/v1/finance/agreements/${segment(id)}/withdraw`, body }, options)

/** Follow the event feed. */
export const eventsList = (
  client: Client,
  query?: EventsListQuery,
  options?: ReadOptions,
): ListPromise<EventEnvelope> =>
  list(client, '/v1/events', query, options)

/** Retrieve an event. */
export const eventsGet = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<EventEnvelope> =>
  client.json<EventEnvelope>({ method: 'GET', path: `/v1/events/${segment(id)}` }, options)

/** List webhook endpoints, newest first. */
export const webhooksList = (
  client: Client,
  query?: WebhooksListQuery,
  options?: ReadOptions,
): ListPromise<Webhook> =>
  list(client, '/v1/webhooks', query, options)

/** Register a webhook endpoint. */
export const webhooksCreate = (
  client: Client,
  body: WebhookCreate,
  options?: WriteOptions,
): ApiPromise<WebhookWithSecret> =>
  client.json<WebhookWithSecret>({ method: 'POST', path: '/v1/webhooks', body }, options)

/** Retrieve a webhook endpoint. */
export const webhooksGet = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<Webhook> =>
  client.json<Webhook>({ method: 'GET', path: `/v1/webhooks/${segment(id)}` }, options)

/** Update or re-enable a webhook endpoint. */
export const webhooksUpdate = (
  client: Client,
  id: string,
  body?: WebhookEdit,
  options?: WriteOptions,
): ApiPromise<Webhook> =>
  client.json<Webhook>({ method: 'PATCH', path: `/v1/webhooks/${segment(id)}`, body }, options)

/** Delete a webhook endpoint. */
export const webhooksDelete = (
  client: Client,
  id: string,
  options?: WriteOptions,
): ApiPromise<Webhook> =>
  client.json<Webhook>({ method: 'DELETE', path: `/v1/webhooks/${segment(id)}` }, options)

/** Rotate the signing secret. */
export const webhooksRotateSecret = (
  client: Client,
  id: string,
  options?: WriteOptions,
): ApiPromise<WebhookWithSecret> =>
  client.json<WebhookWithSecret>({ method: 'POST', path: `/v1/webhooks/${segment(id)}/rotate_secret` }, options)

/** Send a test event. */
export const webhooksPing = (
  client: Client,
  id: string,
  options?: WriteOptions,
): ApiPromise<PingResult> =>
  client.json<PingResult>({ method: 'POST', path: `/v1/webhooks/${segment(id)}/ping` }, options)

/** List the deliveries of an endpoint, newest first. */
export const deliveriesList = (
  client: Client,
  id: string,
  query?: DeliveriesListQuery,
  options?: ReadOptions,
): ListPromise<Delivery> =>
  list(client, `/v1/webhooks/${segment(id)}/deliveries`, query, options)

/** Retrieve a delivery with its attempts. */
export const deliveriesGet = (
  client: Client,
  id: string,
  deliveryId: string,
  options?: ReadOptions,
): ApiPromise<DeliveryWithAttempts> =>
  client.json<DeliveryWithAttempts>({ method: 'GET', path: `/v1/webhooks/${segment(id)}/deliveries/${segment(deliveryId)}` }, options)

/** Redeliver an event. */
export const deliveriesRedeliver = (
  client: Client,
  id: string,
  deliveryId: string,
  options?: WriteOptions,
): ApiPromise<Delivery> =>
  client.json<Delivery>({ method: 'POST', path: `/v1/webhooks/${segment(id)}/deliveries/${segment(deliveryId)}/redeliver` }, options)

/** Redeliver a range of events. */
export const deliveriesRecover = (
  client: Client,
  id: string,
  body: Recover,
  options?: WriteOptions,
): ApiPromise<Recovered> =>
  client.json<Recovered>({ method: 'POST', path: `/v1/webhooks/${segment(id)}/redeliver`, body }, options)

/** Retrieve the verified history. */
export const documentsHistory = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<DocumentHistory> =>
  client.json<DocumentHistory>({ method: 'GET', path: `/v1/documents/${segment(id)}/history` }, options)

/** Retrieve the verified lineage. */
export const documentsLineage = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<Lineage> =>
  client.json<Lineage>({ method: 'GET', path: `/v1/documents/${segment(id)}/lineage` }, options)

/** Export a proof bundle. */
export const documentsExport = (
  client: Client,
  id: string,
  options?: ReadOptions,
): Promise<Proof> =>
  proof(client, `/v1/documents/${segment(id)}/export`, options)

/** Retrieve the signed receipt of an event. */
export const documentsReceipt = (
  client: Client,
  id: string,
  seq: number,
  options?: ReadOptions,
): ApiPromise<Receipt> =>
  client.json<Receipt>({ method: 'GET', path: `/v1/documents/${segment(id)}/receipts/${segment(seq)}` }, options)

/** Retrieve the log keys. */
export const logKeys = (
  client: Client,
  options?: ReadOptions,
): ApiPromise<LogKeys> =>
  client.json<LogKeys>({ method: 'GET', path: '/v1/log/keys' }, options)

/** Retrieve the newest checkpoint. */
export const logCheckpoint = (
  client: Client,
  options?: ReadOptions,
): ApiPromise<LogCheckpoint> =>
  client.json<LogCheckpoint>({ method: 'GET', path: '/v1/log/checkpoint' }, options)

/** Prove that the log has only grown. */
export const logConsistency = (
  client: Client,
  query: LogConsistencyQuery,
  options?: ReadOptions,
): ApiPromise<LogConsistency> =>
  client.json<LogConsistency>({ method: 'GET', path: '/v1/log/consistency', query }, options)

/** Prove that the log continues its earlier epochs. */
export const logEpochs = (
  client: Client,
  options?: ReadOptions,
): ApiPromise<LogEpochs> =>
  client.json<LogEpochs>({ method: 'GET', path: '/v1/log/epochs' }, options)

/** List keys, newest first. */
export const keysList = (
  client: Client,
  query?: KeysListQuery,
  options?: ReadOptions,
): ListPromise<Key> =>
  list(client, '/v1/keys', query, options)

/** Create a key. */
export const keysCreate = (
  client: Client,
  body: KeyCreate,
  options?: WriteOptions,
): ApiPromise<MintedKey> =>
  client.json<MintedKey>({ method: 'POST', path: '/v1/keys', body }, options)

/** Retrieve a key. */
export const keysGet = (
  client: Client,
  id: string,
  options?: ReadOptions,
): ApiPromise<Key> =>
  client.json<Key>({ method: 'GET', path: `/v1/keys/${segment(id)}` }, options)

/** Rotate a key. */
export const keysRotate = (
  client: Client,
  id: string,
  options?: WriteOptions,
): ApiPromise<RotatedKey> =>
  client.json<RotatedKey>({ method: 'POST', path: `/v1/keys/${segment(id)}/rotate` }, options)

/** Revoke a key. */
export const keysRevoke = (
  client: Client,
  id: string,
  options?: WriteOptions,
): ApiPromise<Key> =>
  client.json<Key>({ method: 'POST', path: `/v1/keys/${segment(id)}/revoke` }, options)

/** List members, newest first. */
export const membersList = (
  client: Client,
  query?: MembersListQuery,
  options?: ReadOptions,
): ListPromise<Member> =>
  list(client, '/v1/members', query, options)

/** Change the role of a member. */
export const membersUpdate = (
  client: Client,
  userId: string,
  body: MemberUpdate,
  options?: WriteOptions,
): ApiPromise<Member> =>
  client.json<Member>({ method: 'PATCH', path: `/v1/members/${segment(userId)}`, body }, options)

/** Remove a member. */
export const membersRemove = (
  client: Client,
  userId: string,
  options?: WriteOptions,
): ApiPromise<Member> =>
  client.json<Member>({ method: 'DELETE', path: `/v1/members/${segment(userId)}` }, options)

/** List invitations of members, newest first. */
export const invitationsList = (
  client: Client,
  query?: InvitationsListQuery,
  options?: ReadOptions,
): ListPromise<MemberInvitation> =>
  list(client, '/v1/invitations', query, options)

/** Invite a person to be a member. */
export const invitationsCreate = (
  client: Client,
  body: InvitationCreate,
  options?: WriteOptions,
): ApiPromise<MintedInvitation> =>
  client.json<MintedInvitation>({ method: 'POST', path: '/v1/invitations', body }, options)

/** Revoke an invitation. */
export const invitationsRevoke = (
  client: Client,
  id: string,
  options?: WriteOptions,
): ApiPromise<MemberInvitation> =>
  client.json<MemberInvitation>({ method: 'DELETE', path: `/v1/invitations/${segment(id)}` }, options)

/** List requests, newest first. */
export const requestsList = (
  client: Client,
  query?: RequestsListQuery,
  options?: ReadOptions,
): ListPromise<RequestLogEntry> =>
  list(client, '/v1/requests', query, options)

/** Retrieve a request. */
export const requestsGet = (
  client: Client,
  requestId: string,
  options?: ReadOptions,
): ApiPromise<RequestLogDetail> =>
  client.json<RequestLogDetail>({ method: 'GET', path: `/v1/requests/${segment(requestId)}` }, options)

/** List practice pairs, newest first. */
export const sandboxesList = (
  client: Client,
  query?: SandboxesListQuery,
  options?: ReadOptions,
): ListPromise<Sandbox> =>
  list(client, '/v1/sandboxes', query, options)

/** Create a practice pair. */
export const sandboxesCreate = (
  client: Client,
  body?: SandboxCreate,
  options?: WriteOptions,
): ApiPromise<MintedSandbox> =>
  client.json<MintedSandbox>({ method: 'POST', path: '/v1/sandboxes', body }, options)

/** Retrieve the caller. */
export const meGet = (
  client: Client,
  options?: ReadOptions,
): ApiPromise<Caller> =>
  client.json<Caller>({ method: 'GET', path: '/v1/me' }, options)

/** Retrieve the outcome of a write. */
export const idempotencyGet = (
  client: Client,
  key: string,
  options?: ReadOptions,
): ApiPromise<IdempotencyState> =>
  client.json<IdempotencyState>({ method: 'GET', path: `/v1/idempotency/${segment(key)}` }, options)

/** Retrieve the enabled families. */
export const enablementGet = (
  client: Client,
  options?: ReadOptions,
): ApiPromise<Enablement> =>
  client.json<Enablement>({ method: 'GET', path: '/v1/enablement' }, options)

/** Retrieve the sandbox clock. */
export const sandboxClockGet = (
  client: Client,
  options?: ReadOptions,
): ApiPromise<Clock> =>
  client.json<Clock>({ method: 'GET', path: '/v1/sandbox/clock' }, options)

/** Move the sandbox clock forward. */
export const sandboxClockAdvance = (
  client: Client,
  body?: ClockAdvance,
  options?: WriteOptions,
): ApiPromise<Clock> =>
  client.json<Clock>({ method: 'POST', path: '/v1/sandbox/clock', body }, options)

/** Add test money to an account. */
export const sandboxTopup = (
  client: Client,
  body: TopUp,
  options?: WriteOptions,
): ApiPromise<Balance> =>
  client.json<Balance>({ method: 'POST', path: '/v1/sandbox/topup', body }, options)

/** Reset the sandbox. */
export const sandboxReset = (
  client: Client,
  options?: WriteOptions,
): ApiPromise<Clock> =>
  client.json<Clock>({ method: 'POST', path: '/v1/sandbox/reset' }, options)

/** Decide the outcome of a payment. */
export const sandboxPaymentsSimulate = (
  client: Client,
  id: string,
  body: Simulation,
  options?: WriteOptions,
): ApiPromise<Payment> =>
  client.json<Payment>({ method: 'POST', path: `/v1/sandbox/payments/${segment(id)}/simulate`, body }, options)

/** Receive a document from the demo counterparty. */
export const sandboxDemoCreateDocument = (
  client: Client,
  body: DemoDocument,
  options?: WriteOptions,
): ApiPromise<DocumentRecord> =>
  client.json<DocumentRecord>({ method: 'POST', path: '/v1/sandbox/demo/documents', body }, options)

/** Let the demo counterparty move a document. */
export const sandboxDemoTransition = (
  client: Client,
  body: DemoTransition,
  options?: WriteOptions,
): ApiPromise<DocumentRecord> =>
  client.json<DocumentRecord>({ method: 'POST', path: '/v1/sandbox/demo/transitions', body }, options)

/** Let the demo counterparty ask for a loan. */
export const sandboxDemoCreateListing = (
  client: Client,
  body?: DemoListing,
  options?: WriteOptions,
): ApiPromise<FinanceListing> =>
  client.json<FinanceListing>({ method: 'POST', path: '/v1/sandbox/demo/listings', body }, options)

/** Retrieve this specification. */
export const specificationGet = (
  client: Client,
  options?: ReadOptions,
): ApiPromise<SpecificationGetResponse> =>
  client.json<SpecificationGetResponse>({ method: 'GET', path: '/v1/openapi.json' }, options)
