/** What the documents of UBL 2.1 have in common. */
import type { Side } from '../../contract/document-types.ts'
import type { Profile } from '../../contract/shapes/organization.ts'
import { companyNumber } from './company-schemes.ts'
import {
  type ExportedDocument,
  type ExportedLine,
  type TaxGroup,
  exemptions,
  isOutsideVat,
  taxGroupsOf,
  totalsOf,
} from './exported-document.ts'
import { type Child, Markup, element, elementWith, optional, xmlDocument } from './xml.ts'

const namespaces = (root: string) => ({
  xmlns: `urn:oasis:names:specification:ubl:schema:xsd:${root}-2`,
  'xmlns:cac': 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2',
  'xmlns:cbc': 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2',
})

/** A document of UBL, which names the specification that it follows. */
export const ublDocument = (
  root: string,
  { customization, profile }: { customization?: string; profile?: string },
  ...children: Child[]
): string =>
  xmlDocument(
    elementWith(
      root,
      namespaces(root),
      optional('cbc:CustomizationID', customization),
      optional('cbc:ProfileID', profile),
      children,
    ),
  )

export const party = (
  document: ExportedDocument,
  side: Side,
  /** Where goods go from and to, only names and addresses count. */
  { hasTax = true, hasCompany = true }: { hasTax?: boolean; hasCompany?: boolean } = {},
): Markup | undefined => {
  const { legal_name, address, vat_id, electronic_address } = document.parties[side]
  const vat = !hasTax || isOutsideVat(document) ? undefined : vat_id
  return element(
    'cac:Party',
    endpoint(electronic_address),
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
      hasCompany ? companyNumber('cbc:CompanyID', document.parties[side]) : undefined,
    ),
  )
}

export const endpoint = (address: Profile['electronic_address']): Markup | undefined =>
  address === null
    ? undefined
    : elementWith('cbc:EndpointID', { schemeID: address.scheme }, address.id)

export const country = (code: string | null | undefined): Markup | undefined =>
  element('cac:Country', optional('cbc:IdentificationCode', code))

const taxScheme = (): Markup | undefined => element('cac:TaxScheme', element('cbc:ID', 'VAT'))

export const amount = (name: string, text: string, currency: string): Markup | undefined =>
  elementWith(name, { currencyID: currency }, text)

export const taxTotal = (document: ExportedDocument): Markup | undefined => {
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

export const monetaryTotal = (name: string, document: ExportedDocument): Markup | undefined => {
  const { currency } = document.content
  const { subtotal, total } = totalsOf(document)
  return element(
    name,
    amount('cbc:LineExtensionAmount', subtotal, currency),
    amount('cbc:TaxExclusiveAmount', subtotal, currency),
    amount('cbc:TaxInclusiveAmount', total, currency),
    amount('cbc:PayableAmount', total, currency),
  )
}

/** The item of a line. Deliveries have no tax. */
export const item = (line: ExportedLine, { hasTax = true } = {}): Markup | undefined =>
  element(
    'cac:Item',
    element('cbc:Name', line.description),
    element('cac:SellersItemIdentification', optional('cbc:ID', line.sku)),
    hasTax
      ? element(
          'cac:ClassifiedTaxCategory',
          element('cbc:ID', line.category),
          percent(line),
          taxScheme(),
        )
      : undefined,
  )

export const price = (line: ExportedLine, currency: string): Markup | undefined =>
  element('cac:Price', amount('cbc:PriceAmount', line.unitPrice, currency))

/** Pieces, for all that a line counts. */
export const quantity = (name: string, line: ExportedLine): Markup | undefined =>
  elementWith(name, { unitCode: 'C62' }, line.quantity)

/** 95 is a discount. A base without a percentage is not allowed (PEPPOL-EN16931-R042). */
export const discount = ({ discount: given }: ExportedLine, currency: string): Markup | undefined =>
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
