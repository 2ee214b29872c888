/** Invoices and credit notes in UBL 2.1, as Peppol BIS Billing 3.0 wants them (domain 7). */
import type { Side } from '../../contract/document-types.ts'
import type { Profile } from '../../contract/shapes/organization.ts'
import { companyScheme } from './company-schemes.ts'
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
  orderOf,
  paymentTermsOf,
  taxGroupsOf,
  totalsOf,
} from './exported-document.ts'
import { Markup, element, elementWith, optional, xmlDocument } from './xml.ts'

const customization = 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0'
const profile = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0'

const namespaces = (root: string) => ({
  xmlns: `urn:oasis:names:specification:ubl:schema:xsd:${root}-2`,
  'xmlns:cac': 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2',
  'xmlns:cbc': 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2',
})

export const ublInvoice = (document: ExportedDocument): string => {
  const { content } = document
  const isCredit = document.type === 'credit_note'
  const root = isCredit ? 'CreditNote' : 'Invoice'
  const { document_date: date, due_date: due, currency } = content
  return xmlDocument(
    elementWith(
      root,
      namespaces(root),
      element('cbc:CustomizationID', customization),
      element('cbc:ProfileID', profile),
      element('cbc:ID', document.number),
      element('cbc:IssueDate', date),
      isCredit ? undefined : optional('cbc:DueDate', due),
      isCredit ? element('cbc:CreditNoteTypeCode', '381') : element('cbc:InvoiceTypeCode', '380'),
      optional('cbc:Note', noteOf(document)),
      element('cbc:DocumentCurrencyCode', currency),
      element('cbc:BuyerReference', buyerReferenceOf(document)),
      element('cac:OrderReference', optional('cbc:ID', orderOf(document)?.number)),
      billingReference(document),
      element('cac:AccountingSupplierParty', party(document, 'issuer')),
      element('cac:AccountingCustomerParty', party(document, 'counterparty')),
      delivery(document),
      paymentMeans(document, isCredit),
      element('cac:PaymentTerms', optional('cbc:Note', paymentTermsOf(document))),
      taxTotal(document),
      monetaryTotal(document),
      exportedLinesOf(content).map((line) => invoiceLine(line, currency, isCredit)),
    ),
  )
}

const billingReference = (document: ExportedDocument): Markup | undefined => {
  const invoice = creditedInvoiceOf(document)
  return element(
    'cac:BillingReference',
    element(
      'cac:InvoiceDocumentReference',
      optional('cbc:ID', invoice?.number),
      optional('cbc:IssueDate', invoice?.date),
    ),
  )
}

const party = (document: ExportedDocument, side: Side): Markup | undefined => {
  const { legal_name, address, vat_id, electronic_address } = document.parties[side]
  const vat = isOutsideVat(document) ? undefined : vat_id
  return element(
    'cac:Party',
    electronic_address === null
      ? undefined
      : elementWith(
          'cbc:EndpointID',
          { schemeID: electronic_address.scheme },
          electronic_address.id,
        ),
    element(
      'cac:PostalAddress',
      optional('cbc:StreetName', address?.line1),
      optional('cbc:AdditionalStreetName', address?.line2),
      optional('cbc:CityName', address?.city),
      optional('cbc:PostalZone', address?.postal_code),
      optional('cbc:CountrySubentity', address?.region),
      country(address?.country),
    ),
    vat == null
      ? undefined
      : element('cac:PartyTaxScheme', element('cbc:CompanyID', vat), taxScheme()),
    element(
      'cac:PartyLegalEntity',
      element('cbc:RegistrationName', legal_name ?? document.content[side].name),
      companyNumber(document.parties[side]),
    ),
  )
}

const companyNumber = (profile: Profile): Markup | undefined => {
  if (profile.company_id === null) return undefined
  const scheme = companyScheme(profile)
  const attributes = scheme === undefined ? {} : { schemeID: scheme }
  return elementWith('cbc:CompanyID', attributes, profile.company_id)
}

const country = (code: string | null | undefined): Markup | undefined =>
  element('cac:Country', optional('cbc:IdentificationCode', code))

const taxScheme = (): Markup | undefined => element('cac:TaxScheme', element('cbc:ID', 'VAT'))

/** A supply within the Union says when and where (BR-IC-11, BR-IC-12). */
const delivery = (document: ExportedDocument): Markup | undefined =>
  hasCategory(document, 'K')
    ? element(
        'cac:Delivery',
        element('cbc:ActualDeliveryDate', document.content.document_date),
        element(
          'cac:DeliveryLocation',
          element('cac:Address', country(document.parties.counterparty.address?.country)),
        ),
      )
    : undefined

/** A transfer to the account of the seller; what a credit note refunds goes the other way. */
const paymentMeans = (document: ExportedDocument, isCredit: boolean): Markup | undefined => {
  const { bank } = document.parties.issuer
  if (bank?.iban == null || isCredit) return undefined
  return element(
    'cac:PaymentMeans',
    element('cbc:PaymentMeansCode', document.content.currency === 'EUR' ? '58' : '30'),
    element('cbc:PaymentID', document.number),
    element(
      'cac:PayeeFinancialAccount',
      element('cbc:ID', bank.iban),
      optional('cbc:Name', bank.account_name),
      element('cac:FinancialInstitutionBranch', optional('cbc:ID', bank.bic)),
    ),
  )
}

const amount = (name: string, text: string, currency: string): Markup | undefined =>
  elementWith(name, { currencyID: currency }, text)

const taxTotal = (document: ExportedDocument): Markup | undefined => {
  const { content } = document
  return element(
    'cac:TaxTotal',
    amount('cbc:TaxAmount', totalsOf(document).tax, content.currency),
    taxGroupsOf(content).map((group) => taxSubtotal(group, content.currency)),
  )
}

const taxSubtotal = (group: TaxGroup, currency: string): Markup | undefined =>
  element(
    'cac:TaxSubtotal',
    amount('cbc:TaxableAmount', group.taxable, currency),
    amount('cbc:TaxAmount', group.tax, currency),
    element(
      'cac:TaxCategory',
      element('cbc:ID', group.category),
      percent(group),
      optional('cbc:TaxExemptionReasonCode', exemptions[group.category]?.code),
      optional('cbc:TaxExemptionReason', exemptions[group.category]?.reason),
      taxScheme(),
    ),
  )

const percent = ({ category, rate }: { category: string; rate: string }): Markup | undefined =>
  category === 'O' ? undefined : element('cbc:Percent', rate)

const monetaryTotal = (document: ExportedDocument): Markup | undefined => {
  const { currency } = document.content
  const { subtotal, total } = totalsOf(document)
  return element(
    'cac:LegalMonetaryTotal',
    amount('cbc:LineExtensionAmount', subtotal, currency),
    amount('cbc:TaxExclusiveAmount', subtotal, currency),
    amount('cbc:TaxInclusiveAmount', total, currency),
    amount('cbc:PayableAmount', total, currency),
  )
}

const invoiceLine = (line: ExportedLine, currency: string, isCredit: boolean): Markup | undefined =>
  element(
    isCredit ? 'cac:CreditNoteLine' : 'cac:InvoiceLine',
    element('cbc:ID', line.id),
    elementWith(
      isCredit ? 'cbc:CreditedQuantity' : 'cbc:InvoicedQuantity',
      { unitCode: 'C62' },
      line.quantity,
    ),
    amount('cbc:LineExtensionAmount', line.net, currency),
    discount(line, currency),
    element(
      'cac:Item',
      element('cbc:Name', line.description),
      element('cac:SellersItemIdentification', optional('cbc:ID', line.sku)),
      element(
        'cac:ClassifiedTaxCategory',
        element('cbc:ID', line.category),
        percent(line),
        taxScheme(),
      ),
    ),
    element('cac:Price', amount('cbc:PriceAmount', line.unitPrice, currency)),
  )

/** 95 is a discount. A base without a percentage is not allowed (PEPPOL-EN16931-R042). */
const discount = ({ discount: given }: ExportedLine, currency: string): Markup | undefined =>
  given === undefined
    ? undefined
    : element(
        'cac:AllowanceCharge',
        element('cbc:ChargeIndicator', 'false'),
        element('cbc:AllowanceChargeReasonCode', '95'),
        optional('cbc:MultiplierFactorNumeric', given.percent),
        amount('cbc:Amount', given.amount, currency),
        given.percent === undefined ? undefined : amount('cbc:BaseAmount', given.base, currency),
      )
