/** Contract 12: the organization and its profile. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type PartyProfiles, partyProfilesOf } from '../../../src/core/documents/party-profiles.ts'
import { profileByDigest } from '../../../src/changes/identity/organization-profile.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi } from '../../support/api-client.ts'
import { logoAttacher } from '../../support/documents/attachments-client.ts'
import { aDraft, aPair, anInvoice, anOrganization } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import {
  buyerProfile,
  patchProfile,
  sellerProfile,
  setProfile,
  withProfiles,
} from '../../support/identity/profiles.ts'
import { aJpeg } from '../../support/pictures/jpeg.ts'
import { plainPng, pngOf } from '../../support/pictures/png.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const { database } = running

const read = async (key: string) =>
  (await callApi(running, 'GET', '/v1/organization', { key })).body

const storedProfiles = async (id: string): Promise<PartyProfiles> =>
  partyProfilesOf(
    (await database.row<{ party_profiles: string | null }>(
      sql`select party_profiles from documents where id = ${decodeId('doc', id)!}`,
    ))!,
  )

describe('contract 12: the profile', () => {
  test('a new organization has an empty one; a key reads it and only an admin changes it', async () => {
    const organization = await anOrganization(running)
    const { key, id, name } = organization
    const { profile, ...rest } = await read(key)
    assert.deepEqual(rest, { id, name, mode: 'sandbox', verified: true })
    assert.equal(profile.legal_name, null)
    assert.deepEqual([profile.locale, profile.time_zone], ['en', 'UTC'])
    const body = { profile: { legal_name: 'Someone' } }
    const refused = await callApi(running, 'PATCH', '/v1/organization', { key, body })
    assertRefused(refused, 'insufficient_scope')
  })

  test('absent fields stay, null removes, objects are replaced, identifiers become compact', async () => {
    const { session, key } = await anOrganization(running)
    await setProfile(running, { session }, sellerProfile)
    await setProfile(
      running,
      { session },
      {
        vat_id: 'be 0202.239.951',
        company_id: null,
        address: { country: 'LU' },
        bank: { iban: 'BE68 5390 0754 7034' },
      },
    )
    const { profile } = await read(key)
    assert.equal(profile.legal_name, sellerProfile.legal_name)
    assert.equal(profile.vat_id, 'BE0202239951')
    assert.equal(profile.company_id, null)
    assert.deepEqual([profile.address.country, profile.address.line1], ['LU', null])
    assert.deepEqual(profile.bank, { iban: 'BE68539007547034', bic: null, account_name: null })
  })

  test('every invalid field is refused, all at once', async () => {
    const organization = await anOrganization(running)
    const refused = await patchProfile(running, organization, {
      vat_id: 'DE12',
      address: { country: 'XX' },
      time_zone: '+01:00',
      locale: 'fr',
      electronic_address: { scheme: '0088', id: '7300010000002' },
      bank: { iban: 'BE68539007547035', bic: 'NONE' },
    })
    assertRefused(refused, 'invalid_request')
    const params = refused.body.error.details.errors.map(({ param }: { param: string }) => param)
    const bank = ['/profile/bank/bic', '/profile/bank/iban']
    const others = ['address/country', 'electronic_address/id', 'locale', 'time_zone', 'vat_id']
    const expected = [...bank, ...others.map((name) => `/profile/${name}`)].toSorted()
    assert.deepEqual(params.toSorted(), expected)
  })

  test('a VAT number of a wrong form is refused with its country and an example of the form', async () => {
    const organization = await anOrganization(running)
    const problemOf = async (vat_id: string) => {
      const refused = await patchProfile(running, organization, { vat_id })
      assertRefused(refused, 'invalid_request')
      const { message, fix } = refused.body.error.details.errors[0]
      return `${message} ${fix}`
    }
    assert.match(await problemOf('de 12'), /VAT number of Germany, such as DE123456789\. send one/)
    assert.match(await problemOf('EL12'), /Greece, such as EL\d{9}\./)
    assert.match(await problemOf('XI12'), /Northern Ireland, such as XI/)
    assert.match(await problemOf('0202239951'), /code of a country.*such as BE0123456789/)
  })

  test('a logo is a picture that the organization attached itself', async () => {
    const pair = await aPair(running)
    const { issuer, counterparty } = pair
    const attach = logoAttacher(running, await anInvoice(running, pair))
    const { id: logo_attachment } = await attach(issuer.key, plainPng(2, 2, [1, 2, 3]))
    await setProfile(running, issuer, { logo_attachment })
    assert.equal((await read(issuer.key)).profile.logo_attachment, logo_attachment)
    assertRefused(await patchProfile(running, counterparty, { logo_attachment }), 'not_found')
  })

  test('what is no picture, is damaged or too large is refused, naming the field and why', async () => {
    const pair = await aPair(running)
    const { issuer } = pair
    const attach = logoAttacher(running, await anInvoice(running, pair))
    const row = [9, ...Array.from({ length: 6 }, () => 0)]
    for (const [bytes, why] of [
      [Buffer.from('picture'), 'neither a PNG nor a JPEG'],
      [aJpeg.subarray(0, 100), 'Its JPEG is damaged'],
      [pngOf({ width: 2, height: 1, bits: 8, type: 2, rows: [row] }), 'Its PNG is damaged'],
      [plainPng(2_001, 1_000, [1, 2, 3]), '2001 × 1000 pixels'],
      [Buffer.concat([aJpeg, Buffer.alloc(1024 * 1024)]), 'more than 1 MiB'],
    ] as const) {
      const { id } = await attach(issuer.key, bytes)
      const refused = await patchProfile(running, issuer, { logo_attachment: id, locale: 'de' })
      const { errors } = assertRefused(refused, 'invalid_request')
      assert.equal(errors[0].param, '/profile/logo_attachment')
      assert(errors[0].message.includes(why), errors[0].message)
    }
    assert.equal((await read(issuer.key)).profile.locale, 'en', 'nothing was changed')
  })
})

describe('domain 7: a document keeps the profiles of its parties', () => {
  test('those at issue, whatever changes later; a draft has none', async () => {
    const pair = await withProfiles(running, await aPair(running))
    const { issuer, counterparty } = pair
    assert.deepEqual(await storedProfiles((await aDraft(running, pair)).id), {})
    const { id } = await anInvoice(running, pair)
    await setProfile(running, issuer, { legal_name: 'Renamed BV' })
    await setProfile(running, counterparty, { legal_name: 'Renamed SARL' })
    const { issuer: seller, counterparty: buyer } = await storedProfiles(id)
    const names = [
      (await profileByDigest(database, issuer.uuid, seller!)).legal_name,
      (await profileByDigest(database, counterparty.uuid, buyer!)).legal_name,
    ]
    assert.deepEqual(names, [sellerProfile.legal_name, buyerProfile.legal_name])
  })

  test('the digests are part of the proven record, and issue needs no profile', async () => {
    const pair = await aPair(running)
    const without = await anInvoice(running, pair)
    assert.deepEqual(await storedProfiles(without.id), {})
    await setProfile(running, pair.issuer, sellerProfile)
    const { id } = await anInvoice(running, pair)
    const { issuer } = await storedProfiles(id)
    const bundle = await callApi(running, 'GET', `/v1/documents/${id}/export`, {
      key: pair.counterparty.key,
    })
    assert.equal(bundle.status, 200, bundle.text)
    assert(bundle.text.includes(issuer!), 'the other side can prove it')
  })
})
