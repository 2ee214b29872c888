/** Offers for listings, and their acceptance (domain 5.2 to 5.4). */
import type { Call } from '../../context.ts'
import { refuse, refuseProblems } from '../../contract/errors.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import { AcceptedOffer, OfferAccept } from '../../contract/shapes/finance-agreements.ts'
import {
  Authorization,
  Offer,
  OfferCreate,
  OfferFilters,
  OfferPage,
} from '../../contract/shapes/finance.ts'
import { checkApproval } from '../../changes/approvals/required-approval.ts'
import { acceptOffer } from '../../changes/finance/accept-offer.ts'
import { checkSetUp, notConnected } from '../../changes/finance/eligibility.ts'
import { listingSubject, offerSubject } from '../../changes/finance/loan-approval.ts'
import { referencedRow } from '../../changes/finance/referenced-rows.ts'
import { createOffer, endOffer, offerProblems, openOfferOf } from '../../changes/finance/offers.ts'
import {
  type ListingRow,
  type OfferRow,
  projectAgreement,
  projectOffer,
} from '../../core/finance/finance-views.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import { namesOf } from '../../store/finance/finance-pages.ts'
import { listingFor } from '../../store/finance/listings.ts'
import { offerOf, offersPage } from '../../store/finance/offers.ts'
import { openConnectionBetween } from '../../store/identity/connections.ts'
import { approvableWrite, approvalNeeds } from '../approvals/approvable-writes.ts'
import { changeOf } from '../change-context.ts'
import {
  financePage,
  financePayments,
  financeReads,
  financeWrites,
  processorBlockersOf,
  refuseUnconnected,
  requireSetup,
} from './setup.ts'
import { type Reply, operation } from '../operation.ts'
import { JsonText } from '../reply-bodies.ts'
import { openPage } from '../paging.ts'
import { ownRecord } from '../path-ids.ts'
import { changeOfDocument, writeReply } from '../documents/replies.ts'

/** The views of some offers for the caller. */
const offerViews = async (call: Call, rows: readonly OfferRow[]) => {
  const ids = rows.flatMap(({ borrower_id, lender_id }) => [borrower_id, lender_id])
  const names = await namesOf(call.read, [...new Set(ids)])
  return (row: OfferRow) =>
    projectOffer(row, call.organization.id, {
      borrowerName: names.get(row.borrower_id)!,
      lenderName: names.get(row.lender_id)!,
    })
}

export const listOffers = operation({
  ...financeReads,
  id: 'finance.offers.list',
  method: 'GET',
  path: '/v1/finance/offers',
  summary: 'List offers, newest first',
  description: 'Returns the offers that the organization has made and those that it has received.',
  query: OfferFilters,
  response: OfferPage,
  summaryFields: ['id', 'listing_id', 'role', 'kind', 'status', 'terms.principal', 'expires_at'],
  toolFields: ['id', 'listing_id', 'role', 'kind', 'status', 'terms.principal'],
  errors: ['capability_unavailable'],
}).reads(async (call, { query }) => {
  await requireSetup(call)
  const page = openPage(call, 'offers', query)
  const rows = await offersPage(call.read, {
    ...financePage(call, query, page),
    listings: query.listing?.map((id) => decodeId('lst', id)!),
  })
  return { body: page.of(rows, await offerViews(call, rows), ({ id }) => id) }
})

export const getOffer = operation({
  ...financeReads,
  id: 'finance.offers.get',
  method: 'GET',
  path: '/v1/finance/offers/{id}',
  summary: 'Retrieve an offer',
  response: Offer,
  errors: ['not_found', 'sandbox_isolation', 'capability_unavailable'],
}).reads(async (call, { params }) => {
  await requireSetup(call)
  const row = await ownRecord(call, 'ofr', params.id, offerOf)
  return { body: (await offerViews(call, [row]))(row) }
})

export const getAuthorization = operation({
  ...financeReads,
  id: 'finance.offers.authorization',
  method: 'GET',
  path: '/v1/finance/offers/{id}/authorization',
  summary: 'Retrieve what accepting an offer authorizes',
  description:
    'The exact bytes of the standing authorization, in the canonical form of RFC 8785. Their SHA-256 is the digest that the borrower repeats to accept.',
  response: Authorization,
  errors: ['not_found', 'sandbox_isolation', 'capability_unavailable'],
}).reads(async (call, { params }) => {
  await requireSetup(call)
  const { authorization_text: text } = await ownRecord(call, 'ofr', params.id, offerOf)
  return { body: new JsonText<object>(text) }
})

const ownListing = ({ status }: ListingRow): Error =>
  refuse('conflict', 'The listing is your own: a lender that is connected to you makes offers.', {
    reason: 'illegal_transition',
    allowed: status === 'open' ? ['withdrawn'] : [],
    from: status,
    side: 'borrower',
  })

export const createOfferOperation = operation({
  ...financeWrites,
  id: 'finance.offers.create',
  method: 'POST',
  path: '/v1/finance/listings/{id}/offers',
  summary: 'Offer a loan for a listing',
  description:
    'At the ask of the listing, or at other terms. A later offer for the same listing supersedes it. What the borrower would authorize is frozen with the offer, its cost included.',
  body: OfferCreate,
  response: Offer,
  status: 201,
  errors: ['not_found', 'conflict', 'sandbox_isolation', 'capability_unavailable'],
}).decides(async (call, { params, body }) => {
  refuseProblems(offerProblems(body))
  await requireSetup(call)
  const lender = call.organization.id
  const row = await ownRecord(call, 'lst', params.id, listingFor)
  if (row.borrower_id === lender) throw ownListing(row)
  const found = await openConnectionBetween(call.read, row.borrower_id, lender)
  if (found === undefined) throw notConnected()
  refuseUnconnected(await processorBlockersOf(call, lender, row.currency))
  const path = `/v1/finance/listings/${params.id}/offers`
  const write = await approvableWrite(call, 'finance.offers.create', path, body)
  return {
    needs: {
      ...approvalNeeds(call, write),
      documents: [row.document_id],
      listings: [row.id],
      similarTo: [row],
      connections: [found.id],
      counters: [lender],
      setups: [lender],
      accountsOfOrganizations: [row.borrower_id, lender],
    },
    decide: (unit) => {
      const listing = unit.get('finance_listings', row.id)!
      const connection = unit.get('connections', found.id)!
      const change = changeOf(call, unit, write)
      checkApproval(change, listingSubject(listing))
      const offer = createOffer(change, { lender, listing, connection, body })
      const id = encodeId('ofr', offer.id)
      return {
        ...offerReply(call, unit, offer),
        resourceId: id,
        location: `/v1/finance/offers/${id}`,
      }
    },
  }
}, offerProblems)

const offerReply = (call: Call, unit: UnitOfWork, offer: OfferRow): Reply<Offer> => {
  const nameOf = (id: string) => unit.get('organizations', id)!.name
  const names = { borrowerName: nameOf(offer.borrower_id), lenderName: nameOf(offer.lender_id) }
  return { body: projectOffer(offer, call.organization.id, names) }
}

/** The rows that a move of an offer needs. */
const offerRows = (call: Call, offer: OfferRow) => ({
  documents: [offer.document_id],
  listings: [offer.listing_id],
  offers: [offer.id],
  counters: [call.organization.id, offer.borrower_id, offer.lender_id],
  setups: [call.organization.id],
})

const offerMove = async (
  call: Call,
  publicId: string,
  { role, to }: { role: 'borrower' | 'lender'; to: 'declined' | 'withdrawn' },
) => {
  await requireSetup(call)
  const row = await ownRecord(call, 'ofr', publicId, offerOf)
  return {
    needs: offerRows(call, row),
    decide: (unit: UnitOfWork): Reply<Offer> => {
      checkSetUp(unit, call.organization.id)
      const offer = openOfferOf(unit, call.organization.id, row.id, { role, to })
      const ended = endOffer(changeOf(call, unit), offer, to)
      return { ...offerReply(call, unit, ended), resourceId: publicId }
    },
  }
}

const offerMoveDefaults = {
  ...financeWrites,
  method: 'POST',
  body: NoBody,
  response: Offer,
  errors: ['not_found', 'conflict', 'sandbox_isolation', 'capability_unavailable'],
} as const

export const declineOffer = operation({
  ...offerMoveDefaults,
  id: 'finance.offers.decline',
  path: '/v1/finance/offers/{id}/decline',
  summary: 'Decline an offer, as the borrower',
}).decides((call, { params }) => offerMove(call, params.id, { role: 'borrower', to: 'declined' }))

export const withdrawOffer = operation({
  ...offerMoveDefaults,
  id: 'finance.offers.withdraw',
  path: '/v1/finance/offers/{id}/withdraw',
  summary: 'Withdraw an offer, as the lender',
}).decides((call, { params }) => offerMove(call, params.id, { role: 'lender', to: 'withdrawn' }))

export const acceptOfferOperation = operation({
  ...financePayments,
  id: 'finance.offers.accept',
  method: 'POST',
  path: '/v1/finance/offers/{id}/accept',
  summary: 'Accept an offer, as the borrower',
  description:
    'Repeats the digest of the standing authorization, and so authorizes what it says. In one step the invoice is pledged, the other offers lapse, and the agreement begins with its three documents.',
  body: OfferAccept,
  response: AcceptedOffer,
  status: 201,
  errors: ['not_found', 'conflict', 'sandbox_isolation', 'capability_unavailable'],
}).decides(async (call, { params, body }) => {
  await requireSetup(call)
  const borrower = call.organization.id
  const row = await ownRecord(call, 'ofr', params.id, offerOf)
  const { currency, lender_id: lender } = row
  refuseUnconnected(await processorBlockersOf(call, borrower, currency))
  const isLenderConnected = (await processorBlockersOf(call, lender, currency)).length === 0
  const rows = offerRows(call, row)
  const path = `/v1/finance/offers/${params.id}/accept`
  const write = await approvableWrite(call, 'finance.offers.accept', path, body)
  return {
    needs: {
      ...rows,
      ...approvalNeeds(call, write),
      connections: [row.connection_id],
      receivables: [row.document_id],
    },
    decide: (unit) => {
      checkSetUp(unit, borrower)
      const change = changeOf(call, unit, write)
      const asked = unit.get('finance_offers', row.id)!
      const listing = referencedRow(unit, 'finance_listings', asked.listing_id)
      checkApproval(change, offerSubject(asked, listing))
      const offer = openOfferOf(unit, borrower, row.id, { role: 'borrower', to: 'accepted' })
      const connection = unit.get('connections', row.connection_id)!
      const accepted = { offer, connection, digest: body.authorization_digest, isLenderConnected }
      const { agreement, documents } = acceptOffer(change, accepted)
      const viewed = (document: (typeof documents)['agreement']) => {
        const side = document.issuer_id === borrower ? 'issuer' : 'counterparty'
        const shown = { document, side, hidesNumber: call.dryRun } as const
        return (writeReply(call, unit, shown).body as JsonText<unknown>).text as string
      }
      const views = Object.entries(documents).map(([name, one]) => `"${name}":${viewed(one)}`)
      const view = JSON.stringify(projectAgreement(agreement, borrower))
      const id = encodeId('agr', agreement.id)
      const text = `{"agreement":${view},"documents":{${views.join(',')}}}`
      return {
        body: new JsonText(text),
        ...changeOfDocument(documents.agreement, text),
        resourceId: id,
        location: `/v1/finance/agreements/${id}`,
      }
    },
  }
})
