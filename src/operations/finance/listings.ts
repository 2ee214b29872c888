/** Listings of invoices for loans (domain 5.2). */
import type { Call } from '../../context.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import {
  Listing,
  ListingCreate,
  ListingFilters,
  ListingPage,
} from '../../contract/shapes/finance.ts'
import type { ChangeContext } from '../../changes/change-context.ts'
import { documentForWrite } from '../../changes/documents/document-access.ts'
import { borrowerSetup } from '../../changes/finance/eligibility.ts'
import {
  createListing,
  endListing,
  listingProblems,
  openListingOf,
} from '../../changes/finance/listings.ts'
import { invoiceToCompare, nearTwinsOf } from '../../changes/finance/receivables.ts'
import { scheduleDemoLoan } from '../../changes/sandbox/demo-loan-scripts.ts'
import { type ListingRow, projectListing } from '../../core/finance/finance-views.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { defaultListingScenario } from '../../core/sandbox/demo-loans.ts'
import { demoCounterparty } from '../../store/sandbox/demo-scripts.ts'
import { namesOf } from '../../store/finance/finance-pages.ts'
import { listingFor, listingsPage, nearTwinCounts } from '../../store/finance/listings.ts'
import { refuseProblems } from '../../contract/errors.ts'
import { changeOf } from '../change-context.ts'
import {
  financePage,
  financeReads,
  financeWrites,
  processorBlockersOf,
  refuseUnconnected,
  requireSetup,
} from './setup.ts'
import { operation } from '../operation.ts'
import { openPage } from '../paging.ts'
import { ownRecord } from '../path-ids.ts'

/** The views of some listings, in their order. */
const listingViews = async (call: Call, rows: readonly ListingRow[]) => {
  const counts = await nearTwinCounts(
    call.read,
    rows.map(({ id }) => id),
  )
  const names = await namesOf(
    call.read,
    rows.map(({ borrower_id }) => borrower_id),
  )
  return (row: ListingRow) =>
    projectListing(row, call.organization.id, {
      borrowerName: names.get(row.borrower_id)!,
      nearTwins: counts.get(row.id) ?? 0,
    })
}

export const listListings = operation({
  ...financeReads,
  id: 'finance.listings.list',
  method: 'GET',
  path: '/v1/finance/listings',
  summary: 'List listings, newest first',
  description:
    'Borrowers see their own listings; lenders see the open ones of the borrowers to whom they are connected.',
  query: ListingFilters,
  response: ListingPage,
  summaryFields: [
    'id',
    'role',
    'status',
    'borrower',
    'collateral',
    'terms.principal',
    'expires_at',
  ],
  toolFields: ['id', 'role', 'status', 'borrower.name', 'collateral', 'terms.principal'],
  errors: ['capability_unavailable'],
}).reads(async (call, { query }) => {
  await requireSetup(call)
  const page = openPage(call, 'listings', query)
  const rows = await listingsPage(call.read, financePage(call, query, page))
  return { body: page.of(rows, await listingViews(call, rows), ({ id }) => id) }
})

export const getListing = operation({
  ...financeReads,
  id: 'finance.listings.get',
  method: 'GET',
  path: '/v1/finance/listings/{id}',
  summary: 'Retrieve a listing',
  response: Listing,
  errors: ['not_found', 'sandbox_isolation', 'capability_unavailable'],
}).reads(async (call, { params }) => {
  await requireSetup(call)
  const row = await ownRecord(call, 'lst', params.id, listingFor)
  return { body: (await listingViews(call, [row]))(row) }
})

export const createListingOperation = operation({
  ...financeWrites,
  id: 'finance.listings.create',
  method: 'POST',
  path: '/v1/finance/listings',
  summary: 'Ask for a loan against an invoice',
  description:
    'The invoice must be approved, with a due date that is not past and a balance that covers the principal, and neither listed, pledged nor being paid. Lenders learn its currency, balance, due date and status, and how many invoices look like it. A demo counterparty plays `sandbox_scenario`, by default `offer_at_ask`.',
  body: ListingCreate,
  response: Listing,
  status: 201,
  errors: ['not_found', 'conflict', 'sandbox_isolation', 'capability_unavailable', 'sandbox_quota'],
}).decides(async (call, { body }) => {
  refuseProblems(listingProblems(body))
  const borrower = call.organization.id
  const id = decodeId('doc', body.document_id)!
  const similarTo = await invoiceToCompare(call.read, id)
  const blockers = await processorBlockersOf(call, borrower, similarTo[0]?.currency)
  const demo =
    call.organization.mode === 'test' ? await demoCounterparty(call.read, borrower) : undefined
  const counters = demo === undefined ? [borrower] : [borrower, demo.id]
  return {
    needs: { documents: [id], counters, setups: [borrower], receivables: [id], similarTo },
    decide: (unit) => {
      const change = changeOf(call, unit)
      borrowerSetup(unit, borrower)
      const { document } = documentForWrite(unit, change.caller, borrower, id)
      refuseUnconnected(blockers)
      const listing = createListing(change, borrower, document, body)
      if (demo !== undefined) letDemoLend(change, listing, demo.id)
      return listingReply(call, listing, nearTwinsOf(unit, listing))
    },
  }
}, listingProblems)

/** The demo counterparty looks at the listing, as its lender. */
const letDemoLend = (change: ChangeContext, listing: ListingRow, demo: string): void => {
  const scenario = listing.sandbox_scenario ?? defaultListingScenario
  scheduleDemoLoan(change, { listing_id: listing.id, organization_id: demo, scenario })
}

const listingReply = ({ organization }: Call, listing: ListingRow, nearTwins: number) => {
  const id = encodeId('lst', listing.id)
  const view = projectListing(listing, organization.id, {
    borrowerName: organization.name,
    nearTwins,
  })
  return { body: view, resourceId: id, location: `/v1/finance/listings/${id}` }
}

export const withdrawListing = operation({
  ...financeWrites,
  id: 'finance.listings.withdraw',
  method: 'POST',
  path: '/v1/finance/listings/{id}/withdraw',
  summary: 'Withdraw a listing',
  description: 'Its open offers lapse.',
  body: NoBody,
  response: Listing,
  errors: ['not_found', 'conflict', 'sandbox_isolation', 'capability_unavailable'],
}).decides(async (call, { params }) => {
  await requireSetup(call)
  const borrower = call.organization.id
  const row = await ownRecord(call, 'lst', params.id, listingFor)
  return {
    needs: {
      documents: [row.document_id],
      listings: [row.id],
      similarTo: [row],
      counters: [borrower],
    },
    decide: (unit) => {
      const listing = openListingOf(unit, borrower, row.id)
      const ended = endListing(changeOf(call, unit), listing, 'withdrawn')
      return {
        body: listingReply(call, ended, nearTwinsOf(unit, ended)).body,
        resourceId: params.id,
      }
    },
  }
})
