/**
 * Provenance 8: an old row with its old seal is not shown either (docs/decisions/0173). Each case
 * changes something through the API, writes the row of before back, and reads it. What old rows
 * decide is in old-deciding-rows.test.ts.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SealedTable } from '../../src/database/row-seals.ts'
import { decodeId } from '../../src/core/ids.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { aRule } from '../support/approvals/keys-that-ask.ts'
import { assertNoticed, copyRows, idIs } from '../support/database/old-rows.ts'
import { loanParties, loansClient } from '../support/finance/loans.ts'
import { aKey, aPair, anOrganization } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'
import { startTestService } from '../support/test-service.ts'
import { localReceiverSettings, subscribe } from '../support/webhooks/receiver.ts'

const running = await startTestService({ ...localReceiverSettings, SANDBOX_QUOTAS: 'off' })
const { database } = running
const loans = loansClient(running)
const { posted, get } = loans
const parties = await loanParties(running)
const { borrower, lender } = parties

interface Case {
  table: SealedTable
  rule: string
  prepare(): Promise<{
    /** Of the rows `t` that are copied. */
    condition: string
    change(): Promise<unknown>
    uses: readonly (() => Promise<Reply>)[]
  }>
}

const isOf = ({ uuid }: { uuid: string }) => `t.organization_id = '${uuid}'`

const cases: readonly Case[] = [
  {
    table: 'approval_rule_sets',
    rule: 'hides a rule that was made since',
    prepare: async () => {
      const owner = await anOrganization(running)
      await aRule(running, owner.session)
      return {
        condition: isOf(owner),
        change: () => aRule(running, owner.session),
        uses: [() => get(owner.session, '/v1/approval_rules')],
      }
    },
  },
  {
    table: 'finance_setups',
    rule: 'shows lending as on after it was switched off',
    prepare: async () => {
      const other = (await loanParties(running)).lender
      const body = { lender: { enabled: false } }
      return {
        condition: isOf(other),
        change: () => callApi(running, 'PUT', '/v1/finance/setup', { key: other.key, body }),
        uses: [
          () => get(other.key, '/v1/finance/setup'),
          () => get(other.key, '/v1/finance/offers'),
        ],
      }
    },
  },
  {
    table: 'finance_listings',
    rule: 'is open after it was withdrawn',
    prepare: async () => {
      const { id } = await loans.listed(parties)
      const path = `/v1/finance/listings/${id}`
      return {
        condition: idIs(decodeId('lst', id)!),
        change: () => posted(borrower.key, `${path}/withdraw`),
        uses: [
          () => get(borrower.key, path),
          () => get(borrower.key, '/v1/finance/listings'),
          () => get(lender.key, '/v1/finance/listings'),
        ],
      }
    },
  },
  {
    table: 'finance_offers',
    rule: 'is open after it was withdrawn',
    prepare: async () => {
      const { id } = await loans.offered(parties)
      const path = `/v1/finance/offers/${id}`
      return {
        condition: idIs(decodeId('ofr', id)!),
        change: () => posted(lender.key, `${path}/withdraw`),
        uses: [
          () => get(borrower.key, path),
          () => get(borrower.key, `${path}/authorization`),
          () => get(lender.key, '/v1/finance/offers'),
        ],
      }
    },
  },
  {
    table: 'finance_agreements',
    rule: 'waits for money that was paid',
    prepare: async () => {
      const others = await loanParties(running)
      const { id, documents } = (await loans.accepted(others)).agreement
      const { key } = others.lender
      return {
        condition: idIs(decodeId('agr', id)!),
        change: () => posted(key, `/v1/documents/${documents.disbursement_id}/pay`),
        uses: [() => get(key, '/v1/finance/agreements')],
      }
    },
  },
  {
    table: 'ledger_account',
    rule: 'hides money that is under way',
    prepare: async () => {
      const pair = await aPair(running)
      const { id } = await anApprovedInvoice(running, pair)
      const body = { source_account_id: 'acct_test_stuck' }
      return {
        condition: isOf(pair.issuer),
        change: () => pay(running, pair.counterparty.key, id, { body }),
        uses: [() => get(pair.issuer.key, '/v1/treasury/balances')],
      }
    },
  },
  {
    table: 'webhook_endpoints',
    rule: 'shows an address that was given up',
    prepare: async () => {
      const owner = await anOrganization(running)
      const { id } = await subscribe(running, owner, 'http://127.0.0.1:1/old')
      const path = `/v1/webhooks/${id}`
      const body = { url: 'http://127.0.0.1:1/new' }
      return {
        condition: idIs(decodeId('whk', id)!),
        change: () => callApi(running, 'PATCH', path, { key: owner.session, body }),
        uses: [() => get(owner.session, path), () => get(owner.session, '/v1/webhooks')],
      }
    },
  },
  {
    table: 'connections',
    rule: 'is open after it was ended or declined',
    prepare: async () => {
      const { issuer, counterparty, connection, connectionUuid } = await aPair(running)
      const path = `/v1/connections/${connection}`
      const end = (key: string) => callApi(running, 'POST', `${path}/end`, { key })
      return {
        condition: idIs(connectionUuid),
        change: () => end(counterparty.session),
        uses: [issuer, counterparty].flatMap(({ key, session }) => [
          () => get(key, path),
          () => get(session, '/v1/connections'),
          () => get(key, '/v1/connections?status=active'),
          () => end(session),
        ]),
      }
    },
  },
  {
    table: 'connection_invitations',
    rule: 'is open after it was withdrawn, though another one was withdrawn since',
    prepare: async () => {
      const inviter = await anOrganization(running)
      const invitee = await anOrganization(running)
      const invite = async (email: string) =>
        (await posted(inviter.session, '/v1/connections', { email })).id
      const { id, path } = await invite(invitee.email).then((id: string) => ({
        id,
        path: `/v1/connections/${id}`,
      }))
      const other = await invite(`${crypto.randomUUID()}@example.com`)
      const stays = await invite(`${crypto.randomUUID()}@example.com`)
      return {
        condition: idIs(decodeId('con', id)!),
        change: async () => {
          for (const ended of [id, other])
            await posted(inviter.session, `/v1/connections/${ended}/end`)
          const { status } = (await get(inviter.session, `/v1/connections/${stays}`)).body
          assert.equal(status, 'invited')
        },
        uses: [
          () => get(inviter.key, path),
          () => get(inviter.session, '/v1/connections'),
          () => get(invitee.session, path),
          () => get(invitee.session, '/v1/connections?status=invited'),
          () => loans.post(invitee.session, `${path}/accept`),
          () => loans.post(inviter.session, `${path}/end`),
        ],
      }
    },
  },
  {
    table: 'audit_trails',
    rule: 'hides what people did since, or takes more entries',
    prepare: async () => {
      const owner = await anOrganization(running)
      const act = () =>
        callApi(running, 'POST', '/v1/saved_views', {
          key: owner.session,
          body: { name: crypto.randomUUID(), list: 'documents', query: 'status=draft' },
        })
      assert.equal((await act()).status, 201)
      return {
        condition: isOf(owner),
        change: act,
        uses: [() => get(owner.session, '/v1/audit'), act],
      }
    },
  },
]

describe('no old row', () => {
  for (const { table, rule, prepare } of cases) {
    test(`of ${table} ${rule}`, async () => {
      const { condition, change, uses } = await prepare()
      const writeBack = await copyRows(database, table, condition)
      await change()
      assert((await uses[0]!()).status < 300)
      await writeBack()
      for (const use of uses) assertNoticed(running, await use(), table)
    })
  }
})

test('a false usage of a key is shown nowhere, and keeps nobody from revoking the key', async () => {
  const pair = await aPair(running)
  const { session, keyId: other } = pair.counterparty
  const key = await aKey(running, pair.counterparty, ['documents:write', 'payments:write'], {
    dailyVolume: 1_000_000n,
  })
  const manager = await aKey(running, pair.counterparty, ['keys:manage'])
  const { id } = await anApprovedInvoice(running, pair)
  assert.equal((await pay(running, key.secret, id)).status, 200)
  const path = `/v1/keys/${key.keyId}`
  const [used] = (await get(session, path)).body.used_today
  assert.equal(used.currency, 'USD')

  await whileTampered(database, 'limit_usage', 'update limit_usage set used = 1', async () => {
    for (const shown of ['/v1/keys', path]) {
      const { status, body } = await get(session, shown)
      assert.deepEqual([status, body.error?.code], [500, 'integrity_failure'], shown)
    }
    assert.equal((await get(session, `/v1/keys/${other}`)).status, 200)
    const listed = await get(manager.secret, '/v1/keys')
    assert.equal(listed.status, 200)
    assert(listed.body.data.every((one: object) => !('used_today' in one)))
    assert.equal((await loans.post(session, `${path}/revoke`)).status, 200)
  })
})
