/** Invoices and credit notes in UBL 2.1, as Peppol BIS Billing 3.0 wants them (domain 7). */
import {
  type ExportedDocument,
  type ExportedLine,
  buyerReferenceOf,
  creditedInvoiceOf,
  exportedLinesOf,
  hasCategory,
  noSubject,
  noteOf,
  orderNumberOf,
  paymentTermsOf,
  peppolBilling,
} from './exported-document.ts'
import {
  amount,
  country,
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

export const ublInvoice = (document: ExportedDocument): string => {
  const { content } = document
  const isCredit = document.type === 'credit_note'
  const root = isCredit ? 'CreditNote' : 'Invoice'
  const { document_date: date, due_date: due, currency } = content
  return ublDocument(
    root,
    peppolBilling,
    element('cbc:ID', document.number),
    element('cbc:IssueDate', date),
    isCredit ? undefined : optional('cbc:DueDate', due),
    isCredit ? element('cbc:CreditNoteTypeCode', '381') : element('cbc:InvoiceTypeCode', '380'),
    optional('cbc:Note', withSubject(noteOf(document))),
    element('cbc:DocumentCurrencyCode', currency),
    element('cbc:BuyerReference', buyerReferenceOf(document)),
    element('cac:OrderReference', optional('cbc:ID', orderNumberOf(document))),
    billingReference(document),
    element('cac:AccountingSupplierParty', party(document, 'issuer')),
    element('cac:AccountingCustomerParty', party(document, 'counterparty')),
    delivery(document),
    paymentMeans(document, isCredit),
    element('cac:PaymentTerms', optional('cbc:Note', paymentTermsOf(document))),
    taxTotal(document),
    monetaryTotal('cac:LegalMonetaryTotal', document),
    exportedLinesOf(content).map((line) => invoiceLine(line, currency, isCredit)),
  )
}

/**
 * Receivers take three characters between the first two `#` of a note for the code of its subject
 * (BT-21), and refuse codes that they do not know (BR-CL-08). ZZZ means none that others know.
 */
const withSubject = (note: string | undefined): string | undefined =>
  note !== undefined && /^[^#]*#[^#]{3}#/su.test(note) ? `${noSubject}${note}` : note

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

const invoiceLine = (line: ExportedLine, currency: string, isCredit: boolean): Markup | undefined =>
  element(
    isCredit ? 'cac:CreditNoteLine' : 'cac:InvoiceLine',
    element('cbc:ID', line.id),
    quantity(isCredit ? 'cbc:CreditedQuantity' : 'cbc:InvoicedQuantity', line),
    amount('cbc:LineExtensionAmount', line.net, currency),
    discount(line, currency),
    item(line),
    price(line, currency),
  )
