/** A Cross Industry Invoice of UN/CEFACT → what it says. */
import { interopLimits } from '../../contract/interop-limits.ts'
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

const standard = 'urn:un:unece:uncefact:data:standard:'
const namespace = `${standard}CrossIndustryInvoice:100`

export const isCii = (root: XmlElement): boolean =>
  root.name === 'CrossIndustryInvoice' && root.namespace === namespace

const inner = [
  `${standard}ReusableAggregateBusinessInformationEntity:100`,
  `${standard}UnqualifiedDataType:100`,
  `${standard}QualifiedDataType:100`,
  // Dates that are not read have it in headers of published samples, which others have copied.
  `${standard}QualifiedDataType:10`,
  'urn:un:unece:uncefact:data:Standard:QualifiedDataType:100',
]

/** What CII has not: only its three parts are in the namespace of the root. */
export const foreignInCii = (root: XmlElement): XmlElement | undefined =>
  firstForeign(root, (child, parent) =>
    parent === root ? child.namespace === namespace : inner.includes(child.namespace),
  )

export const readCii = (root: XmlElement): ImportedDocument => {
  const header = elementAt(root, 'ExchangedDocument')
  const transaction = elementAt(root, 'SupplyChainTradeTransaction')
  const agreement = elementAt(transaction, 'ApplicableHeaderTradeAgreement')
  const settlement = elementAt(transaction, 'ApplicableHeaderTradeSettlement')
  const terms = elementAt(settlement, 'SpecifiedTradePaymentTerms')
  const currency = textAt(settlement, 'InvoiceCurrencyCode')
  const document: Omit<ImportedDocument, 'ignored' | 'amountCurrencies'> = {
    format: 'cii',
    typeCode: textAt(header, 'TypeCode'),
    number: textAt(header, 'ID'),
    date: dayAt(header, 'IssueDateTime'),
    dueDate: dayAt(terms, 'DueDateDateTime'),
    currency,
    paymentTerms: textAt(terms, 'Description'),
    notes: childrenOf(header, 'IncludedNote').flatMap((note) => textAt(note, 'Content') ?? []),
    buyerReference: textAt(agreement, 'BuyerReference'),
    orderNumber: textAt(agreement, 'BuyerOrderReferencedDocument/IssuerAssignedID'),
    creditedInvoices: childrenOf(settlement, 'InvoiceReferencedDocument').flatMap(
      (one) => textAt(one, 'IssuerAssignedID') ?? [],
    ),
    seller: readParty(elementAt(agreement, 'SellerTradeParty')),
    buyer: readParty(elementAt(agreement, 'BuyerTradeParty')),
    payee: payeeIn(elementAt(settlement, 'PayeeTradeParty')),
    accounts: childrenOf(settlement, 'SpecifiedTradeSettlementPaymentMeans').flatMap(accountIn),
    lines: childrenOf(transaction, 'IncludedSupplyChainTradeLineItem').map(readLine),
    allowances: childrenOf(settlement, 'SpecifiedTradeAllowanceCharge').map(readAllowance),
    taxGroups: childrenOf(settlement, 'ApplicableTradeTax').map((group) => ({
      category: textAt(group, 'CategoryCode'),
      rate: textAt(group, 'RateApplicablePercent'),
      taxable: textAt(group, 'BasisAmount'),
      tax: textAt(group, 'CalculatedAmount'),
    })),
    totals: readTotals(settlement, currency),
  }
  return {
    ...document,
    amountCurrencies: readCurrencies(root),
    ignored: unreadTexts(root, interopLimits.importReportMaxEntries),
  }
}

const readParty = (party: XmlElement | undefined): ImportedParty => {
  const vat = childrenOf(party, 'SpecifiedTaxRegistration').find(
    (registration) => elementAt(registration, 'ID')?.attributes['schemeID'] === 'VA',
  )
  return {
    name: textAt(party, 'Name'),
    vatId: textAt(vat, 'ID'),
    companyId: textAt(party, 'SpecifiedLegalOrganization/ID'),
    electronicAddress: textAt(party, 'URIUniversalCommunication/URIID'),
  }
}

/** The draft keeps nothing of it, so it stays among what was ignored. */
const payeeIn = (party: XmlElement | undefined): ImportedParty | null =>
  party === undefined
    ? null
    : {
        name: unreadTextAt(party, 'Name'),
        vatId: null,
        electronicAddress: null,
        companyId: unreadTextAt(party, 'SpecifiedLegalOrganization/ID'),
      }

const accountIn = (means: XmlElement): string[] => {
  const account = elementAt(means, 'PayeePartyCreditorFinancialAccount')
  const id = unreadTextAt(account, 'IBANID') ?? unreadTextAt(account, 'ProprietaryID')
  return id === null ? [] : [id]
}

const readTotals = (
  settlement: XmlElement | undefined,
  currency: string | null,
): ImportedDocument['totals'] => {
  const sums = elementAt(settlement, 'SpecifiedTradeSettlementHeaderMonetarySummation')
  const tax = childrenOf(sums, 'TaxTotalAmount').find(
    ({ attributes }) => (attributes['currencyID'] ?? currency) === currency,
  )
  if (tax !== undefined) tax.isRead = true
  return {
    lines: textAt(sums, 'LineTotalAmount'),
    allowances: textAt(sums, 'AllowanceTotalAmount'),
    charges: textAt(sums, 'ChargeTotalAmount'),
    net: textAt(sums, 'TaxBasisTotalAmount'),
    tax: tax?.text.trim() ?? null,
    total: textAt(sums, 'GrandTotalAmount'),
    prepaid: textAt(sums, 'TotalPrepaidAmount'),
    rounding: textAt(sums, 'RoundingAmount'),
    payable: textAt(sums, 'DuePayableAmount'),
  }
}

/** CCYYMMDD → CCYY-MM-DD; another form stays as it is, and is refused as a date. */
const dayAt = (parent: XmlElement | undefined, path: string): string | null =>
  textAt(parent, `${path}/DateTimeString`)?.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3') ?? null

const readAllowance = (element: XmlElement): ImportedAllowance => ({
  isCharge: isChargeAt(element, 'ChargeIndicator/Indicator'),
  amount: textAt(element, 'ActualAmount'),
  percent: textAt(element, 'CalculationPercent'),
})

const readLine = (line: XmlElement): ImportedLine => {
  const product = elementAt(line, 'SpecifiedTradeProduct')
  const price = elementAt(line, 'SpecifiedLineTradeAgreement/NetPriceProductTradePrice')
  const settlement = elementAt(line, 'SpecifiedLineTradeSettlement')
  const sums = elementAt(settlement, 'SpecifiedTradeSettlementLineMonetarySummation')
  return {
    description: textAt(product, 'Name'),
    sku: textAt(product, 'SellerAssignedID'),
    quantity: textAt(line, 'SpecifiedLineTradeDelivery/BilledQuantity'),
    unitPrice: textAt(price, 'ChargeAmount'),
    baseQuantity: textAt(price, 'BasisQuantity'),
    net: textAt(sums, 'LineTotalAmount'),
    category: textAt(settlement, 'ApplicableTradeTax/CategoryCode'),
    rate: textAt(settlement, 'ApplicableTradeTax/RateApplicablePercent'),
    allowances: childrenOf(settlement, 'SpecifiedTradeAllowanceCharge').map(readAllowance),
  }
}
