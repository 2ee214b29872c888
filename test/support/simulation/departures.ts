/**
 * What ends in the middle of a simulation: the texts of documents, keys, what keys have asked for,
 * members who ask, and, for a while, an organization. None of it moves money.
 */
import assert from 'node:assert/strict'
import { eraseContent } from '../../../src/changes/provenance/erasure.ts'
import type { Scope } from '../../../src/contract/scopes.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi } from '../api-client.ts'
import { aMember, always } from '../approvals/keys-that-ask.ts'
import { runAndSeal } from '../database/run-and-seal.ts'
import { type TestOrganization, aKey } from '../fixtures.ts'
import { allPages } from '../http/all-pages.ts'
import { pay } from '../payments/approved-invoices.ts'
import { assertBundlesHold } from '../provenance/verifiers.ts'
import type { TestService } from '../test-service.ts'

export const departures = [
  'erase',
  'erase',
  'replace key',
  'ask and revoke',
  'ask and leave',
  'suspend',
] as const
export type Departure = (typeof departures)[number]

interface Bill {
  id: string
  payer: TestOrganization
  /** The text of its notes. */
  notes: string
}

const scopes: Scope[] = ['documents:read', 'documents:write', 'payments:read', 'payments:write']

export class Departures {
  readonly #running: TestService
  readonly #erased = new Set<Bill>()
  readonly #ended: string[] = []

  constructor(running: TestService) {
    this.#running = running
  }

  async perform(departure: Departure, bill: Bill): Promise<void> {
    if (departure === 'erase') return this.#erase(bill)
    if (departure === 'replace key') return this.#replaceKey(bill.payer)
    if (departure === 'ask and revoke') return this.#askAndRevoke(bill)
    if (departure === 'ask and leave') return this.#askAndLeave(bill)
    return this.#suspendForAWhile(bill)
  }

  async #erase(bill: Bill): Promise<void> {
    const { context } = this.#running.service
    const id = decodeId('doc', bill.id)!
    await context.database.transaction((tx) => eraseContent(tx, id, context))
    this.#erased.add(bill)
  }

  async #revoke({ session }: TestOrganization, keyId: string, secret: string): Promise<void> {
    const path = `/v1/keys/${keyId}/revoke`
    const reply = await callApi(this.#running, 'POST', path, { key: session })
    assert.equal(reply.status, 200, reply.text)
    this.#ended.push(secret)
  }

  async #replaceKey(organization: TestOrganization): Promise<void> {
    const { key, keyId } = organization
    const { data } = (
      await callApi(this.#running, 'GET', `/v1/keys?limit=100`, { key: organization.session })
    ).body
    const scopes = data.find(({ id }: { id: string }) => id === keyId).scopes
    const next = await aKey(this.#running, organization, scopes)
    await this.#revoke(organization, keyId, key)
    Object.assign(organization, { key: next.secret, keyId: next.keyId })
  }

  /** A key that asks for everything pays nothing: at most, it sees what was paid before. */
  async #asking({ id, payer }: Bill) {
    const { secret: key, keyId } = await aKey(this.#running, payer, scopes, { approval: always })
    const before = await callApi(this.#running, 'GET', `/v1/documents/${id}`, { key })
    const { status, body, text } = await pay(this.#running, key, id)
    if (status === 200) assert.equal(body.payment.id, before.body.payment.id, 'no other payment')
    else assert.equal(status, 409, text)
    return { key, keyId }
  }

  /** What a key has asked for pays nothing once the key is gone. */
  async #askAndRevoke(bill: Bill): Promise<void> {
    const { key, keyId } = await this.#asking(bill)
    await this.#revoke(bill.payer, keyId, key)
  }

  /** Nor does what waits for a member who has left. */
  async #askAndLeave(bill: Bill): Promise<void> {
    const { payer } = bill
    const { id, session } = await aMember(this.#running, payer, 'approver')
    const { key, keyId } = await this.#asking(bill)
    const path = `/v1/members/${id}`
    const left = await callApi(this.#running, 'DELETE', path, { key: payer.session })
    assert.equal(left.status, 200, left.text)
    this.#ended.push(session)
    await this.#revoke(payer, keyId, key)
  }

  async #suspendForAWhile({ id, payer }: Bill): Promise<void> {
    const { database } = this.#running
    const set = (at: string | null) =>
      runAndSeal(
        database,
        'organizations',
        sql`update organizations set suspended_at = ${at}::timestamptz where id = ${payer.uuid}`,
      )
    await set(new Date().toISOString())
    const reply = await pay(this.#running, payer.key, id)
    assert(reply.status >= 400, reply.text)
    await set(null)
  }

  /** By what the API shows: no erased text, no use of what has ended, and proofs that hold. */
  async assertGone(organizations: readonly TestOrganization[]): Promise<void> {
    const running = this.#running
    for (const key of this.#ended) {
      assert.equal((await callApi(running, 'GET', '/v1/me', { key })).status, 401)
    }
    const erased = [...this.#erased]
    for (const { key } of organizations) {
      for (const list of ['documents', 'events', 'payments']) {
        const shown = JSON.stringify(await allPages(running, key, `/v1/${list}?limit=100`))
        for (const { notes } of erased) assert(!shown.includes(notes), list)
      }
      for (const { id, notes } of erased) {
        for (const part of ['', '/history', '/export', '/transitions', '/lineage']) {
          const reply = await callApi(running, 'GET', `/v1/documents/${id}${part}`, { key })
          assert.equal(reply.status, 200, reply.text)
          assert(!reply.text.includes(notes), part)
        }
      }
    }
    const [last] = erased
    const keys = organizations.map(({ key }) => key)
    if (last !== undefined) await assertBundlesHold(running, last.id, keys)
  }
}
