/** Every operation of the API, in the order of the docs. */
import { accept } from './invitation-acceptance.ts'
import * as invitations from './invitations.ts'
import * as members from './members.ts'
import * as approvalRules from './approval-rules.ts'
import * as approvals from './approvals.ts'
import * as attachments from './attachments.ts'
import * as connections from './connections.ts'
import * as browsers from './browser-sessions.ts'
import { list } from './document-list.ts'
import * as deliveries from './deliveries.ts'
import * as sandboxDemo from './sandbox-demo.ts'
import { createListingOfDemo } from './sandbox-demo-listing.ts'
import * as documents from './documents.ts'
import { enablement } from './enablement.ts'
import { idempotency } from './idempotency.ts'
import * as events from './events.ts'
import * as agreements from './finance-agreements.ts'
import { exportAgreement } from './finance-export.ts'
import * as listings from './finance-listings.ts'
import * as offers from './finance-offers.ts'
import * as financeSetup from './finance-setup.ts'
import * as keys from './keys.ts'
import * as me from './me.ts'
import * as requests from './request-log.ts'
import * as sandboxes from './sandboxes.ts'
import * as organization from './organization.ts'
import * as payments from './payments.ts'
import { search } from './search.ts'
import * as sandbox from './sandbox.ts'
import * as sandboxClock from './sandbox-clock.ts'
import * as statistics from './statistics.ts'
import * as sessions from './sessions.ts'
import { setup } from './setup.ts'
import { checks } from './document-checks.ts'
import { importDocument } from './document-import.ts'
import { render } from './document-render.ts'
import { lineage } from './lineage.ts'
import * as log from './transparency-log.ts'
import * as provenance from './provenance.ts'
import { receipt } from './receipts.ts'
import { authSpecification, specification } from './specification.ts'
import { transition } from './transition.ts'
import * as treasury from './treasury.ts'
import type { Operation } from './operation.ts'
import * as webhooks from './webhooks.ts'

export const operations: readonly Operation[] = [
  ...[list, documents.get, documents.create, documents.update, documents.issue],
  ...[transition, documents.transitions, documents.convert, importDocument, render, checks],
  ...[search, statistics.get],
  ...[attachments.list, attachments.create, attachments.get],
  ...[connections.list, connections.get, connections.create],
  ...[connections.accept, connections.decline, connections.end],
  ...[payments.pay, payments.list, payments.get],
  ...[approvals.list, approvals.get, approvals.approveOperation, approvals.declineOperation],
  ...[approvalRules.list, approvalRules.create, approvalRules.update, approvalRules.remove],
  approvalRules.tryRules,
  ...[treasury.listAccounts, treasury.getAccount, treasury.listBalances],
  ...[treasury.listTransactions, treasury.getTransaction],
  ...[financeSetup.getSetup, financeSetup.putSetup],
  ...[listings.listListings, listings.createListingOperation, listings.getListing],
  ...[listings.withdrawListing, offers.createOfferOperation],
  ...[offers.listOffers, offers.getOffer, offers.getAuthorization],
  ...[offers.acceptOfferOperation, offers.declineOffer, offers.withdrawOffer],
  ...[agreements.listAgreements, agreements.getAgreement, agreements.getRepayment],
  ...[agreements.repay, agreements.withdraw, exportAgreement],
  ...[events.list, events.get],
  ...[webhooks.list, webhooks.get, webhooks.create, webhooks.update, webhooks.remove],
  ...[webhooks.rotate, webhooks.ping],
  ...[deliveries.list, deliveries.get, deliveries.redeliver, deliveries.recover],
  ...[provenance.history, lineage, provenance.exportBundle, receipt],
  ...[log.keys, log.checkpoint, log.consistency, log.epochs],
  ...[keys.list, keys.get, keys.create, keys.rotate, keys.revoke],
  ...[organization.get, organization.update],
  ...[members.list, members.update, members.remove],
  ...[invitations.list, invitations.create, invitations.revoke],
  ...[requests.list, requests.get, sandboxes.list, sandboxes.create],
  ...[me.get, idempotency, enablement],
  ...[sandboxClock.get, sandboxClock.advance],
  ...[sandbox.topup, sandbox.reset, sandbox.simulate],
  ...[sandboxDemo.createDocument, sandboxDemo.transition, createListingOfDemo],
  specification(() => operations),
  ...[browsers.methods, setup, sessions.create, browsers.refresh, browsers.list, browsers.revoke],
  ...[sessions.get, browsers.stepUp, sessions.end, sessions.switchOrganization, accept],
  authSpecification(() => operations),
]
