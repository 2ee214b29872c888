/** Changes of a valid UBL invoice, each of which breaks one rule of imports and no other. */
import type { ImportRule } from '../../../src/core/interop/import-rules.ts'

type Mutate = (file: string) => string

/** The first one, such as the total of several amounts. */
const setText =
  (name: string, text: string): Mutate =>
  (file) =>
    file.replace(new RegExp(`(<cbc:${name}\\b[^>]*>)[^<]*`), `$1${text}`)

const remove =
  (name: string): Mutate =>
  (file) =>
    file.replace(new RegExp(`<cbc:${name}\\b.*?</cbc:${name}>`, 's'), '')

const insertBefore =
  (element: string, xml: string): Mutate =>
  (file) =>
    file.replace(`<${element}`, `${xml}<${element}`)

const all =
  (...mutations: Mutate[]): Mutate =>
  (file) =>
    mutations.reduce((changed, mutate) => mutate(changed), file)

/** Within the first element that matches. */
const within =
  (element: RegExp, mutate: Mutate): Mutate =>
  (file) =>
    file.replace(element, (found) => mutate(found))

const inTotals = (mutate: Mutate) => within(/<cac:LegalMonetaryTotal>.*/s, mutate)
const inLine = (mutate: Mutate) => within(/<cac:InvoiceLine>.*?<\/cac:InvoiceLine>/s, mutate)

/** Of the only group that is exempt, with its lines given another category. */
const inGroupOf = (category: string, mutate: Mutate): Mutate =>
  all(
    (file) => file.replaceAll('<cbc:ID>E</cbc:ID>', `<cbc:ID>${category}</cbc:ID>`),
    within(
      /<cac:TaxSubtotal>(?:(?!<cac:TaxSubtotal>).)*?<cbc:Percent>0(?:\.0+)?<.*?<\/cac:TaxSubtotal>/s,
      mutate,
    ),
  )

const setLines =
  (count: number, mutate: Mutate = (line) => line): Mutate =>
  (file) => {
    const [first = ''] = /<cac:InvoiceLine>.*?<\/cac:InvoiceLine>/s.exec(file) ?? []
    return file.replace(/<cac:InvoiceLine>.*<\/cac:InvoiceLine>/s, mutate(first).repeat(count))
  }

const allowanceCharge = (isCharge: boolean) =>
  `<cac:AllowanceCharge><cbc:ChargeIndicator>${isCharge}</cbc:ChargeIndicator><cbc:Amount currencyID="USD">1.00</cbc:Amount></cac:AllowanceCharge>`

const total = (name: string) => `<cbc:${name} currencyID="USD">1.00</cbc:${name}>`

const wrongBase = setText('TaxableAmount', '1.00')

export const importMutants: Readonly<Record<ImportRule, Mutate[]>> = {
  'BT-3': [setText('InvoiceTypeCode', '384'), setText('InvoiceTypeCode', 'constructor')],
  'BT-5': [(file) => file.replaceAll('USD', 'XAU')],
  'PEPPOL-EN16931-R051': [
    (file) => file.replace('PayableAmount currencyID="USD"', 'PayableAmount currencyID="EUR"'),
  ],
  'BG-4': [(file) => file.replaceAll('BE0202239951', 'BE0403019261')],
  'BT-25': [setText('InvoiceTypeCode', '381')],
  'BR-03': [setText('IssueDate', '21.11.2026'), remove('IssueDate')],
  'BT-2': [
    all(setText('IssueDate', '2999-01-01'), remove('DueDate')),
    all(setText('IssueDate', '1899-01-01'), remove('DueDate')),
  ],
  'BT-9': ['soon', '2000-01-01', '2999-01-01'].map((date) => setText('DueDate', date)),
  'BT-20': [all(remove('DueDate'), (file) => file.replace('Net 30', 'Net 500'))],
  'BR-16': [setLines(0)],
  'BG-25': [setLines(201)],
  'BR-25': [inLine(remove('Name'))],
  'BT-153': [
    (file) => file.replace('Wool', 'Wool'.repeat(1_000)),
    (file) => file.replace('Wool', 'Wool\u0085'),
  ],
  'BT-129': [
    ...['0.30000000000000004', '0.1234567', '-1', '1e3', '', '1000000000'].map((quantity) =>
      setText('InvoicedQuantity', quantity),
    ),
    remove('InvoicedQuantity'),
  ],
  'BR-27': [
    ...['-1', '0.1234567', '1000000000'].map((price) => setText('PriceAmount', price)),
    remove('PriceAmount'),
    (file) => file.replace('</cbc:PriceAmount>', '$&<cbc:BaseQuantity>7</cbc:BaseQuantity>'),
  ],
  'BT-149': ['0', '-1', 'ten'].map(
    (base): Mutate =>
      (file) =>
        file.replace('</cbc:PriceAmount>', `$&<cbc:BaseQuantity>${base}</cbc:BaseQuantity>`),
  ),
  'BT-152': [
    inLine(remove('Percent')),
    ...['2100', '21.00001'].map((percent) => inLine(setText('Percent', percent))),
  ],
  'BR-CO-04': ['X', 'constructor', ''].map(
    (category): Mutate =>
      (file) =>
        file.replace(/(<cac:ClassifiedTaxCategory><cbc:ID>)S/, `$1${category}`),
  ),
  'BR-41': [inLine(setText('Amount', '0.001')), inLine(remove('Amount'))],
  'BG-27': [inLine(setText('Amount', '99999.00'))],
  'BG-28': ['true', '1', ''].map((isCharge) => inLine(setText('ChargeIndicator', isCharge))),
  'BT-131': [
    inLine(setText('LineExtensionAmount', '1.00')),
    inLine(all(setText('InvoicedQuantity', '999999999'), setText('PriceAmount', '999999999'))),
  ],
  'BR-CO-10': [inTotals(setText('LineExtensionAmount', '1.00'))],
  'BR-CO-11': [
    insertBefore('cac:TaxTotal', allowanceCharge(false)),
    insertBefore('cbc:PayableAmount', total('AllowanceTotalAmount')),
  ],
  'BR-CO-12': [
    insertBefore('cac:TaxTotal', allowanceCharge(true)),
    insertBefore('cbc:PayableAmount', total('ChargeTotalAmount')),
  ],
  'BR-CO-13': [setText('TaxExclusiveAmount', '1.00')],
  'BR-46': [inGroupOf('E', setText('TaxAmount', '-1.00')), inGroupOf('E', remove('TaxAmount'))],
  'BR-47': ['X', 'constructor'].map(
    (category): Mutate =>
      (file) =>
        file.replace(/(<cac:TaxCategory><cbc:ID>)\w+/, `$1${category}`),
  ),
  'BR-S-08': [within(/<cac:TaxSubtotal>(?:(?!<cac:TaxSubtotal>).)*?<cbc:ID>S<.*/s, wrongBase)],
  'BR-Z-08': [inGroupOf('Z', wrongBase)],
  'BR-E-08': [inGroupOf('E', wrongBase), inGroupOf('E', remove('TaxableAmount'))],
  'BR-AE-08': [inGroupOf('AE', wrongBase)],
  'BR-IC-08': [inGroupOf('K', wrongBase)],
  'BR-G-08': [inGroupOf('G', wrongBase)],
  'BR-O-08': [inGroupOf('O', wrongBase)],
  'BR-CO-17': [inGroupOf('E', setText('TaxAmount', '1.00'))],
  'BR-CO-14': [setText('TaxAmount', '1.00')],
  'BR-14': [remove('TaxInclusiveAmount')],
  'BR-CO-15': [setText('TaxInclusiveAmount', '1.00')],
  'BT-112': [
    setLines(
      110,
      all(setText('InvoicedQuantity', '10'), setText('PriceAmount', '999999999'), (line) =>
        line.replace(/<cac:AllowanceCharge>.*<\/cac:AllowanceCharge>/s, ''),
      ),
    ),
  ],
  'BR-CO-16': [
    setText('PayableAmount', '1.00'),
    insertBefore('cbc:PayableAmount', total('PrepaidAmount')),
    insertBefore('cbc:PayableAmount', total('PayableRoundingAmount')),
  ],
}
