/** Listings of the demo counterparty, on request (domain 6). */
import { invalidRequest, refuse, refuseProblems } from '../../contract/errors.ts'
import { type DemoListing as Body, DemoListing, Listing } from '../../contract/shapes/finance.ts'
import type { LoanTermsInput } from '../../contract/shapes/finance-terms.ts'
import type { DocumentRow } from '../../changes/change-context.ts'
import { documentForWrite } from '../../changes/documents/document-access.ts'
import { createListing, listingProblems } from '../../changes/finance/listings.ts'
import { invoiceToCompare, nearTwinsOf } from '../../changes/finance/receivables.ts'
import { scheduleDemoLoan } from '../../changes/sandbox/demo-loan-scripts.ts'
import { systemChangeContext } from '../../changes/system-change-context.ts'
import type { Call } from '../../context.ts'
import { balanceDue } from '../../core/documents/projection.ts'
import { projectListing } from '../../core/finance/finance-views.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { fromMinor } from '../../core/money.ts'
import { defaultDemoListingScenario } from '../../core/sandbox/demo-loans.ts'
import { unlistedInvoice } from '../../store/sandbox/demo-invoices.ts'
import { operation } from '../operation.ts'
import { sandboxDefaults } from './clock.ts'
import { demoCounterpartyFor } from './demo.ts'

export const createListingOfDemo = operation({
  ...sandboxDefaults,
  family: 'finance',
  id: 'sandbox.demo.create_listing',
  method: 'POST',
  path: '/v1/sandbox/demo/listings',
  summary: 'Let the demo counterparty ask for a loan',
  description:
    'Lists a bill that you have approved, so that you can lend to the demo counterparty: make an offer, and the scenario answers it.',
  body: DemoListing,
  response: Listing,
  status: 201,
  errors: ['sandbox_isolation', 'capability_unavailable', 'not_found', 'conflict'],
}).decides(async (call, { body }) => {
  refuseProblems(listingProblems(body))
  const { id: borrower } = await demoCounterpartyFor(call)
  const id = await invoiceToList(call, borrower, body)
  const similarTo = await invoiceToCompare(call.read, id)
  const counters = [call.organization.id, borrower]
  return {
    needs: { documents: [id], counters, setups: [borrower], receivables: [id], similarTo },
    decide: (unit) => {
      const change = systemChangeContext(unit, call.requestId, call.context)
      const { document } = documentForWrite(unit, change.caller, call.organization.id, id)
      checkBill(document, borrower)
      const { scenario = defaultDemoListingScenario, notice, terms } = body
      const input = {
        document_id: encodeId('doc', id),
        terms: terms ?? defaultTerms(document),
        ...(notice === undefined ? {} : { notice }),
      }
      const listing = createListing(change, borrower, document, input)
      scheduleDemoLoan(change, { listing_id: listing.id, organization_id: borrower, scenario })
      const { name: borrowerName } = unit.get('organizations', borrower)!
      const nearTwins = nearTwinsOf(unit, listing)
      const view = projectListing(listing, call.organization.id, { borrowerName, nearTwins })
      return { body: view, resourceId: view.id, location: `/v1/finance/listings/${view.id}` }
    },
  }
}, listingProblems)

const invoiceToList = async (call: Call, demo: string, { document_id }: Body): Promise<string> => {
  if (document_id !== undefined) return decodeId('doc', document_id)!
  const id = await unlistedInvoice(call.read, demo, call.organization.id)
  if (id !== undefined) return id
  throw refuse('conflict', 'You have no approved bill from the demo counterparty: approve one.', {
    reason: 'not_payable',
  })
}

/** Four fifths of the invoice, for a fee of 2.5 %. */
const defaultTerms = (invoice: DocumentRow): LoanTermsInput => ({
  principal: fromMinor((balanceDue(invoice) * 4n) / 5n),
  fee: { type: 'bps', value: 250 },
  grace_days: 7,
})

const checkBill = (document: DocumentRow, demo: string): void => {
  if (document.type === 'invoice' && document.issuer_id === demo) return
  throw invalidRequest({
    param: '/document_id',
    code: 'invalid_value',
    message: 'Only a bill from the demo counterparty secures its loan.',
    fix: 'send the id of a bill that you have approved, or leave document_id out',
  })
}
