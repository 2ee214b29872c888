/**
 * Orders, quotes, delivery notes and goods receipts in UBL 2.1 (domain 7). Orders and delivery
 * notes follow Peppol BIS 3 (T01 and T16); for the other two, Peppol has no specification.
 */
import type { Side } from '../../contract/document-types.ts'
import {
  type ExportedDocument,
  type ExportedLine,
  buyerReferenceOf,
  exportedLinesOf,
  noteOf,
  orderNumberOf,
  totalsOf,
} from './exported-document.ts'
import {
  amount,
  discount,
  item,
  monetaryTotal,
  party,
  price,
  quantity,
  taxTotal,
  ublDocument,
} from './ubl-parts.ts'
import { type Markup, element, optional } from './xml.ts'

const order = {
  customization: 'urn:fdc:peppol.eu:poacc:trns:order:3',
  profile: 'urn:fdc:peppol.eu:poacc:bis:order_only:3',
}

const despatchAdvice = {
  customization: 'urn:fdc:peppol.eu:poacc:trns:despatch_advice:3',
  profile: 'urn:fdc:peppol.eu:poacc:bis:despatch_advice:3',
}

/** An order comes from the buyer. */
export const ublOrder = (document: ExportedDocument): string => {
  const { content } = document
  const quote = document.references.find(({ document_type: type }) => type === 'quote')
  return ublDocument(
    'Order',
    order,
    head(document),
    element('cbc:DocumentCurrencyCode', content.currency),
    element('cbc:CustomerReference', buyerReferenceOf(document)),
    validity(document),
    element('cac:QuotationDocumentReference', optional('cbc:ID', quote?.number)),
    element('cac:BuyerCustomerParty', party(document, 'issuer')),
    element('cac:SellerSupplierParty', party(document, 'counterparty', { hasTax: false })),
    element('cac:PaymentTerms', optional('cbc:Note', content.payment_terms)),
    taxSum(document),
    monetaryTotal('cac:AnticipatedMonetaryTotal', document),
    exportedLinesOf(content).map((line) =>
      element('cac:OrderLine', offeredLine(line, content.currency)),
    ),
  )
}

/** A quote comes from the seller. */
export const ublQuotation = (document: ExportedDocument): string => {
  const { content } = document
  return ublDocument(
    'Quotation',
    {},
    head(document),
    element('cbc:PricingCurrencyCode', content.currency),
    validity(document),
    element('cac:SellerSupplierParty', party(document, 'issuer')),
    element('cac:BuyerCustomerParty', party(document, 'counterparty')),
    taxTotal(document),
    monetaryTotal('cac:QuotedMonetaryTotal', document),
    exportedLinesOf(content).map((line) =>
      element('cac:QuotationLine', element('cbc:ID', line.id), offeredLine(line, content.currency)),
    ),
  )
}

/** What the supplier has sent. */
export const ublDespatchAdvice = (document: ExportedDocument): string =>
  ublDocument(
    'DespatchAdvice',
    despatchAdvice,
    head(document),
    orderReference(document),
    place('cac:DespatchSupplierParty', document, 'issuer'),
    place('cac:DeliveryCustomerParty', document, 'counterparty'),
    exportedLinesOf(document.content).map((line) =>
      element(
        'cac:DespatchLine',
        element('cbc:ID', line.id),
        quantity('cbc:DeliveredQuantity', line),
        // Which line of the order it is, no document of ours says (T16: NA).
        element('cac:OrderLineReference', element('cbc:LineID', 'NA')),
        item(line, { hasTax: false }),
      ),
    ),
  )

/** What the customer has received. */
export const ublReceiptAdvice = (document: ExportedDocument): string => {
  const delivery = document.references.find(({ document_type: type }) => type === 'delivery_note')
  return ublDocument(
    'ReceiptAdvice',
    {},
    head(document),
    orderReference(document),
    element('cac:DespatchDocumentReference', optional('cbc:ID', delivery?.number)),
    place('cac:DeliveryCustomerParty', document, 'issuer'),
    place('cac:DespatchSupplierParty', document, 'counterparty'),
    exportedLinesOf(document.content).map((line) =>
      element(
        'cac:ReceiptLine',
        element('cbc:ID', line.id),
        quantity('cbc:ReceivedQuantity', line),
        item(line, { hasTax: false }),
      ),
    ),
  )
}

const head = (document: ExportedDocument): (Markup | undefined)[] => [
  element('cbc:ID', document.number),
  element('cbc:IssueDate', document.content.document_date),
  optional('cbc:Note', noteOf(document)),
]

const validity = ({ content }: ExportedDocument): Markup | undefined =>
  element('cac:ValidityPeriod', optional('cbc:EndDate', content.valid_until))

const orderReference = (document: ExportedDocument): Markup | undefined =>
  element('cac:OrderReference', optional('cbc:ID', orderNumberOf(document)))

const place = (name: string, document: ExportedDocument, side: Side): Markup | undefined =>
  element(name, party(document, side, { hasTax: false, hasCompany: false }))

/** An order has no tax by rate. */
const taxSum = (document: ExportedDocument): Markup | undefined =>
  element(
    'cac:TaxTotal',
    amount('cbc:TaxAmount', totalsOf(document).tax, document.content.currency),
  )

const offeredLine = (line: ExportedLine, currency: string): Markup | undefined =>
  element(
    'cac:LineItem',
    element('cbc:ID', line.id),
    quantity('cbc:Quantity', line),
    amount('cbc:LineExtensionAmount', line.net, currency),
    discount(line, currency),
    price(line, currency),
    item(line),
  )
