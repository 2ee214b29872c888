/** Invoices and credit notes in the Cross Industry Invoice of UN/CEFACT (EN 16931, domain 7). */
import type { Side } from '../../contract/document-types.ts'
import { companyNumber } from './company-schemes.ts'
import {
  type ExportedDocument,
  type ExportedLine,
  type TaxGroup,
  buyerReferenceOf,
  creditedInvoiceOf,
  exemptions,
  exportedLinesOf,
  hasCategory,
  isOutsideVat,
  noteOf,
  orderNumberOf,
  paymentTermsOf,
  peppolBilling,
  taxGroupsOf,
  totalsOf,
} from './exported-document.ts'
import { Markup, element, elementWith, optional, xmlDocument } from './xml.ts'

const standard = 'urn:un:unece:uncefact:data:standard'

const namespaces = {
  'xmlns:rsm': `${standard}:CrossIndustryInvoice:100`,
  'xmlns:ram': `${standard}:ReusableAggregateBusinessInformationEntity:100`,
  'xmlns:udt': `${standard}:UnqualifiedDataType:100`,
  'xmlns:qdt': `${standard}:QualifiedDataType:100`,
}

/** What a document says that it follows: a process (BT-23) and a specification (BT-24). */
interface Context {
  profile?: string
  customization: string
}

/** As Factur-X carries it: its profile EN 16931, which asks for no process. */
export const ciiInvoice = (document: ExportedDocument): string =>
  crossIndustryInvoice(document, { customization: 'urn:cen.eu:en16931:2017' })

/** The same for receivers in the Peppol network, who take no other specification. */
export const peppolCiiInvoice = (document: ExportedDocument): string =>
  crossIndustryInvoice(document, peppolBilling)

const crossIndustryInvoice = (
  document: ExportedDocument,
  { profile, customization }: Context,
): string =>
  xmlDocument(
    elementWith(
      'rsm:CrossIndustryInvoice',
      namespaces,
      element(
        'rsm:ExchangedDocumentContext',
        element(
          'ram:BusinessProcessSpecifiedDocumentContextParameter',
          optional('ram:ID', profile),
        ),
        element('ram:GuidelineSpecifiedDocumentContextParameter', element('ram:ID', customization)),
      ),
      element(
        'rsm:ExchangedDocument',
        element('ram:ID', document.number),
        element('ram:TypeCode', document.type === 'credit_note' ? '381' : '380'),
        element('ram:IssueDateTime', date(document.content.document_date)),
        element('ram:IncludedNote', optional('ram:Content', noteOf(document))),
      ),
      element(
        'rsm:SupplyChainTradeTransaction',
        exportedLinesOf(document.content).map(lineItem),
        agreement(document),
        delivery(document),
        settlement(document),
      ),
    ),
  )

/** 102 is CCYYMMDD. */
const date = (day: string, type = 'udt'): Markup | undefined =>
  elementWith(`${type}:DateTimeString`, { format: '102' }, day.replaceAll('-', ''))

const lineItem = (line: ExportedLine): Markup | undefined =>
  element(
    'ram:IncludedSupplyChainTradeLineItem',
    element('ram:AssociatedDocumentLineDocument', element('ram:LineID', line.id)),
    element(
      'ram:SpecifiedTradeProduct',
      optional('ram:SellerAssignedID', line.sku),
      element('ram:Name', line.description),
    ),
    element(
      'ram:SpecifiedLineTradeAgreement',
      element('ram:NetPriceProductTradePrice', element('ram:ChargeAmount', line.unitPrice)),
    ),
    element(
      'ram:SpecifiedLineTradeDelivery',
      elementWith('ram:BilledQuantity', { unitCode: 'C62' }, line.quantity),
    ),
    element(
      'ram:SpecifiedLineTradeSettlement',
      element(
        'ram:ApplicableTradeTax',
        element('ram:TypeCode', 'VAT'),
        element('ram:CategoryCode', line.category),
        percent(line),
      ),
      discount(line),
      element(
        'ram:SpecifiedTradeSettlementLineMonetarySummation',
        element('ram:LineTotalAmount', line.net),
      ),
    ),
  )

const percent = ({ category, rate }: { category: string; rate: string }): Markup | undefined =>
  category === 'O' ? undefined : element('ram:RateApplicablePercent', rate)

/** 95 is a discount. A base without a percentage is not allowed (PEPPOL-EN16931-R042). */
const discount = ({ discount: given }: ExportedLine): Markup | undefined =>
  given === undefined
    ? undefined
    : element(
        'ram:SpecifiedTradeAllowanceCharge',
        element('ram:ChargeIndicator', element('udt:Indicator', 'false')),
        optional('ram:CalculationPercent', given.percent),
        given.percent === undefined ? undefined : element('ram:BasisAmount', given.base),
        element('ram:ActualAmount', given.amount),
        element('ram:ReasonCode', '95'),
      )

const agreement = (document: ExportedDocument): Markup | undefined =>
  element(
    'ram:ApplicableHeaderTradeAgreement',
    element('ram:BuyerReference', buyerReferenceOf(document)),
    element('ram:SellerTradeParty', party(document, 'issuer')),
    element('ram:BuyerTradeParty', party(document, 'counterparty')),
    element(
      'ram:BuyerOrderReferencedDocument',
      optional('ram:IssuerAssignedID', orderNumberOf(document)),
    ),
  )

const party = (document: ExportedDocument, side: Side): (Markup | undefined)[] => {
  const { legal_name, address, vat_id, electronic_address } = document.parties[side]
  const vat = isOutsideVat(document) ? undefined : vat_id
  return [
    element('ram:Name', legal_name ?? document.content[side].name),
    element('ram:SpecifiedLegalOrganization', companyNumber('ram:ID', document.parties[side])),
    element(
      'ram:PostalTradeAddress',
      optional('ram:PostcodeCode', address?.postal_code),
      optional('ram:LineOne', address?.line1),
      optional('ram:LineTwo', address?.line2),
      optional('ram:CityName', address?.city),
      optional('ram:CountryID', address?.country),
      optional('ram:CountrySubDivisionName', address?.region),
    ),
    electronic_address === null
      ? undefined
      : element(
          'ram:URIUniversalCommunication',
          elementWith('ram:URIID', { schemeID: electronic_address.scheme }, electronic_address.id),
        ),
    vat == null
      ? undefined
      : element('ram:SpecifiedTaxRegistration', elementWith('ram:ID', { schemeID: 'VA' }, vat)),
  ]
}

/** Required also when it says nothing; a supply within the Union says when and where. */
const delivery = (document: ExportedDocument): Markup => {
  if (!hasCategory(document, 'K')) return new Markup('<ram:ApplicableHeaderTradeDelivery/>')
  const country = document.parties.counterparty.address?.country
  return element(
    'ram:ApplicableHeaderTradeDelivery',
    element(
      'ram:ShipToTradeParty',
      element('ram:PostalTradeAddress', optional('ram:CountryID', country)),
    ),
    element(
      'ram:ActualDeliverySupplyChainEvent',
      element('ram:OccurrenceDateTime', date(document.content.document_date)),
    ),
  )!
}

const settlement = (document: ExportedDocument): Markup | undefined => {
  const { content } = document
  const isCredit = document.type === 'credit_note'
  const { subtotal, tax, total } = totalsOf(document)
  const due = content.due_date === null ? undefined : date(content.due_date)
  const invoice = creditedInvoiceOf(document)
  return element(
    'ram:ApplicableHeaderTradeSettlement',
    isCredit ? undefined : element('ram:PaymentReference', document.number),
    element('ram:InvoiceCurrencyCode', content.currency),
    paymentMeans(document, isCredit),
    taxGroupsOf(content).map(tradeTax),
    element(
      'ram:SpecifiedTradePaymentTerms',
      optional('ram:Description', paymentTermsOf(document)),
      element('ram:DueDateDateTime', due),
    ),
    element(
      'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
      element('ram:LineTotalAmount', subtotal),
      element('ram:TaxBasisTotalAmount', subtotal),
      elementWith('ram:TaxTotalAmount', { currencyID: content.currency }, tax),
      element('ram:GrandTotalAmount', total),
      element('ram:DuePayableAmount', total),
    ),
    invoice === undefined
      ? undefined
      : element(
          'ram:InvoiceReferencedDocument',
          element('ram:IssuerAssignedID', invoice.number),
          element('ram:FormattedIssueDateTime', date(invoice.date, 'qdt')),
        ),
  )
}

const paymentMeans = (document: ExportedDocument, isCredit: boolean): Markup | undefined => {
  const { bank } = document.parties.issuer
  if (bank?.iban == null || isCredit) return undefined
  return element(
    'ram:SpecifiedTradeSettlementPaymentMeans',
    element('ram:TypeCode', document.content.currency === 'EUR' ? '58' : '30'),
    element(
      'ram:PayeePartyCreditorFinancialAccount',
      element('ram:IBANID', bank.iban),
      optional('ram:AccountName', bank.account_name),
    ),
    element('ram:PayeeSpecifiedCreditorFinancialInstitution', optional('ram:BICID', bank.bic)),
  )
}

const tradeTax = (group: TaxGroup): Markup | undefined =>
  element(
    'ram:ApplicableTradeTax',
    element('ram:CalculatedAmount', group.tax),
    element('ram:TypeCode', 'VAT'),
    optional('ram:ExemptionReason', exemptions[group.category]?.reason),
    element('ram:BasisAmount', group.taxable),
    element('ram:CategoryCode', group.category),
    optional('ram:ExemptionReasonCode', exemptions[group.category]?.code),
    percent(group),
  )
