/** Contract 12: the forms and check digits of identifiers, on published examples. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { countryCodes } from '../../src/contract/country-codes.ts'
import {
  compactIdentifier,
  isBic,
  isElectronicAddress,
  isIban,
  isVatId,
  vatIdFault,
} from '../../src/core/identity/business-identifiers.ts'

const compare = (
  holds: (text: string) => boolean,
  valid: readonly string[],
  invalid: readonly string[],
) => {
  for (const text of valid) assert(holds(compactIdentifier(text)), text)
  for (const text of invalid) assert(!holds(compactIdentifier(text)), text)
}

describe('contract 12: identifiers of businesses', () => {
  test('an IBAN has the length of its country and the check digits of mod 97', () => {
    const valid = ['BE68 5390 0754 7034', 'DE89 3704 0044 0532 0130 00', 'GB29NWBK60161331926819']
    const foreign = ['FR14 2004 1010 0505 0001 3M02 606', 'MT84MALT011000012345MTLCAST001S']
    const invalid = [
      'BE68 5390 0754 7035',
      'DE89 3704 0044 0532 0130',
      'XX89370400440532013000',
      '',
    ]
    compare(isIban, [...valid, ...foreign], invalid)
    // Every single wrong digit is noticed.
    for (let i = 4; i < 16; i += 1) {
      const text = 'BE68539007547034'
      const digit = (Number(text[i]) + 1) % 10
      assert(!isIban(text.slice(0, i) + digit + text.slice(i + 1)))
    }
  })

  test('a BIC has 8 or 11 characters and a country', () => {
    compare(isBic, ['DEUTDEFF', 'GKCCBEBB', 'DEUTDEFF500'], ['DEUTDEF', 'DEUTDEFF5', 'DEUT11FF'])
  })

  test('a VAT number has the form of its country', () => {
    const valid = ['BE 0202.239.951', 'DE123456789', 'ATU12345678', 'FRXX999999999', 'EL123456789']
    const others = ['NL123456789B01', 'IE6388047V', 'GB999999973', 'XI999999973', 'NO123456785MVA']
    const invalid = ['0202239951', 'DE12345678', 'AT12345678', 'NL123456789', 'ZZ12345', 'FR', '']
    compare(isVatId, [...valid, ...others, 'US12-3456789'], invalid)
  })

  test('the example of a country, which a wrong VAT number gets, has the form of that country', () => {
    for (const country of [...countryCodes, 'EL', 'XI']) {
      const { message, fix } = vatIdFault(`${country}?`)
      const [example = ''] = /(?<=, such as )\w+(?=\.$)/.exec(message) ?? []
      assert(isVatId(example) && example.startsWith(country), message)
      assert(fix.includes(example))
    }
  })

  test('an electronic address passes the check of its scheme', () => {
    const valid = { '0088': '7300010000001', '0192': '987654325', '0208': '0202239951' }
    const others = {
      '0007': '5560360793',
      '0151': '51824753556',
      '0184': 'DK87654321',
      '9930': 'x',
    }
    for (const [scheme, id] of Object.entries({ ...valid, ...others })) {
      assert(isElectronicAddress(scheme, id), scheme)
      if (scheme === '9930' || scheme === '0184') continue
      const last = (Number(id.at(-1)) + 1) % 10
      assert(!isElectronicAddress(scheme, id.slice(0, -1) + last), scheme)
    }
    assert(!isElectronicAddress('0184', 'DK8765432'))
  })
})
