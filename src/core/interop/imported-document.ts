/** What a file of others says, as texts: nothing is calculated or completed (domain 7). */

export interface ImportedParty {
  name: string | null
  vatId: string | null
  companyId: string | null
  electronicAddress: string | null
}

export interface ImportedAllowance {
  isCharge: boolean
  amount: string | null
  percent: string | null
}

export interface ImportedLine {
  description: string | null
  sku: string | null
  quantity: string | null
  unitPrice: string | null
  /** For how many units the price is; one where it is absent. */
  baseQuantity: string | null
  net: string | null
  category: string | null
  /** Where it is that of the rate, and not written in the file. */
  isCategoryImplied?: true
  /** In percent. */
  rate: string | null
  allowances: ImportedAllowance[]
}

export interface ImportedTaxGroup {
  category: string | null
  rate: string | null
  taxable: string | null
  tax: string | null
}

/** The totals by the names of EN 16931. */
export interface ImportedTotals {
  /** BT-106 */
  lines: string | null
  /** BT-107 and BT-108 */
  allowances: string | null
  charges: string | null
  /** BT-109 */
  net: string | null
  /** BT-110 */
  tax: string | null
  /** BT-112 */
  total: string | null
  /** BT-113 and BT-114 */
  prepaid: string | null
  rounding: string | null
  /** BT-115 */
  payable: string | null
}

export interface ImportedDocument {
  format: 'ubl' | 'cii' | 'facturx' | 'csv'
  /** UNTDID 1001: 380 is an invoice, 381 a credit note. */
  typeCode: string | null
  number: string | null
  date: string | null
  dueDate: string | null
  currency: string | null
  /** What the amounts themselves say that they are in. */
  amountCurrencies: string[]
  paymentTerms: string | null
  notes: string[]
  buyerReference: string | null
  orderNumber: string | null
  /** BT-25 */
  creditedInvoices: string[]
  seller: ImportedParty
  buyer: ImportedParty
  /** BG-10; null where it is the seller. */
  payee: ImportedParty | null
  /** BT-84 */
  accounts: string[]
  lines: ImportedLine[]
  /** For the document as a whole. */
  allowances: ImportedAllowance[]
  /** Undefined for a format that has none. */
  taxGroups: ImportedTaxGroup[] | undefined
  totals: ImportedTotals
  /** What the file says beside this, at most so much of it as is reported. */
  ignored: { source: string; value: string }[]
}
