/** The words, numbers and dates of a PDF in the languages of `profile.locale`. */
import type { DocumentTypeName } from '../contract/document-types.ts'
import type { Profile } from '../contract/shapes/organization.ts'

export type Language = Profile['locale']

const english = {
  code: 'en' as Language,
  decimalPoint: '.',
  thousands: ',',
  months: [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
  ],
  types: {
    invoice: 'Invoice',
    credit_note: 'Credit note',
    purchase_order: 'Purchase order',
    quote: 'Quote',
    contract: 'Contract',
    delivery_note: 'Delivery note',
    goods_receipt: 'Goods receipt',
    statement: 'Statement',
    agreement: 'Loan agreement',
    disbursement: 'Disbursement',
    repayment: 'Repayment',
  } satisfies Record<DocumentTypeName, string>,
  logoOf: (name: string) => `Logo of ${name}`,
  from: 'From',
  to: 'To',
  date: 'Date',
  dueDate: 'Due',
  validUntil: 'Valid until',
  currency: 'Currency',
  issuerReference: 'Our reference',
  buyerReference: 'Buyer reference',
  orderReference: 'Order number',
  items: 'Items',
  description: 'Description',
  quantity: 'Quantity',
  unitPrice: 'Unit price',
  discount: 'Discount',
  taxRate: 'Tax',
  amount: 'Amount',
  carriedForward: 'Carried forward',
  broughtForward: 'Brought forward',
  subtotal: 'Subtotal',
  tax: 'Tax',
  of: 'of',
  total: 'Total',
  payment: 'Payment',
  terms: 'Terms',
  dueOnReceipt: 'Due on receipt',
  netDays: (days: number) => `Net ${days}`,
  accountName: 'Account',
  iban: 'IBAN',
  bic: 'BIC',
  notes: 'Notes',
  references: 'References',
  proof: 'Proof',
  proofMeaning: (file: string, events: number) =>
    `The attached file ${file} proves the ${events} events of this document as recorded.`,
  proofCheck:
    'Check it offline: give this PDF to the verifier verify-bundle.mjs or verify_bundle.py.',
  taxNumber: 'VAT',
  companyNumber: 'Company no.',
  page: 'Page',
  draft: 'DRAFT',
  draftMeaning: 'Draft: not issued.',
  sandbox: 'SANDBOX',
  sandboxMeaning: 'Sandbox: no legal effect.',
  exemptions: {} as Readonly<Record<string, string>>,
}

export type Words = typeof english

const german: Words = {
  code: 'de',
  decimalPoint: ',',
  thousands: '.',
  months: [
    'Januar',
    'Februar',
    'März',
    'April',
    'Mai',
    'Juni',
    'Juli',
    'August',
    'September',
    'Oktober',
    'November',
    'Dezember',
  ],
  types: {
    invoice: 'Rechnung',
    credit_note: 'Rechnungskorrektur',
    purchase_order: 'Bestellung',
    quote: 'Angebot',
    contract: 'Vertrag',
    delivery_note: 'Lieferschein',
    goods_receipt: 'Wareneingangsbestätigung',
    statement: 'Kontoauszug',
    agreement: 'Darlehensvertrag',
    disbursement: 'Auszahlung',
    repayment: 'Rückzahlung',
  },
  logoOf: (name) => `Logo von ${name}`,
  from: 'Von',
  to: 'An',
  date: 'Datum',
  dueDate: 'Fällig',
  validUntil: 'Gültig bis',
  currency: 'Währung',
  issuerReference: 'Unser Zeichen',
  buyerReference: 'Käuferreferenz',
  orderReference: 'Bestellnummer',
  items: 'Positionen',
  description: 'Beschreibung',
  quantity: 'Menge',
  unitPrice: 'Einzelpreis',
  discount: 'Rabatt',
  taxRate: 'Steuer',
  amount: 'Betrag',
  carriedForward: 'Übertrag',
  broughtForward: 'Übertrag',
  subtotal: 'Zwischensumme',
  tax: 'Steuer',
  of: 'auf',
  total: 'Gesamtbetrag',
  payment: 'Zahlung',
  terms: 'Bedingungen',
  dueOnReceipt: 'Zahlbar sofort',
  netDays: (days) => `Zahlbar innerhalb von ${days} ${days === 1 ? 'Tag' : 'Tagen'}`,
  accountName: 'Konto',
  iban: 'IBAN',
  bic: 'BIC',
  notes: 'Anmerkungen',
  references: 'Bezüge',
  proof: 'Nachweis',
  proofMeaning: (file, events) =>
    `Die beigefügte Datei ${file} weist die ${events} Ereignisse dieses Dokuments nach.`,
  proofCheck: 'Offline prüfbar: dieses PDF an verify-bundle.mjs oder verify_bundle.py übergeben.',
  taxNumber: 'USt-IdNr.',
  companyNumber: 'Registernr.',
  page: 'Seite',
  draft: 'ENTWURF',
  draftMeaning: 'Entwurf: nicht ausgestellt.',
  sandbox: 'SANDBOX',
  sandboxMeaning: 'Sandbox: ohne rechtliche Wirkung.',
  exemptions: {
    E: 'Steuerfrei',
    AE: 'Steuerschuldnerschaft des Leistungsempfängers',
    K: 'Innergemeinschaftliche Lieferung',
    G: 'Ausfuhr aus der EU',
    O: 'Nicht steuerbar',
  },
}

export const languages: Readonly<Record<Language, Words>> = { en: english, de: german }

/** "1234.5" → "1,234.5" or "1.234,5". */
export const numberText = (decimal: string, words: Words): string => {
  const [whole = '', fraction] = decimal.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, words.thousands)
  return fraction === undefined ? grouped : `${grouped}${words.decimalPoint}${fraction}`
}

/** With two decimals or more. */
export const priceText = (decimal: string, words: Words): string => {
  const [whole = '', fraction = ''] = decimal.split('.')
  return numberText(`${whole}.${fraction.padEnd(2, '0')}`, words)
}

/** "21" → "21%" or "21 %", which does not break. */
export const percentText = (percent: string, words: Words): string =>
  `${numberText(percent, words)}${words.code === 'de' ? '\u00a0' : ''}%`

/** "2026-11-24" → "24 November 2026" or "24. November 2026". */
export const dateText = (date: string, { code, months }: Words): string => {
  const [year, month, day] = date.split('-')
  return `${Number(day)}${code === 'de' ? '.' : ''} ${months[Number(month) - 1]} ${year}`
}

/** "BE" → "Belgium" or "Belgien". */
export const countryText = (country: string, { code }: Words): string =>
  new Intl.DisplayNames([code], { type: 'region' }).of(country) ?? country
