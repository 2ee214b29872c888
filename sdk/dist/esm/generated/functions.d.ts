/** Generated from the operations by `npm run generate`: do not edit. */
import { type ApiPromise } from '../api-promise.js';
import { type Client } from '../client.js';
import { type ListPromise } from '../lists.js';
import { type Proof } from '../proof.js';
import { type ChangeOptions, type FileInput, type ReadOptions, type WriteOptions } from '../request.js';
import type { DocumentRecord, DocumentCreate, DocumentEdit, TransitionRequest, Transitions, DocumentConvert, Attachment, AttachmentLink, Connection, ConnectionCreate, Payment, PayRequest, Account, Balance, Transaction, Clock, ClockAdvance, TopUp, Simulation, DemoDocument, DemoTransition, DocumentHistory, Lineage, Receipt, LogKeys, LogCheckpoint, LogConsistency, LogEpochs, Key, KeyCreate, MintedKey, RotatedKey, Caller, IdempotencyState, Enablement, Sandbox, SandboxCreate, MintedSandbox, EventEnvelope, Webhook, WebhookCreate, WebhookEdit, WebhookWithSecret, PingResult, Delivery, DeliveryWithAttempts, Recover, Recovered, SpecificationGetResponse, DocumentsListQuery, AttachmentsListQuery, ConnectionsListQuery, PaymentsListQuery, TreasuryAccountsListQuery, TreasuryBalancesListQuery, TreasuryTransactionsListQuery, EventsListQuery, WebhooksListQuery, DeliveriesListQuery, LogConsistencyQuery, KeysListQuery, RequestsListQuery, SandboxesListQuery } from './types.js';
/** List documents, newest first. */
export declare const documentsList: (client: Client, query?: DocumentsListQuery, options?: ReadOptions) => ListPromise<DocumentRecord>;
/**
 * Everything that has changed since then, oldest change first: once per change seen, and once each
 * when nothing changes meanwhile. Start the next sweep with the newest `updated_at` of this one.
 */
export declare const documentsChanges: (client: Client, query?: Omit<DocumentsListQuery, 'sort' | 'updated_since'> & {
    since?: string | Date | undefined;
}, options?: ReadOptions) => AsyncGenerator<DocumentRecord, void, undefined>;
/** Create a draft. */
export declare const documentsCreate: (client: Client, body: DocumentCreate, options?: WriteOptions) => ApiPromise<DocumentRecord>;
/** Retrieve a document. */
export declare const documentsGet: (client: Client, id: string, options?: ReadOptions) => ApiPromise<DocumentRecord>;
/** Edit a draft. */
export declare const documentsUpdate: (client: Client, id: string, body?: DocumentEdit, options?: ChangeOptions) => ApiPromise<DocumentRecord>;
/** Issue a draft to the counterparty. */
export declare const documentsIssue: (client: Client, id: string, options?: ChangeOptions) => ApiPromise<DocumentRecord>;
/** Move a document to another state. */
export declare const documentsTransition: (client: Client, id: string, body: TransitionRequest, options?: ChangeOptions) => ApiPromise<DocumentRecord>;
/** List the possible transitions. */
export declare const documentsTransitions: (client: Client, id: string, options?: ReadOptions) => ApiPromise<Transitions>;
/** Convert a document. */
export declare const documentsConvert: (client: Client, id: string, body: DocumentConvert, options?: ChangeOptions) => ApiPromise<DocumentRecord>;
/** List the attachments of a document, newest first. */
export declare const attachmentsList: (client: Client, id: string, query?: AttachmentsListQuery, options?: ReadOptions) => ListPromise<Attachment>;
/** Attach a file to a document. */
export declare const attachmentsCreate: (client: Client, id: string, file: FileInput, options?: WriteOptions) => ApiPromise<Attachment>;
/** Retrieve an attachment with its download link. */
export declare const attachmentsGet: (client: Client, id: string, attachmentId: string, options?: ReadOptions) => ApiPromise<AttachmentLink>;
/** List connections, newest first. */
export declare const connectionsList: (client: Client, query?: ConnectionsListQuery, options?: ReadOptions) => ListPromise<Connection>;
/** Send an invitation. */
export declare const connectionsCreate: (client: Client, body?: ConnectionCreate, options?: WriteOptions) => ApiPromise<Connection>;
/** Retrieve a connection. */
export declare const connectionsGet: (client: Client, id: string, options?: ReadOptions) => ApiPromise<Connection>;
/** Accept an invitation. */
export declare const connectionsAccept: (client: Client, id: string, options?: WriteOptions) => ApiPromise<Connection>;
/** Decline an invitation. */
export declare const connectionsDecline: (client: Client, id: string, options?: WriteOptions) => ApiPromise<Connection>;
/** End a connection or withdraw an invitation. */
export declare const connectionsEnd: (client: Client, id: string, options?: WriteOptions) => ApiPromise<Connection>;
/** Pay the whole balance of a document. */
export declare const documentsPay: (client: Client, id: string, body?: PayRequest, options?: ChangeOptions) => ApiPromise<DocumentRecord>;
/** List payments, newest first. */
export declare const paymentsList: (client: Client, query?: PaymentsListQuery, options?: ReadOptions) => ListPromise<Payment>;
/**
 * Everything that has changed since then, oldest change first: once per change seen, and once each
 * when nothing changes meanwhile. Start the next sweep with the newest `updated_at` of this one.
 */
export declare const paymentsChanges: (client: Client, query?: Omit<PaymentsListQuery, 'sort' | 'updated_since'> & {
    since?: string | Date | undefined;
}, options?: ReadOptions) => AsyncGenerator<Payment, void, undefined>;
/** Retrieve a payment. */
export declare const paymentsGet: (client: Client, id: string, options?: ReadOptions) => ApiPromise<Payment>;
/** List accounts. */
export declare const treasuryAccountsList: (client: Client, query?: TreasuryAccountsListQuery, options?: ReadOptions) => ListPromise<Account>;
/** Retrieve an account. */
export declare const treasuryAccountsGet: (client: Client, id: string, options?: ReadOptions) => ApiPromise<Account>;
/** List balances, now or at a point in time. */
export declare const treasuryBalancesList: (client: Client, query?: TreasuryBalancesListQuery, options?: ReadOptions) => ListPromise<Balance>;
/** List transactions, newest first. */
export declare const treasuryTransactionsList: (client: Client, query?: TreasuryTransactionsListQuery, options?: ReadOptions) => ListPromise<Transaction>;
/** Retrieve a transaction. */
export declare const treasuryTransactionsGet: (client: Client, id: string, options?: ReadOptions) => ApiPromise<Transaction>;
/** Follow the event feed. */
export declare const eventsList: (client: Client, query?: EventsListQuery, options?: ReadOptions) => ListPromise<EventEnvelope>;
/** Retrieve an event. */
export declare const eventsGet: (client: Client, id: string, options?: ReadOptions) => ApiPromise<EventEnvelope>;
/** List webhook endpoints, newest first. */
export declare const webhooksList: (client: Client, query?: WebhooksListQuery, options?: ReadOptions) => ListPromise<Webhook>;
/** Register a webhook endpoint. */
export declare const webhooksCreate: (client: Client, body: WebhookCreate, options?: WriteOptions) => ApiPromise<WebhookWithSecret>;
/** Retrieve a webhook endpoint. */
export declare const webhooksGet: (client: Client, id: string, options?: ReadOptions) => ApiPromise<Webhook>;
/** Update or re-enable a webhook endpoint. */
export declare const webhooksUpdate: (client: Client, id: string, body?: WebhookEdit, options?: WriteOptions) => ApiPromise<Webhook>;
/** Delete a webhook endpoint. */
export declare const webhooksDelete: (client: Client, id: string, options?: WriteOptions) => ApiPromise<Webhook>;
/** Rotate the signing secret. */
export declare const webhooksRotateSecret: (client: Client, id: string, options?: WriteOptions) => ApiPromise<WebhookWithSecret>;
/** Send a test event. */
export declare const webhooksPing: (client: Client, id: string, options?: WriteOptions) => ApiPromise<PingResult>;
/** List the deliveries of an endpoint, newest first. */
export declare const deliveriesList: (client: Client, id: string, query?: DeliveriesListQuery, options?: ReadOptions) => ListPromise<Delivery>;
/** Retrieve a delivery with its attempts. */
export declare const deliveriesGet: (client: Client, id: string, deliveryId: string, options?: ReadOptions) => ApiPromise<DeliveryWithAttempts>;
/** Redeliver an event. */
export declare const deliveriesRedeliver: (client: Client, id: string, deliveryId: string, options?: WriteOptions) => ApiPromise<Delivery>;
/** Redeliver a range of events. */
export declare const deliveriesRecover: (client: Client, id: string, body: Recover, options?: WriteOptions) => ApiPromise<Recovered>;
/** Retrieve the verified history. */
export declare const documentsHistory: (client: Client, id: string, options?: ReadOptions) => ApiPromise<DocumentHistory>;
/** Retrieve the verified lineage. */
export declare const documentsLineage: (client: Client, id: string, options?: ReadOptions) => ApiPromise<Lineage>;
/** Export a proof bundle. */
export declare const documentsExport: (client: Client, id: string, options?: ReadOptions) => Promise<Proof>;
/** Retrieve the signed receipt of an event. */
export declare const documentsReceipt: (client: Client, id: string, seq: number, options?: ReadOptions) => ApiPromise<Receipt>;
/** Retrieve the log keys. */
export declare const logKeys: (client: Client, options?: ReadOptions) => ApiPromise<LogKeys>;
/** Retrieve the newest checkpoint. */
export declare const logCheckpoint: (client: Client, options?: ReadOptions) => ApiPromise<LogCheckpoint>;
/** Prove that the log has only grown. */
export declare const logConsistency: (client: Client, query: LogConsistencyQuery, options?: ReadOptions) => ApiPromise<LogConsistency>;
/** Prove that the log continues its earlier epochs. */
export declare const logEpochs: (client: Client, options?: ReadOptions) => ApiPromise<LogEpochs>;
/** List keys, newest first. */
export declare const keysList: (client: Client, query?: KeysListQuery, options?: ReadOptions) => ListPromise<Key>;
/** Create a key. */
export declare const keysCreate: (client: Client, body: KeyCreate, options?: WriteOptions) => ApiPromise<MintedKey>;
/** Retrieve a key. */
export declare const keysGet: (client: Client, id: string, options?: ReadOptions) => ApiPromise<Key>;
/** Rotate a key. */
export declare const keysRotate: (client: Client, id: string, options?: WriteOptions) => ApiPromise<RotatedKey>;
/** Revoke a key. */
export declare const keysRevoke: (client: Client, id: string, options?: WriteOptions) => ApiPromise<Key>;
/** List requests, newest first. */
export declare const requestsList: (client: Client, query?: RequestsListQuery, options?: ReadOptions) => ListPromise<{
    /** The Request-Id of the call. */
    id: string;
    method: string;
    /** Without the query string; at most 300 characters. */
    path: string;
    /** HTTP status of the response. */
    status: number;
    key_id: string | null;
    /** Time until the response was written. */
    duration_ms: number;
    idempotency_key: string | null;
    /** When the request arrived. */
    created_at: string;
}>;
/** List practice pairs, newest first. */
export declare const sandboxesList: (client: Client, query?: SandboxesListQuery, options?: ReadOptions) => ListPromise<Sandbox>;
/** Create a practice pair. */
export declare const sandboxesCreate: (client: Client, body?: SandboxCreate, options?: WriteOptions) => ApiPromise<MintedSandbox>;
/** Retrieve the caller. */
export declare const meGet: (client: Client, options?: ReadOptions) => ApiPromise<Caller>;
/** Retrieve the outcome of a write. */
export declare const idempotencyGet: (client: Client, key: string, options?: ReadOptions) => ApiPromise<IdempotencyState>;
/** Retrieve the enabled families. */
export declare const enablementGet: (client: Client, options?: ReadOptions) => ApiPromise<Enablement>;
/** Retrieve the sandbox clock. */
export declare const sandboxClockGet: (client: Client, options?: ReadOptions) => ApiPromise<Clock>;
/** Move the sandbox clock forward. */
export declare const sandboxClockAdvance: (client: Client, body?: ClockAdvance, options?: WriteOptions) => ApiPromise<Clock>;
/** Add test money to an account. */
export declare const sandboxTopup: (client: Client, body: TopUp, options?: WriteOptions) => ApiPromise<Balance>;
/** Reset the sandbox. */
export declare const sandboxReset: (client: Client, options?: WriteOptions) => ApiPromise<Clock>;
/** Decide the outcome of a payment. */
export declare const sandboxPaymentsSimulate: (client: Client, id: string, body: Simulation, options?: WriteOptions) => ApiPromise<Payment>;
/** Receive a document from the demo counterparty. */
export declare const sandboxDemoCreateDocument: (client: Client, body: DemoDocument, options?: WriteOptions) => ApiPromise<DocumentRecord>;
/** Let the demo counterparty move a document. */
export declare const sandboxDemoTransition: (client: Client, body: DemoTransition, options?: WriteOptions) => ApiPromise<DocumentRecord>;
/** Retrieve this specification. */
export declare const specificationGet: (client: Client, options?: ReadOptions) => ApiPromise<SpecificationGetResponse>;
