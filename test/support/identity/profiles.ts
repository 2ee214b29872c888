/** Profiles with which every export is complete. */
import assert from 'node:assert/strict'
import { type Reply, callApi } from '../api-client.ts'
import type { Pair, TestOrganization } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'

export const sellerProfile = {
  legal_name: 'Corner Shop BV',
  address: {
    line1: 'Rue de la Loi 1',
    line2: 'Box 7',
    city: 'Brussels',
    postal_code: '1000',
    region: 'Brussels-Capital',
    country: 'BE',
  },
  vat_id: 'BE0202239951',
  company_id: '0202239951',
  electronic_address: { scheme: '0208', id: '0202239951' },
  bank: { iban: 'BE68539007547034', bic: 'GKCCBEBB', account_name: 'Corner Shop' },
  locale: 'en',
  time_zone: 'Europe/Brussels',
}

export const buyerProfile = {
  legal_name: 'Acheteur SARL',
  address: { line1: '1 Rue de Rivoli', city: 'Paris', postal_code: '75001', country: 'FR' },
  vat_id: 'FR40303265045',
  company_id: '303265045',
  electronic_address: { scheme: '0088', id: '7300010000001' },
  locale: 'en',
  time_zone: 'Europe/Paris',
}

export const patchProfile = (
  running: TestService,
  { session }: Pick<TestOrganization, 'session'>,
  profile: object,
): Promise<Reply> =>
  callApi(running, 'PATCH', '/v1/organization', { key: session, body: { profile } })

export const setProfile = async (
  running: TestService,
  organization: Pick<TestOrganization, 'session'>,
  profile: object,
): Promise<void> => {
  const reply = await patchProfile(running, organization, profile)
  assert.equal(reply.status, 200, reply.text)
}

/** Gives both organizations of a pair their profiles. */
export const withProfiles = async (running: TestService, pair: Pair): Promise<Pair> => {
  await setProfile(running, pair.issuer, sellerProfile)
  await setProfile(running, pair.counterparty, buyerProfile)
  return pair
}
