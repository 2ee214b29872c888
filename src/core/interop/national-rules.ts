/** The rules of single countries in Peppol BIS Billing 3.0 that our exports can break. */
import type { Side } from '../../contract/document-types.ts'
import { isElectronicAddress } from '../identity/business-identifiers.ts'
import { companyScheme } from './company-schemes.ts'
import { type ExportRule, countryOf, fieldIf, linesIf, requiredFields } from './export-rule.ts'
import { type ExportedDocument, isOutsideVat } from './exported-document.ts'

const isFrom = (document: ExportedDocument, country: string, side: Side = 'issuer'): boolean =>
  countryOf(document, side) === country

const isWithin = (document: ExportedDocument, country: string): boolean =>
  isFrom(document, country) && isFrom(document, country, 'counterparty')

const namesNoAccount = ({ type, parties }: ExportedDocument): boolean =>
  type === 'credit_note' || parties.issuer.bank?.iban == null

/** The rules that name the register of a company. */
const companyRules = (
  [
    ['DK-R-014', 'issuer', 'DK', 'The company number of a Danish seller is its CVR number.'],
    ['DK-R-017', 'counterparty', 'DK', 'The company number of a Danish buyer is its CVR number.'],
    ['NL-R-003', 'issuer', 'NL', 'The company number of a Dutch seller is its KVK or OIN number.'],
    ['NL-R-005', 'counterparty', 'NL', 'The company number of a Dutch buyer is its KVK or OIN.'],
  ] as const
).map(([rule, side, country, message]): ExportRule => ({
  rule,
  message,
  brokenBy: (document) => {
    const applies = side === 'issuer' ? isFrom(document, country) : isWithin(document, country)
    const profile = document.parties[side]
    const isOther = profile.company_id !== null && companyScheme(profile) === undefined
    return fieldIf(applies && isOther, `${side}.company_id`)
  },
}))

const german: readonly ExportRule[] = [
  {
    rule: 'DE-R-001',
    message: 'A document between German parties names the account of the seller.',
    brokenBy: (document) =>
      fieldIf(isWithin(document, 'DE') && namesNoAccount(document), 'issuer.bank.iban'),
  },
  {
    rule: 'DE-R-002',
    message:
      'A document between German parties names a contact of the seller, which profiles lack.',
    brokenBy: (document) => fieldIf(isWithin(document, 'DE'), 'issuer.contact'),
  },
  {
    rule: 'DE-R-014',
    message: 'A document between German parties has a rate on every line: category O has none.',
    brokenBy: (document) =>
      isWithin(document, 'DE')
        ? linesIf(document, 'tax_category', (category) => category === 'O')
        : [],
  },
  ...requiredFields(
    (document) => isWithin(document, 'DE'),
    [
      {
        rule: 'DE-R-003',
        side: 'issuer',
        field: 'address.city',
        message: 'A German seller of a German buyer has a city.',
      },
      {
        rule: 'DE-R-004',
        side: 'issuer',
        field: 'address.postal_code',
        message: 'A German seller of a German buyer has a post code.',
      },
      {
        rule: 'DE-R-008',
        side: 'counterparty',
        field: 'address.city',
        message: 'A German buyer of a German seller has a city.',
      },
      {
        rule: 'DE-R-009',
        side: 'counterparty',
        field: 'address.postal_code',
        message: 'A German buyer of a German seller has a post code.',
      },
    ],
  ),
]

const address = ['address.line1', 'address.city', 'address.postal_code'] as const

const dutch: readonly ExportRule[] = [
  ...requiredFields(
    (document) => isFrom(document, 'NL'),
    address.map((field) => ({
      rule: 'NL-R-002',
      side: 'issuer',
      field,
      message: 'The address of a Dutch seller has a street, a city and a post code.',
    })),
  ),
  ...requiredFields(
    (document) => isWithin(document, 'NL'),
    address.map((field) => ({
      rule: 'NL-R-004',
      side: 'counterparty',
      field,
      message: 'The address of a Dutch buyer of a Dutch seller has a street, city and post code.',
    })),
  ),
  {
    rule: 'NL-R-007',
    message: 'An invoice of a Dutch seller names the account of the seller.',
    brokenBy: (document) =>
      fieldIf(
        isFrom(document, 'NL') &&
          document.type === 'invoice' &&
          document.content.total > 0 &&
          namesNoAccount(document),
        'issuer.bank.iban',
      ),
  },
]

const danish: readonly ExportRule[] = [
  ...requiredFields(
    (document) => isFrom(document, 'DK'),
    [
      {
        rule: 'DK-R-002',
        side: 'issuer',
        field: 'company_id',
        message: 'A Danish seller names its CVR number.',
      },
    ],
  ),
  {
    rule: 'DK-R-005',
    message: 'Between Danish parties, only a transfer in euros has a code that is allowed.',
    brokenBy: (document) =>
      fieldIf(
        isWithin(document, 'DK') &&
          document.content.currency !== 'EUR' &&
          !namesNoAccount(document),
        'currency',
      ),
  },
]

const isSwedishCompany = (number: string | null): boolean =>
  number === null || isElectronicAddress('0007', number)

const swedish: readonly ExportRule[] = [
  {
    rule: 'SE-R-013',
    message: 'The company number of a Swedish seller has 10 digits, of which the last is checked.',
    brokenBy: (document) =>
      fieldIf(
        isFrom(document, 'SE') && !isSwedishCompany(document.parties.issuer.company_id),
        'issuer.company_id',
      ),
  },
]

const hasSwedishVat = (document: ExportedDocument): boolean =>
  isFrom(document, 'SE') && document.parties.issuer.vat_id?.startsWith('SE') === true

const isSwedishRate = (rate: number): boolean => [0.25, 0.12, 0.06].includes(rate)

const swedishRatesInUbl: ExportRule = {
  rule: 'SE-R-006',
  message: 'A Swedish seller charges 25, 12 or 6 %.',
  brokenBy: (document) =>
    hasSwedishVat(document)
      ? linesIf(
          document,
          'tax_rate',
          (category, { tax_rate }) => category === 'S' && !isSwedishRate(tax_rate),
        )
      : [],
}

/** For CII, the rule counts what is not taxed as well. */
const swedishRatesInCii: ExportRule = {
  rule: 'SE-R-006',
  message: 'In CII, every line of a Swedish seller has 25, 12 or 6 %: send UBL for other ones.',
  brokenBy: (document) =>
    hasSwedishVat(document) && !isOutsideVat(document)
      ? linesIf(document, 'tax_rate', (_, { tax_rate }) => !isSwedishRate(tax_rate))
      : [],
}

const italian = requiredFields(
  (document) => isFrom(document, 'IT'),
  [
    {
      rule: 'IT-R-002',
      side: 'issuer',
      field: 'address.line1',
      message: 'The address of an Italian seller has a street.',
    },
    {
      rule: 'IT-R-003',
      side: 'issuer',
      field: 'address.city',
      message: 'The address of an Italian seller has a city.',
    },
    {
      rule: 'IT-R-004',
      side: 'issuer',
      field: 'address.postal_code',
      message: 'The address of an Italian seller has a post code.',
    },
  ],
)

const norwegian: readonly ExportRule[] = [
  {
    rule: 'NO-R-001',
    message: 'The VAT number of a Norwegian seller is NO, nine digits and MVA.',
    brokenBy: (document) => {
      const { vat_id: number } = document.parties.issuer
      const isPlain = number?.startsWith('NO') === true && !number.endsWith('MVA')
      return fieldIf(isPlain && !isOutsideVat(document), 'issuer.vat_id')
    },
  },
  {
    rule: 'NO-R-002',
    message: 'Most Norwegian sellers write “Foretaksregisteret”, which exports do not.',
    isWarning: true,
    brokenBy: (document) => fieldIf(isFrom(document, 'NO'), 'issuer.company_id'),
  },
]

const icelandic = [
  ...requiredFields(
    (document) => isFrom(document, 'IS'),
    [
      {
        rule: 'IS-R-002',
        side: 'issuer',
        field: 'company_id',
        message: 'An Icelandic seller names its kennitala.',
      },
      ...(['address.line1', 'address.postal_code'] as const).map((field) => ({
        ...({ rule: 'IS-R-003', side: 'issuer', field } as const),
        message: 'The address of an Icelandic seller has a street and a post code.',
      })),
    ],
  ),
  ...requiredFields(
    (document) => isWithin(document, 'IS'),
    [
      {
        rule: 'IS-R-004',
        side: 'counterparty',
        field: 'company_id',
        message: 'An Icelandic buyer of an Icelandic seller is named by its kennitala.',
      },
      ...(['address.line1', 'address.postal_code'] as const).map((field) => ({
        ...({ rule: 'IS-R-005', side: 'counterparty', field } as const),
        message: 'The address of an Icelandic buyer has a street and a post code.',
      })),
    ],
  ),
]

const greek: readonly ExportRule[] = [
  {
    rule: 'GR-R-001-1',
    message: 'The number of a Greek invoice has six parts, and ours has one: Greece needs myDATA.',
    brokenBy: (document) => fieldIf(isFrom(document, 'GR'), 'number'),
  },
]

const inBoth = [...companyRules, ...dutch, ...danish, ...swedish, ...italian, ...norwegian]

/** By the syntax: Peppol has no rules for CII of Germany, Iceland and Greece. */
export const nationalRules = {
  ubl: [...inBoth, swedishRatesInUbl, ...german, ...icelandic, ...greek],
  peppol_cii: [...inBoth, swedishRatesInCii],
} as const satisfies Readonly<Record<string, readonly ExportRule[]>>
