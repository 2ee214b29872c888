/** Every operation of the API, in the order of the docs. */
import { accept } from './identity/invitation-acceptance.ts'
import * as invitations from './identity/member-invitations.ts'
import * as members from './identity/members.ts'
import * as audit from './identity/audit.ts'
import * as preferences from './identity/preferences.ts'
import * as savedViews from './identity/saved-views.ts'
import * as approvalRules from './approvals/approval-rules.ts'
import * as approvals from './approvals/approvals.ts'
import * as attachments from './documents/attachments.ts'
import * as comments from './documents/comments.ts'
import * as connections from './identity/connections.ts'
import * as browsers from './identity/browser-sessions.ts'
import { list } from './documents/list.ts'
import * as passkeys from './identity/passkeys.ts'
import * as deviceCodes from './identity/device-codes.ts'
import * as deliveries from './webhooks/deliveries.ts'
import * as sandboxDemo from './sandbox/demo.ts'
import { createListingOfDemo } from './sandbox/demo-listing.ts'
import * as documents from './documents/documents.ts'
import { enablement } from './identity/enablement.ts'
import { idempotency } from './idempotency.ts'
import * as events from './webhooks/events.ts'
import * as agreements from './finance/agreements.ts'
import { exportAgreement } from './finance/export.ts'
import * as listings from './finance/listings.ts'
import * as offers from './finance/offers.ts'
import * as financeSetup from './finance/setup.ts'
import * as keys from './identity/keys.ts'
import * as me from './identity/me.ts'
import * as requests from './request-log.ts'
import * as sandboxes from './sandbox/sandboxes.ts'
import * as organization from './identity/organization.ts'
import { csv as paymentsCsv } from './payments/csv.ts'
import * as payments from './payments/payments.ts'
import { search } from './search.ts'
import * as sandbox from './sandbox/sandbox.ts'
import * as sandboxClock from './sandbox/clock.ts'
import { statement } from './payments/statement.ts'
import { stream } from './stream.ts'
import * as statistics from './statistics.ts'
import * as secondFactor from './identity/second-factor.ts'
import * as identities from './identity/identities.ts'
import * as signInLinks from './identity/sign-in-links.ts'
import * as currentSession from './identity/current-session.ts'
import * as sessions from './identity/sessions.ts'
import { setup } from './identity/first-owner.ts'
import { checks } from './documents/export-checks.ts'
import { csv } from './documents/csv.ts'
import { importDocument } from './documents/import.ts'
import { render } from './documents/render.ts'
import { lineage } from './provenance/lineage.ts'
import * as log from './provenance/transparency-log.ts'
import * as provenance from './provenance/provenance.ts'
import { receipt } from './provenance/receipts.ts'
import { authSpecification, specification } from './specification.ts'
import { transition } from './documents/transition.ts'
import * as treasury from './payments/treasury.ts'
import type { Operation } from './operation.ts'
import * as webhooks from './webhooks/webhooks.ts'

export const operations: readonly Operation[] = [
  list,
  documents.get,
  documents.create,
  documents.update,
  documents.issue,
  transition,
  documents.transitions,
  documents.convert,
  importDocument,
  render,
  checks,
  csv,
  search,
  statistics.get,
  stream,
  attachments.list,
  attachments.create,
  attachments.get,
  comments.list,
  comments.create,
  connections.list,
  connections.get,
  connections.create,
  connections.accept,
  connections.decline,
  connections.end,
  payments.pay,
  payments.list,
  payments.get,
  paymentsCsv,
  approvals.list,
  approvals.get,
  approvals.approveOperation,
  approvals.declineOperation,
  approvalRules.list,
  approvalRules.create,
  approvalRules.update,
  approvalRules.remove,
  approvalRules.tryRules,
  treasury.listAccounts,
  treasury.getAccount,
  treasury.listBalances,
  treasury.listTransactions,
  treasury.getTransaction,
  statement,
  financeSetup.getSetup,
  financeSetup.putSetup,
  listings.listListings,
  listings.createListingOperation,
  listings.getListing,
  listings.withdrawListing,
  offers.createOfferOperation,
  offers.listOffers,
  offers.getOffer,
  offers.getAuthorization,
  offers.acceptOfferOperation,
  offers.declineOffer,
  offers.withdrawOffer,
  agreements.listAgreements,
  agreements.getAgreement,
  agreements.getRepayment,
  agreements.repay,
  agreements.withdraw,
  exportAgreement,
  events.list,
  events.get,
  webhooks.list,
  webhooks.get,
  webhooks.create,
  webhooks.update,
  webhooks.remove,
  webhooks.rotate,
  webhooks.ping,
  deliveries.list,
  deliveries.get,
  deliveries.redeliver,
  deliveries.recover,
  provenance.history,
  lineage,
  provenance.exportBundle,
  receipt,
  log.keys,
  log.checkpoint,
  log.consistency,
  log.epochs,
  keys.list,
  keys.get,
  keys.create,
  keys.rotate,
  keys.revoke,
  organization.get,
  organization.update,
  members.list,
  members.update,
  members.remove,
  invitations.list,
  invitations.create,
  invitations.revoke,
  audit.list(() => operations),
  savedViews.list,
  savedViews.create,
  savedViews.update,
  savedViews.remove,
  preferences.get,
  preferences.update,
  requests.list,
  requests.get,
  sandboxes.list,
  sandboxes.create,
  me.get,
  idempotency,
  enablement,
  sandboxClock.get,
  sandboxClock.advance,
  sandbox.topup,
  sandbox.reset,
  sandbox.simulate,
  sandboxDemo.createDocument,
  sandboxDemo.transition,
  createListingOfDemo,
  specification(() => operations),
  browsers.methods,
  setup,
  sessions.create,
  browsers.refresh,
  browsers.list,
  browsers.revoke,
  currentSession.get,
  browsers.stepUp,
  currentSession.end,
  currentSession.switchOrganization,
  accept,
  secondFactor.start,
  secondFactor.confirm,
  secondFactor.remove,
  secondFactor.recoveryCodes,
  passkeys.start,
  passkeys.add,
  passkeys.list,
  passkeys.remove,
  passkeys.startSignIn,
  passkeys.signIn,
  deviceCodes.start,
  deviceCodes.token,
  deviceCodes.claim,
  deviceCodes.approve,
  deviceCodes.deny,
  signInLinks.ask,
  signInLinks.redeem,
  identities.list,
  identities.connect,
  identities.remove,
  authSpecification(() => operations),
]
