/** A UBL 2.1 Invoice or CreditNote → what it says. */
import { interopLimits } from '../../contract/interop-limits.ts'
import { noSubject } from './exported-document.ts'
import type {
  ImportedAllowance,
  ImportedDocument,
  ImportedLine,
  ImportedParty,
} from './imported-document.ts'
import {
  type XmlElement,
  childrenOf,
  elementAt,
  firstForeign,
  isChargeAt,
  readCurrencies,
  textAt,
  unreadTextAt,
  unreadTexts,
} from './xml-tree.ts'

const namespaces: Readonly<Record<string, string>> = {
  Invoice: 'urn:oasis:names:specification:ubl:schema:xsd:Invoice-2',
  CreditNote: 'urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2',
}

export const isUbl = ({ name, namespace }: XmlElement): boolean => namespaces[name] === namespace

const common = 'urn:oasis:names:specification:ubl:schema:xsd:Common'

/**
 * What UBL has not: elements that contain others are aggregates, those with a text are basic, and
 * extensions may contain what they like.
 */
export const foreignInUbl = (root: XmlElement): XmlElement | undefined =>
  firstForeign(root, (child) => {
    const { name, namespace, children, text } = child
    if (name === 'UBLExtensions' && namespace === `${common}ExtensionComponents-2`) return 'whole'
    if (children.length > 0) return namespace === `${common}AggregateComponents-2`
    const isBasic = namespace === `${common}BasicComponents-2`
    return isBasic || (text.trim() === '' && namespace === `${common}AggregateComponents-2`)
  })

export const readUbl = (root: XmlElement): ImportedDocument => {
  const text = (path: string): string | null => textAt(root, path)
  const isCredit = root.name === 'CreditNote'
  const currency = text('DocumentCurrencyCode')
  const taxTotal = childrenOf(root, 'TaxTotal').find(
    (total) => elementAt(total, 'TaxAmount')?.attributes['currencyID'] === currency,
  )
  const total = elementAt(root, 'LegalMonetaryTotal')
  const document: Omit<ImportedDocument, 'ignored' | 'amountCurrencies'> = {
    format: 'ubl',
    typeCode: text(isCredit ? 'CreditNoteTypeCode' : 'InvoiceTypeCode'),
    number: text('ID'),
    date: text('IssueDate'),
    dueDate: text('DueDate') ?? text('PaymentMeans/PaymentDueDate'),
    currency,
    paymentTerms: text('PaymentTerms/Note'),
    notes: childrenOf(root, 'Note').map((note) => withoutSubject(readText(note))),
    buyerReference: text('BuyerReference'),
    orderNumber: text('OrderReference/ID'),
    creditedInvoices: childrenOf(root, 'BillingReference').flatMap(
      (one) => textAt(one, 'InvoiceDocumentReference/ID') ?? [],
    ),
    seller: readParty(elementAt(root, 'AccountingSupplierParty/Party')),
    buyer: readParty(elementAt(root, 'AccountingCustomerParty/Party')),
    payee: payeeIn(elementAt(root, 'PayeeParty')),
    accounts: childrenOf(root, 'PaymentMeans').flatMap(
      (means) => unreadTextAt(means, 'PayeeFinancialAccount/ID') ?? [],
    ),
    lines: childrenOf(root, isCredit ? 'CreditNoteLine' : 'InvoiceLine').map(readLine),
    allowances: childrenOf(root, 'AllowanceCharge').map(readAllowance),
    taxGroups: childrenOf(taxTotal, 'TaxSubtotal').map((group) => ({
      category: textAt(group, 'TaxCategory/ID'),
      rate: textAt(group, 'TaxCategory/Percent'),
      taxable: textAt(group, 'TaxableAmount'),
      tax: textAt(group, 'TaxAmount'),
    })),
    totals: {
      lines: textAt(total, 'LineExtensionAmount'),
      allowances: textAt(total, 'AllowanceTotalAmount'),
      charges: textAt(total, 'ChargeTotalAmount'),
      net: textAt(total, 'TaxExclusiveAmount'),
      tax: textAt(taxTotal, 'TaxAmount'),
      total: textAt(total, 'TaxInclusiveAmount'),
      prepaid: textAt(total, 'PrepaidAmount'),
      rounding: textAt(total, 'PayableRoundingAmount'),
      payable: textAt(total, 'PayableAmount'),
    },
  }
  return {
    ...document,
    amountCurrencies: readCurrencies(root),
    ignored: unreadTexts(root, interopLimits.importReportMaxEntries),
  }
}

const readParty = (party: XmlElement | undefined): ImportedParty => {
  const vatScheme = childrenOf(party, 'PartyTaxScheme').find(
    (scheme) => textAt(scheme, 'TaxScheme/ID') === 'VAT',
  )
  return {
    name: textAt(party, 'PartyLegalEntity/RegistrationName') ?? textAt(party, 'PartyName/Name'),
    vatId: textAt(vatScheme, 'CompanyID'),
    companyId: textAt(party, 'PartyLegalEntity/CompanyID'),
    electronicAddress: textAt(party, 'EndpointID'),
  }
}

/** The draft keeps nothing of it, so it stays among what was ignored. */
const payeeIn = (party: XmlElement | undefined): ImportedParty | null =>
  party === undefined
    ? null
    : {
        name: unreadTextAt(party, 'PartyName/Name'),
        vatId: null,
        electronicAddress: null,
        companyId: unreadTextAt(party, 'PartyLegalEntity/CompanyID'),
      }

const readText = (element: XmlElement): string => {
  element.isRead = true
  return element.text.trim()
}

const readAllowance = (element: XmlElement): ImportedAllowance => ({
  isCharge: isChargeAt(element, 'ChargeIndicator'),
  amount: textAt(element, 'Amount'),
  percent: textAt(element, 'MultiplierFactorNumeric'),
})

/** The code of a subject that says none is no text of the note. */
const withoutSubject = (note: string): string =>
  note.startsWith(noSubject) ? note.slice(noSubject.length) : note

const readLine = (line: XmlElement): ImportedLine => {
  const item = elementAt(line, 'Item')
  return {
    description: textAt(item, 'Name'),
    sku: textAt(item, 'SellersItemIdentification/ID'),
    quantity: textAt(line, 'InvoicedQuantity') ?? textAt(line, 'CreditedQuantity'),
    unitPrice: textAt(line, 'Price/PriceAmount'),
    baseQuantity: textAt(line, 'Price/BaseQuantity'),
    net: textAt(line, 'LineExtensionAmount'),
    category: textAt(item, 'ClassifiedTaxCategory/ID'),
    rate: textAt(item, 'ClassifiedTaxCategory/Percent'),
    allowances: childrenOf(line, 'AllowanceCharge').map(readAllowance),
  }
}
