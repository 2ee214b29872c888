/**
 * Provenance 8: an old row with its old seal decides nothing (docs/decisions/0144). Each case takes
 * something away through the API, writes the row of before back, and uses it. What gives access is
 * in old-rows.test.ts, and documents in rolled-back-rows.test.ts.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SealedTable } from '../../src/database/row-seals.ts'
import { decodeId } from '../../src/core/ids.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { aRule } from '../support/approvals/keys-that-ask.ts'
import { copyRows, idIs } from '../support/database/old-rows.ts'
import { loanParties, loansClient } from '../support/finance/loans.ts'
import {
  aDraft,
  aPair,
  anInvoice,
  anOrganization,
  connectPair,
  exampleLine,
} from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import {
  type DocumentTable,
  documentTables,
  oldRowsOf,
} from '../support/provenance/document-rollback.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { localReceiverSettings, startReceiver, subscribe } from '../support/webhooks/receiver.ts'

const running = await startTestService({ ...localReceiverSettings, SANDBOX_QUOTAS: 'off' })
const { database, logLines } = running
const loans = loansClient(running)
const { posted, post, get } = loans
const parties = await loanParties(running)
const { borrower, debtor, lender } = parties

interface Prepared {
  /** Of the rows `t` that are copied. */
  condition: string
  change(): Promise<unknown>
  uses: readonly (() => Promise<Reply>)[]
}

interface Case {
  table: SealedTable
  rule: string
  prepare(): Promise<Prepared>
}

const isOf = ({ uuid }: { uuid: string }) => `t.organization_id = '${uuid}'`

/** A verified read says in other words that the row is old. */
const assertNoticed = ({ status, body, text }: Reply, table: SealedTable): void => {
  assert.deepEqual([status, body.error?.code], [500, 'integrity_failure'], text)
  const { incident_id: incident } = body.error.details
  const alarm = logLines.find((line) => line.includes(incident))
  assert.match(alarm ?? '', new RegExp(`${table} [^:]*: an old row|the agreement is an old row`))
}

/** An invoice of 12,500.00 of which 8,500.00 is left, so that the sweep repays a part. */
const aDilutedLoan = async () => {
  const loan = await loans.funded(parties)
  const line = { description: 'Damage', quantity: 1, unit_price: 4000, tax_rate: 0 }
  const body = { document_type: 'credit_note', line_items: [line] }
  const convert = `/v1/documents/${loan.pledged_document_id}/convert`
  const note = await posted(borrower.key, convert, body)
  await posted(borrower.key, `/v1/documents/${note.id}/issue`)
  return loan
}

const cases: readonly Case[] = [
  {
    table: 'finance_agreements',
    rule: 'sweeps one settlement twice',
    prepare: async () => {
      const { id, pledged_document_id: invoice, documents } = await aDilutedLoan()
      const repayment = `/v1/documents/${documents.repayment_id}`
      const path = `/v1/finance/agreements/${id}`
      return {
        condition: idIs(decodeId('agr', id)!),
        change: () => posted(debtor.key, `/v1/documents/${invoice}/pay`),
        uses: [
          () => get(borrower.key, path),
          () => get(lender.key, `${path}/repayment`),
          () => post(borrower.key, `${repayment}/pay`),
          () => post(borrower.key, `${path}/repayment`),
          () => post(lender.key, `${path}/withdraw`),
          () => get(lender.key, `${repayment}/history`),
        ],
      }
    },
  },
  {
    table: 'finance_agreements',
    rule: 'begins again after it was withdrawn',
    prepare: async () => {
      const { agreement } = await loans.accepted(parties)
      const path = `/v1/finance/agreements/${agreement.id}`
      const contract = `/v1/documents/${agreement.documents.agreement_id}`
      return {
        condition: idIs(decodeId('agr', agreement.id)!),
        change: () => posted(lender.key, `${path}/withdraw`),
        uses: [
          () => post(lender.key, `${path}/withdraw`),
          () => get(borrower.key, `${contract}/history`),
        ],
      }
    },
  },
  {
    table: 'connections',
    rule: 'begins again after it was ended, though another one was ended since',
    prepare: async () => {
      const { issuer, counterparty, connection, connectionUuid } = await aPair(running)
      const other = await connectPair(running, issuer, await anOrganization(running))
      const draft = await aDraft(running, { issuer, counterparty, connection, connectionUuid })
      const line_items = [exampleLine]
      const body = { connection_id: connection, document_type: 'invoice', line_items }
      return {
        condition: idIs(connectionUuid),
        change: async () => {
          await posted(counterparty.session, `/v1/connections/${connection}/end`)
          await posted(issuer.session, `/v1/connections/${other.connection}/end`)
        },
        uses: [
          () => post(issuer.key, '/v1/documents', body),
          () => post(counterparty.key, '/v1/documents', body),
          () => post(issuer.key, `/v1/documents/${draft.id}/issue`),
          () => post(issuer.session, `/v1/connections/${connection}/end`),
        ],
      }
    },
  },
  {
    table: 'approval_rule_sets',
    rule: 'pays what a rule asks a second person for',
    prepare: async () => {
      const pair = await aPair(running)
      const { counterparty } = pair
      const { id } = await anApprovedInvoice(running, pair)
      const { session } = counterparty
      const when = { operation: 'documents.pay' }
      await aRule(running, session)
      const [rule] = (await get(session, '/v1/approval_rules')).body.data
      await callApi(running, 'DELETE', `/v1/approval_rules/${rule.id}`, { key: session })
      return {
        condition: isOf(counterparty),
        change: async () => {
          await aRule(running, session)
          assert.notEqual((await pay(running, session, id)).status, 200)
        },
        uses: [
          () => pay(running, session, id),
          () => post(session, '/v1/approval_rules', { name: 'Any', when }),
        ],
      }
    },
  },
  {
    table: 'finance_offers',
    rule: 'is accepted after it was withdrawn',
    prepare: async () => {
      const offer = await loans.offered(parties)
      const path = `/v1/finance/offers/${offer.id}`
      const bid = `/v1/finance/listings/${offer.listing_id}/offers`
      return {
        condition: idIs(decodeId('ofr', offer.id)!),
        change: () => posted(lender.key, `${path}/withdraw`),
        uses: [
          () => post(borrower.key, `${path}/accept`, loans.acceptanceOf(offer)),
          () => post(borrower.key, `${path}/decline`),
          () => post(lender.key, bid, { kind: 'at_ask' }),
        ],
      }
    },
  },
  {
    table: 'finance_listings',
    rule: 'takes offers after it was withdrawn',
    prepare: async () => {
      const listing = await loans.listed(parties)
      const path = `/v1/finance/listings/${listing.id}`
      return {
        condition: idIs(decodeId('lst', listing.id)!),
        change: () => posted(borrower.key, `${path}/withdraw`),
        uses: [
          () => post(lender.key, `${path}/offers`, { kind: 'at_ask' }),
          () => post(borrower.key, `${path}/withdraw`),
        ],
      }
    },
  },
  {
    table: 'finance_setups',
    rule: 'lends after lending was switched off',
    prepare: async () => {
      const others = await loanParties(running)
      const { id } = await loans.listed(others)
      const { key } = others.lender
      const setUp = (enabled: boolean) => {
        const body = { lender: { enabled } }
        return callApi(running, 'PUT', '/v1/finance/setup', { key, body })
      }
      return {
        condition: isOf(others.lender),
        change: () => setUp(false),
        uses: [
          () => post(key, `/v1/finance/listings/${id}/offers`, { kind: 'at_ask' }),
          () => setUp(true),
        ],
      }
    },
  },
  {
    table: 'ledger_account',
    rule: 'pays with money that was spent',
    prepare: async () => {
      const pair = await aPair(running)
      const [one, other] = [
        await anApprovedInvoice(running, pair),
        await anApprovedInvoice(running, pair),
      ]
      const { key } = pair.counterparty
      return {
        condition: isOf(pair.counterparty),
        change: () => pay(running, key, one.id),
        uses: [() => pay(running, key, other.id)],
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
      await writeBack()
      for (const use of uses) assertNoticed(await use(), table)
    })
  }

  test('of webhook_endpoints gets events, or is edited', async () => {
    const pair = await aPair(running)
    const { issuer } = pair
    const [old, present] = [await startReceiver(), await startReceiver()]
    const { id } = await subscribe(running, issuer, old.url)
    const writeBack = await copyRows(database, 'webhook_endpoints', idIs(decodeId('whk', id)!))
    const edit = (body: object) =>
      callApi(running, 'PATCH', `/v1/webhooks/${id}`, { key: issuer.session, body })
    assert.equal((await edit({ url: present.url })).status, 200)
    await writeBack()
    await anInvoice(running, pair)
    const alarm = `webhook_endpoints ${decodeId('whk', id)}`
    await until('the worker refuses it', () => logLines.some((line) => line.includes(alarm)))
    assert.equal(old.received.length, 0)
    assertNoticed(await edit({ description: 'New' }), 'webhook_endpoints')
  })
})

test('a document that every table has forgotten a payment of is not paid again', async () => {
  const pair = await aPair(running)
  const { key } = pair.counterparty
  const { id } = await anApprovedInvoice(running, pair)
  const untilLogged = () =>
    until('every event is in the log', async () => {
      const { verification } = (await get(key, `/v1/documents/${id}/history`)).body
      return verification?.logged_through_seq === verification?.events
    })
  await untilLogged()
  const old = await oldRowsOf(running, decodeId('doc', id)!)
  assert.equal((await pay(running, key, id)).status, 200)
  await untilLogged()
  await old.putBack(Object.keys(documentTables) as DocumentTable[])
  const again = await pay(running, key, id)
  assert.deepEqual([again.status, again.body.error?.code], [500, 'integrity_failure'], again.text)
})
