/**
 * Identifiers of businesses and accounts whose form can be checked: VAT numbers, IBAN, BIC and the
 * electronic addresses of Peppol. That a number was assigned is for registers to say.
 */
import { countryCodes } from '../../contract/country-codes.ts'

/** Without the spaces, dots and hyphens of its written form, in capitals. */
export const compactIdentifier = (text: string): string => text.replace(/[\s.-]/g, '').toUpperCase()

/** What follows the country code where we know its form, with an example. */
const vatForms: Readonly<Record<string, readonly [form: RegExp, example: string]>> = {
  AT: [/^U\d{8}$/, 'U12345678'],
  BE: [/^[01]\d{9}$/, '0123456789'],
  BG: [/^\d{9,10}$/, '123456789'],
  CH: [/^E\d{9}(MWST|TVA|IVA)?$/, 'E123456789MWST'],
  CY: [/^\d{8}[A-Z]$/, '12345678X'],
  CZ: [/^\d{8,10}$/, '12345678'],
  DE: [/^\d{9}$/, '123456789'],
  DK: [/^\d{8}$/, '12345678'],
  EE: [/^\d{9}$/, '123456789'],
  EL: [/^\d{9}$/, '123456789'],
  ES: [/^([A-Z]\d{7}[A-Z0-9]|\d{8}[A-Z])$/, 'B12345678'],
  FI: [/^\d{8}$/, '12345678'],
  FR: [/^[0-9A-HJ-NP-Z]{2}\d{9}$/, '12345678901'],
  GB: [/^(\d{9}|\d{12}|(GD|HA)\d{3})$/, '123456789'],
  GR: [/^\d{9}$/, '123456789'],
  HR: [/^\d{11}$/, '12345678901'],
  HU: [/^\d{8}$/, '12345678'],
  IE: [/^(\d{7}[A-W][A-I]?|\d[A-Z+*]\d{5}[A-W])$/, '1234567WA'],
  IT: [/^\d{11}$/, '12345678901'],
  LT: [/^(\d{9}|\d{12})$/, '123456789'],
  LU: [/^\d{8}$/, '12345678'],
  LV: [/^\d{11}$/, '12345678901'],
  MT: [/^\d{8}$/, '12345678'],
  NL: [/^\d{9}B\d{2}$/, '123456789B01'],
  NO: [/^\d{9}(MVA)?$/, '123456789MVA'],
  PL: [/^\d{10}$/, '1234567890'],
  PT: [/^\d{9}$/, '123456789'],
  RO: [/^\d{2,10}$/, '1234567890'],
  SE: [/^\d{10}01$/, '123456789001'],
  SI: [/^\d{8}$/, '12345678'],
  SK: [/^\d{10}$/, '1234567890'],
  XI: [/^(\d{9}|\d{12}|(GD|HA)\d{3})$/, '123456789'],
}

const otherVatForm = [/^[0-9A-Z]{2,15}$/, '123456789'] as const

const vatFormOf = (country: string) =>
  vatForms[country] ?? (countryCodes.has(country) ? otherVatForm : undefined)

/** A compact VAT number, with its country: EL is Greece, XI Northern Ireland. */
export const isVatId = (text: string): boolean =>
  vatFormOf(text.slice(0, 2))?.[0].test(text.slice(2)) === true

const vatCountries: Readonly<Record<string, string>> = { EL: 'Greece', XI: 'Northern Ireland' }

const countryNames = new Intl.DisplayNames('en', { type: 'region' })

/** What is wrong with a compact text that is no VAT number: its country, or the form there. */
export const vatIdFault = (text: string): { message: string; fix: string } => {
  const country = text.slice(0, 2)
  const form = vatFormOf(country)
  if (form === undefined)
    return {
      message: 'This does not begin with the code of a country, as a VAT number does.',
      fix: 'send it with the country code, such as BE0123456789; Greece is EL, Northern Ireland XI',
    }
  const example = `${country}${form[1]}`
  const name = vatCountries[country] ?? countryNames.of(country)
  return {
    message: `This does not have the form of a VAT number of ${name}, such as ${example}.`,
    fix: `send one like ${example}; spaces, dots and hyphens do not count`,
  }
}

/** Lengths by country, from the registry of ISO 13616. */
const ibanLengths: Readonly<Record<string, number>> = {
  AD: 24,
  AE: 23,
  AL: 28,
  AT: 20,
  AZ: 28,
  BA: 20,
  BE: 16,
  BG: 22,
  BH: 22,
  BI: 27,
  BR: 29,
  BY: 28,
  CH: 21,
  CR: 22,
  CY: 28,
  CZ: 24,
  DE: 22,
  DJ: 27,
  DK: 18,
  DO: 28,
  EE: 20,
  EG: 29,
  ES: 24,
  FI: 18,
  FK: 18,
  FO: 18,
  FR: 27,
  GB: 22,
  GE: 22,
  GI: 23,
  GL: 18,
  GR: 27,
  GT: 28,
  HN: 28,
  HR: 21,
  HU: 28,
  IE: 22,
  IL: 23,
  IQ: 23,
  IS: 26,
  IT: 27,
  JO: 30,
  KW: 30,
  KZ: 20,
  LB: 28,
  LC: 32,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  LY: 25,
  MC: 27,
  MD: 24,
  ME: 22,
  MK: 19,
  MN: 20,
  MR: 27,
  MT: 31,
  MU: 30,
  NI: 28,
  NL: 18,
  NO: 15,
  OM: 23,
  PK: 24,
  PL: 28,
  PS: 29,
  PT: 25,
  QA: 29,
  RO: 24,
  RS: 22,
  RU: 33,
  SA: 24,
  SC: 31,
  SD: 18,
  SE: 24,
  SI: 19,
  SK: 24,
  SM: 27,
  SO: 23,
  ST: 25,
  SV: 28,
  TL: 23,
  TN: 24,
  TR: 26,
  UA: 29,
  VA: 22,
  VG: 24,
  XK: 20,
  YE: 30,
}

/** A compact IBAN: ISO 13616, with the check digits of ISO 7064 (mod 97-10). */
export const isIban = (text: string): boolean => {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(text)) return false
  if (text.length !== ibanLengths[text.slice(0, 2)]) return false
  const digits = (text.slice(4) + text.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  )
  return BigInt(digits) % 97n === 1n
}

/** What may begin with an IBAN in groups; a text may have the next one within it. */
const groupedIban = /\b(?=([A-Z]{2}\d{2}(?:\s+[A-Z\d]{1,4}){3,8})\b)/gi

/** The text with each IBAN that is written in groups, as on paper, as a compact one. */
export const withCompactIbans = (text: string): string => {
  let compact = ''
  let end = 0
  for (const { index, 1: groups } of text.matchAll(groupedIban)) {
    const iban = index < end ? undefined : ibanAtStartOf(groups!)
    if (iban === undefined) continue
    compact += text.slice(end, index) + iban.replaceAll(/\s+/g, '')
    end = index + iban.length
  }
  return compact + text.slice(end)
}

/** As it is written. The IBANs of a country have one length. */
const ibanAtStartOf = (text: string): string | undefined => {
  const length = ibanLengths[text.slice(0, 2).toUpperCase()] ?? 0
  let written = ''
  let compact = ''
  for (const piece of text.split(/(\s+)/)) {
    if (compact.length >= length) break
    written += piece
    compact += piece.trim()
  }
  return isIban(compact.toUpperCase()) ? written : undefined
}

/** A compact BIC: ISO 9362. It has no check digit. */
export const isBic = (text: string): boolean =>
  /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(text) &&
  (countryCodes.has(text.slice(4, 6)) || text.slice(4, 6) === 'XK')

const digitsOf = (text: string): number[] => [...text].map(Number)

const weightedSum = (text: string, weights: readonly number[]): number =>
  digitsOf(text).reduce((sum, digit, i) => sum + digit * weights[i]!, 0)

/** GS1: weights 3 and 1 from the right, the check digit last. */
const hasGs1Check = (text: string): boolean => {
  const sum = digitsOf(text)
    .toReversed()
    .reduce((total, digit, i) => total + digit * (i % 2 === 0 ? 1 : 3), 0)
  return sum % 10 === 0
}

const hasLuhnCheck = (text: string): boolean => {
  const sum = digitsOf(text)
    .toReversed()
    .reduce((total, digit, i) => {
      const value = i % 2 === 0 ? digit : digit * 2
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return sum % 10 === 0
}

const hasNorwegianCheck = (text: string): boolean => {
  const check = (11 - (weightedSum(text.slice(0, 8), [3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11
  return check === Number(text[8])
}

const hasAustralianCheck = (text: string): boolean => {
  const first = String(Number(text[0]) - 1)
  return (
    first !== '-1' &&
    weightedSum(first + text.slice(1), [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) % 89 === 0
  )
}

const hasBelgianCheck = (text: string): boolean =>
  97 - (Number(text.slice(0, 8)) % 97) === Number(text.slice(8))

/** The schemes whose identifiers Peppol checks (PEPPOL-COMMON-R040 to R053). */
const electronicAddressForms: Readonly<Record<string, (id: string) => boolean>> = {
  '0007': (id) => /^\d{10}$/.test(id) && hasLuhnCheck(id),
  '0088': (id) => /^\d{13}$/.test(id) && hasGs1Check(id),
  '0096': (id) => /^\d{10}$/.test(id),
  '0151': (id) => /^\d{11}$/.test(id) && hasAustralianCheck(id),
  '0184': (id) => /^(DK)?\d{8}$/.test(id),
  '0192': (id) => /^\d{9}$/.test(id) && hasNorwegianCheck(id),
  '0198': (id) => /^DK\d{8}$/.test(id),
  '0208': (id) => /^[01]\d{9}$/.test(id) && hasBelgianCheck(id),
}

/** Whether an identifier has the form of its scheme, as far as that is known. */
export const isElectronicAddress = (scheme: string, id: string): boolean =>
  electronicAddressForms[scheme]?.(id) ?? true
