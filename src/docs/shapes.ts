/**
 * The named shapes of the OpenAPI document and the docs page. A generated client has a type of each
 * name, so none may hide a global of JavaScript or a builtin of Python.
 */
import type { TSchema } from 'typebox'
import * as account from '../contract/shapes/account.ts'
import * as approvalRules from '../contract/shapes/approval-rules.ts'
import * as approvals from '../contract/shapes/approvals.ts'
import * as attachments from '../contract/shapes/attachments.ts'
import * as audit from '../contract/shapes/audit.ts'
import * as comments from '../contract/shapes/comments.ts'
import * as preferences from '../contract/shapes/preferences.ts'
import * as savedViews from '../contract/shapes/saved-views.ts'
import * as connections from '../contract/shapes/connections.ts'
import * as documents from '../contract/shapes/documents.ts'
import * as imports from '../contract/shapes/imports.ts'
import * as keys from '../contract/shapes/keys.ts'
import * as invitations from '../contract/shapes/member-invitations.ts'
import * as members from '../contract/shapes/members.ts'
import * as organization from '../contract/shapes/organization.ts'
import * as payments from '../contract/shapes/payments.ts'
import * as treasury from '../contract/shapes/treasury.ts'
import * as sandbox from '../contract/shapes/sandbox.ts'
import * as errorDetails from '../contract/shapes/error-details.ts'
import * as events from '../contract/shapes/events.ts'
import * as finance from '../contract/shapes/finance.ts'
import * as agreements from '../contract/shapes/finance-agreements.ts'
import * as terms from '../contract/shapes/finance-terms.ts'
import { LineItem, LineItemView } from '../contract/shapes/line-items.ts'
import * as render from '../contract/shapes/render.ts'
import * as requests from '../contract/shapes/request-log.ts'
import * as statistics from '../contract/shapes/statistics.ts'
import * as search from '../contract/shapes/search.ts'
import * as sandboxes from '../contract/shapes/sandboxes.ts'
import * as webhooks from '../contract/shapes/webhooks.ts'
import * as provenance from '../contract/shapes/provenance.ts'
import type { SchemaNames } from './openapi/json-schema.ts'

export const shapes: Readonly<Record<string, TSchema>> = {
  DocumentRecord: documents.Document,
  DocumentPage: documents.DocumentPage,
  DocumentCreate: documents.DocumentCreate,
  DocumentEdit: documents.DocumentEdit,
  RenderedDocument: render.RenderedDocument,
  ExportChecks: render.ExportChecks,
  TransitionRequest: documents.TransitionRequest,
  Transitions: documents.Transitions,
  DocumentConvert: documents.DocumentConvert,
  NoBody: documents.NoBody,
  LineItem,
  LineItemView,
  Organization: organization.Organization,
  OrganizationProfile: organization.Profile,
  OrganizationUpdate: organization.OrganizationUpdate,
  OrganizationProfileUpdate: organization.ProfileUpdate,
  Member: members.Member,
  MemberPage: members.MemberPage,
  MemberUpdate: members.MemberUpdate,
  MemberInvitation: invitations.MemberInvitation,
  InvitationPage: invitations.InvitationPage,
  InvitationCreate: invitations.InvitationCreate,
  MintedInvitation: invitations.MintedInvitation,
  Approval: approvals.Approval,
  ApprovalPage: approvals.ApprovalPage,
  ApprovalConsent: approvals.ApprovalConsent,
  ApprovalDecline: approvals.ApprovalDecline,
  Statistics: statistics.Statistics,
  SearchHit: search.SearchHit,
  SearchResults: search.SearchResults,
  DocumentComment: comments.DocumentComment,
  DocumentCommentPage: comments.CommentPage,
  DocumentCommentCreate: comments.CommentCreate,
  SavedView: savedViews.SavedView,
  SavedViewPage: savedViews.SavedViewPage,
  SavedViewCreate: savedViews.SavedViewCreate,
  SavedViewUpdate: savedViews.SavedViewUpdate,
  Preferences: preferences.Preferences,
  PreferencesUpdate: preferences.PreferencesUpdate,
  AuditEntry: audit.AuditEntry,
  AuditPage: audit.AuditPage,
  ApprovalRule: approvalRules.ApprovalRule,
  ApprovalRulePage: approvalRules.ApprovalRulePage,
  ApprovalRuleCreate: approvalRules.ApprovalRuleCreate,
  ApprovalRuleUpdate: approvalRules.ApprovalRuleUpdate,
  ApprovalRuleTest: approvalRules.ApprovalRuleTest,
  ApprovalRuleTestResult: approvalRules.ApprovalRuleTestResult,
  Attachment: attachments.Attachment,
  AttachmentPage: attachments.AttachmentPage,
  AttachmentLink: attachments.AttachmentLink,
  FileUpload: attachments.FileUpload,
  DocumentImport: imports.DocumentImport,
  Connection: connections.Connection,
  ConnectionPage: connections.ConnectionPage,
  ConnectionCreate: connections.ConnectionCreate,
  Payment: payments.Payment,
  PaymentPage: payments.PaymentPage,
  PayRequest: payments.PayRequest,
  Account: treasury.Account,
  AccountPage: treasury.AccountPage,
  Balance: treasury.Balance,
  BalancePage: treasury.BalancePage,
  Transaction: treasury.Transaction,
  TransactionPage: treasury.TransactionPage,
  Clock: sandbox.Clock,
  ClockAdvance: sandbox.ClockAdvance,
  TopUp: sandbox.TopUp,
  Simulation: sandbox.Simulation,
  DemoDocument: sandbox.DemoDocument,
  DemoTransition: sandbox.DemoTransition,
  DocumentHistory: provenance.History,
  Lineage: provenance.Lineage,
  PledgeProof: provenance.PledgeProof,
  ProofBundle: provenance.ProofBundle,
  Receipt: provenance.Receipt,
  LogKeys: provenance.LogKeys,
  LogCheckpoint: provenance.LogCheckpoint,
  LogConsistency: provenance.LogConsistency,
  LogEpochs: provenance.LogEpochs,
  Key: keys.Key,
  KeyPage: keys.KeyPage,
  KeyCreate: keys.KeyCreate,
  MintedKey: keys.MintedKey,
  RotatedKey: keys.RotatedKey,
  Caller: account.Caller,
  DailyVolume: account.DailyVolume,
  IdempotencyState: account.IdempotencyState,
  Enablement: account.Enablement,
  RequestLogEntry: requests.RequestLogEntry,
  RequestLogDetail: requests.RequestLogDetail,
  RequestPage: requests.RequestPage,
  Sandbox: sandboxes.Sandbox,
  SandboxPage: sandboxes.SandboxPage,
  SandboxCreate: sandboxes.SandboxCreate,
  MintedSandbox: sandboxes.MintedSandbox,
  EventEnvelope: events.Event,
  CausingRequest: events.CausingRequest,
  EventPage: events.EventPage,
  Webhook: webhooks.Webhook,
  WebhookPage: webhooks.WebhookPage,
  WebhookCreate: webhooks.WebhookCreate,
  WebhookEdit: webhooks.WebhookEdit,
  WebhookWithLastDay: webhooks.WebhookWithLastDay,
  WebhookWithSecret: webhooks.WebhookWithSecret,
  PingResult: webhooks.PingResult,
  Delivery: webhooks.Delivery,
  DeliveryPage: webhooks.DeliveryPage,
  DeliveryWithAttempts: webhooks.DeliveryWithAttempts,
  Recover: webhooks.Recover,
  Recovered: webhooks.Recovered,
  FinanceSetup: finance.FinanceSetup,
  FinanceSetupUpdate: finance.FinanceSetupUpdate,
  FinanceListing: finance.Listing,
  FinanceListingPage: finance.ListingPage,
  FinanceListingCreate: finance.ListingCreate,
  DemoListing: finance.DemoListing,
  FinanceOffer: finance.Offer,
  FinanceOfferPage: finance.OfferPage,
  FinanceOfferCreate: finance.OfferCreate,
  FinanceOfferAccept: agreements.OfferAccept,
  FinanceAcceptedOffer: agreements.AcceptedOffer,
  FinanceAgreement: agreements.Agreement,
  FinanceAgreementPage: agreements.AgreementPage,
  FinanceAgreementWithdrawal: agreements.AgreementWithdrawal,
  FinanceRepayment: agreements.Repayment,
  FinanceRepaymentRequest: agreements.RepaymentRequest,
  LoanTerms: terms.Terms,
  LoanTermsInput: terms.LoanTermsInput,
  Collateral: terms.Collateral,
  DuplicateWarning: terms.DuplicateWarning,
  Disclosure: terms.Disclosure,
  FinanceParty: terms.FinanceParty,
  FinanceAuthorization: finance.Authorization,
  InputProblem: errorDetails.InputProblem,
}

export const shapeNames: SchemaNames = new Map(
  Object.entries(shapes).map(([name, shape]) => [shape, name]),
)
