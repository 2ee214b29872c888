/**
 * The profile of an organization: what exports say of it. Its stored form is one text per profile,
 * and its digest names it in the documents that were issued with it.
 */
import { createHash } from 'node:crypto'
import { countryCodes } from '../../contract/country-codes.ts'
import { electronicAddressSchemes } from '../../contract/electronic-address-schemes.ts'
import type { Problem } from '../../contract/problem.ts'
import type {
  OrganizationUpdate,
  Profile,
  ProfileUpdate,
} from '../../contract/shapes/organization.ts'
import {
  compactIdentifier,
  isBic,
  isElectronicAddress,
  isIban,
  isVatId,
  vatIdFault,
} from './business-identifiers.ts'

export const emptyProfile: Profile = {
  legal_name: null,
  address: null,
  vat_id: null,
  company_id: null,
  electronic_address: null,
  bank: null,
  logo_attachment: null,
  locale: 'en',
  time_zone: 'UTC',
}

/** A profile as it is stored: each version names the one that it follows by its digest. */
interface ProfileVersion extends Profile {
  /** Null in the first one. Versions of older services have none. */
  previous?: string | null
}

/**
 * The fields in the order of their declaration. A profile that comes back is another version, since
 * it follows another one.
 */
export const serializeProfile = (profile: Profile, previous: string | null): string =>
  JSON.stringify({ ...profile, previous } satisfies ProfileVersion)

export const parseProfile = (text: string): Profile => {
  const { previous: _, ...profile } = JSON.parse(text) as ProfileVersion
  return profile
}

/** Whether two profiles say the same. */
export const areEqualProfiles = (one: Profile, other: Profile): boolean =>
  serializeProfile(one, null) === serializeProfile(other, null)

/** What a version says that it follows; undefined in one of an older service. */
export const previousVersionOf = (text: string): string | null | undefined =>
  (JSON.parse(text) as ProfileVersion).previous

/** SHA-256 of the stored form, in hex. */
export const profileDigest = (text: string): string =>
  createHash('sha256').update(text).digest('hex')

/** Identifiers are stored in their compact form. The update has no problems. */
export const changedProfile = (before: Profile, update: ProfileUpdate): Profile => {
  const pick = <N extends keyof Profile>(name: N, value: Profile[N] | undefined): Profile[N] =>
    value === undefined ? before[name] : value
  const { vat_id, electronic_address, bank, address } = update
  return {
    legal_name: pick('legal_name', update.legal_name),
    address: pick('address', address == null ? address : addressOf(address)),
    vat_id: pick('vat_id', compact(vat_id)),
    company_id: pick('company_id', update.company_id),
    electronic_address: pick(
      'electronic_address',
      electronic_address == null
        ? electronic_address
        : { scheme: electronic_address.scheme, id: electronic_address.id },
    ),
    bank: pick('bank', bank == null ? bank : bankOf(bank)),
    logo_attachment: pick('logo_attachment', update.logo_attachment),
    locale: pick('locale', update.locale),
    time_zone: pick('time_zone', update.time_zone),
  }
}

const compact = <T extends string | null | undefined>(text: T): T =>
  (typeof text === 'string' ? compactIdentifier(text) : text) as T

const addressOf = (address: NonNullable<ProfileUpdate['address']>): Profile['address'] => ({
  line1: address.line1 ?? null,
  line2: address.line2 ?? null,
  city: address.city ?? null,
  postal_code: address.postal_code ?? null,
  region: address.region ?? null,
  country: address.country ?? null,
})

const bankOf = (bank: NonNullable<ProfileUpdate['bank']>): Profile['bank'] => ({
  iban: compact(bank.iban) ?? null,
  bic: compact(bank.bic) ?? null,
  account_name: bank.account_name ?? null,
})

interface Check {
  param: string
  value: string | null | undefined
  holds(value: string): boolean
  message: string
  fix: string
}

/** Problems of the body that its schema cannot express. */
export const profileProblems = ({ profile }: OrganizationUpdate): Problem[] => {
  const { address, vat_id, electronic_address: electronic, bank, time_zone } = profile ?? {}
  const checks: Check[] = [
    {
      param: '/profile/address/country',
      value: address?.country,
      holds: (value) => countryCodes.has(value),
      message: 'This is not a country of ISO 3166-1.',
      fix: 'send two capitals such as BE',
    },
    {
      param: '/profile/vat_id',
      value: vat_id,
      holds: (value) => isVatId(compactIdentifier(value)),
      ...vatIdFault(compactIdentifier(vat_id ?? '')),
    },
    {
      param: '/profile/electronic_address/scheme',
      value: electronic?.scheme,
      holds: (value) => electronicAddressSchemes.has(value),
      message: 'This is not a scheme of Peppol.',
      fix: 'send a code such as 0088 or 0208',
    },
    {
      param: '/profile/electronic_address/id',
      value: electronic?.id,
      holds: (value) => isElectronicAddress(electronic?.scheme ?? '', value),
      message: 'This is not an identifier of its scheme: its form or check digit is wrong.',
      fix: 'send the identifier alone, without scheme and spaces',
    },
    {
      param: '/profile/bank/iban',
      value: bank?.iban,
      holds: (value) => isIban(compactIdentifier(value)),
      message: 'This is not an IBAN: its length or its check digits are wrong.',
      fix: 'send it as your bank writes it',
    },
    {
      param: '/profile/bank/bic',
      value: bank?.bic,
      holds: (value) => isBic(compactIdentifier(value)),
      message: 'This is not a BIC.',
      fix: 'send 8 or 11 characters',
    },
    {
      param: '/profile/time_zone',
      value: time_zone,
      holds: isTimeZone,
      message: 'This is not a time zone of the IANA database.',
      fix: 'send a name such as Europe/Brussels',
    },
  ]
  return checks.flatMap(({ param, value, holds, message, fix }) =>
    typeof value !== 'string' || holds(value)
      ? []
      : [{ param, code: 'invalid_value', message, fix }],
  )
}

/** By name: offsets such as +01:00 are none. */
export const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
