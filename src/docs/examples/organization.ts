/** The shop as its invoices name it. */
import type { Example } from './ids.ts'

const profile = {
  legal_name: 'Corner Shop BV',
  address: {
    line1: 'Rue de la Loi 1',
    line2: null,
    city: 'Brussels',
    postal_code: '1000',
    region: null,
    country: 'BE',
  },
  vat_id: 'BE0202239951',
  company_id: '0202239951',
  electronic_address: { scheme: '0208', id: '0202239951' },
  bank: { iban: 'BE68539007547034', bic: 'GKCCBEBB', account_name: null },
  logo_attachment: null,
  locale: 'en',
  time_zone: 'Europe/Brussels',
}

const organization = {
  id: 'org_01kbm9p2t8e4w9m5x7c1q3r6vz',
  name: 'Corner Shop',
  mode: 'sandbox',
  verified: true,
  profile,
}

export const organizationExamples: Readonly<Record<string, Example>> = {
  'organization.get': { response: organization },
  'organization.update': {
    body: {
      profile: {
        vat_id: 'BE 0202.239.951',
        bank: { iban: 'BE68 5390 0754 7034', bic: 'GKCCBEBB' },
      },
    },
    response: organization,
  },
}
