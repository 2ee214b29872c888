/** The calling organization and its profile, which exports show (contract 12, domain 7). */
import { type Static, Type } from 'typebox'
import { interopLimits } from '../interop-limits.ts'
import { Id, Line, NonBlankLine, Nullable, StringEnum } from './field-types.ts'
import { InputObject, OutputObject } from './objects.ts'

/** The languages of rendered documents. */
const locales = ['en', 'de'] as const

const addressFields = ['line1', 'line2', 'city', 'postal_code', 'region', 'country'] as const
export type AddressField = (typeof addressFields)[number]

const country = 'ISO 3166-1, two letters.'

const Address = OutputObject(
  Object.fromEntries(
    addressFields.map((name) => [
      name,
      Nullable(Type.String(name === 'country' ? { description: country } : {})),
    ]),
  ) as Record<AddressField, ReturnType<typeof nullableText>>,
  'The postal address.',
)

function nullableText() {
  return Nullable(Type.String())
}

const ElectronicAddress = OutputObject(
  { scheme: Type.String({ description: 'Peppol code list EAS.' }), id: Type.String() },
  'Where electronic documents arrive: the endpoint in Peppol.',
)

const Bank = OutputObject(
  { iban: nullableText(), bic: nullableText(), account_name: nullableText() },
  'The account that invoices name.',
)

export const Profile = OutputObject(
  {
    legal_name: nullableText(),
    address: Nullable(Address),
    vat_id: nullableText(),
    company_id: nullableText(),
    electronic_address: Nullable(ElectronicAddress),
    bank: Nullable(Bank),
    logo_attachment: Nullable(Id('att', 'The logo.')),
    locale: StringEnum(locales, 'The language of rendered documents.'),
    time_zone: Type.String({ examples: ['Europe/Brussels'] }),
  },
  'What exports say of the organization. Frozen into a document when it is issued.',
)
export type Profile = Static<typeof Profile>

export const Organization = OutputObject(
  {
    id: Id('org', 'The organization.'),
    name: Type.String(),
    mode: StringEnum(['live', 'sandbox'], 'Live or sandbox.'),
    verified: Type.Boolean(),
    profile: Profile,
  },
  'The calling organization.',
)

const optional = (maxLength: number, description: string) =>
  Type.Optional(Nullable(NonBlankLine(maxLength, description)))

const line = (description = '') => optional(interopLimits.profileLineMaxLength, description)

const identifier = (description: string) => optional(interopLimits.profileIdMaxLength, description)

const AddressInput = InputObject(
  {
    line1: line(),
    line2: line(),
    city: line(),
    postal_code: line(),
    region: line(),
    country: Type.Optional(Nullable(Line(2, country))),
  },
  'Replaced as a whole.',
)

const ElectronicAddressInput = InputObject(
  {
    scheme: Line(4, 'Peppol code list EAS, such as 0088 (GLN).'),
    id: NonBlankLine(interopLimits.profileIdMaxLength, ''),
  },
  'The endpoint in Peppol.',
)

const BankInput = InputObject(
  { iban: identifier(''), bic: identifier(''), account_name: line() },
  'Replaced as a whole.',
)

export const ProfileUpdate = InputObject(
  {
    legal_name: optional(interopLimits.profileNameMaxLength, ''),
    address: Type.Optional(Nullable(AddressInput)),
    vat_id: identifier(
      'With the country code. Its form is checked, and not whether it was assigned to you.',
    ),
    company_id: identifier('The number in the company register.'),
    electronic_address: Type.Optional(Nullable(ElectronicAddressInput)),
    bank: Type.Optional(Nullable(BankInput)),
    logo_attachment: Type.Optional(
      Nullable(Id('att', 'A PNG or JPEG attached to a document of yours.')),
    ),
    locale: Type.Optional(StringEnum(locales, 'The language of rendered documents.')),
    time_zone: Type.Optional(Line(interopLimits.timeZoneMaxLength, 'IANA.')),
  },
  'Absent fields stay; null removes. `address`, `electronic_address` and `bank` are replaced as a whole: what is absent in them is removed.',
)
export type ProfileUpdate = Static<typeof ProfileUpdate>

export const OrganizationUpdate = InputObject(
  { profile: ProfileUpdate },
  'A change of the profile.',
)
export type OrganizationUpdate = Static<typeof OrganizationUpdate>
